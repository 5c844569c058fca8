// A folder that goes away with the test.
#ifndef NOVA_TESTS_IDENTITY_TEMPORARYFOLDER_H
#define NOVA_TESTS_IDENTITY_TEMPORARYFOLDER_H

#include <string>
#include <vector>

namespace nova::test {
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path;
};

std::string readBytes(const std::string &path);
void writeBytes(const std::string &path, const std::string &bytes);
/// The files below a folder, sorted.
std::vector<std::string> filesBelow(const std::string &path);
/// Content that depends on `seed`.
std::string someBytes(size_t size, unsigned seed);
} // namespace nova::test

#endif
