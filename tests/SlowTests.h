// Whether slow tests run: the meaning of NOVA_SLOW, the same for every test program and for lit.
#ifndef NOVA_TESTS_SLOWTESTS_H
#define NOVA_TESTS_SLOWTESTS_H

#include <cstdlib>
#include <string_view>

namespace nova::test {
/// True where the environment variable NOVA_SLOW is set to anything but nothing or 0.
inline bool slowTests() {
  const char *value = std::getenv("NOVA_SLOW");
  return value && *value && std::string_view(value) != "0";
}
} // namespace nova::test

#endif // NOVA_TESTS_SLOWTESTS_H
