#include "tests/identity/TemporaryFolder.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace nova::test {
TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "nova-store-XXXXXX";
  path = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeBytes(const std::string &path, const std::string &bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<std::string> filesBelow(const std::string &path) {
  std::vector<std::string> files;
  if (std::filesystem::exists(path))
    for (auto &entry : std::filesystem::recursive_directory_iterator(path))
      if (!entry.is_directory())
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string someBytes(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char &c : bytes)
    c = char(random());
  return bytes;
}
} // namespace nova::test
