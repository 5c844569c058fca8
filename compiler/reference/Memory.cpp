//===- Memory.cpp ------------------------------------------------------------===//
#include "compiler/reference/Memory.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace nova::reference {

// A file that holds a number; none where there is no such file or a word for "no limit" in it.
static std::optional<int64_t> numberIn(const char *path) {
  int64_t number;
  std::ifstream file(path);
  return file >> number ? std::optional(number) : std::nullopt;
}

// Lines like `MemAvailable:   23855264 kB`.
static int64_t freeOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  int64_t sum = 0, kilobytes;
  while (file >> key >> kilobytes && std::getline(file, unit))
    if (key == "MemAvailable:" || key == "SwapFree:")
      sum += kilobytes * 1024;
  return sum > 0 ? sum : INT64_MAX;
}

// Our own pages count against the group's limit; what others of the group hold is not known to be free.
static int64_t freeInGroup() {
  std::optional<int64_t> limit = numberIn("/sys/fs/cgroup/memory.max");
  if (!limit)
    limit = numberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  int64_t size, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return limit ? *limit - resident * sysconf(_SC_PAGE_SIZE) : INT64_MAX;
}

int64_t availableMemory() { return std::min(freeOnMachine(), freeInGroup()); }

std::string memoryProblem(Element element, const Shape &shape) {
  // Graphs have thousands of small values; looking costs more than they do.
  constexpr int64_t small = int64_t(1) << 26;
  std::optional<int64_t> bytes = byteSize(element, shape);
  if (!bytes)
    return toString(element, shape) + " has more bytes than 63 bits hold";
  if (*bytes <= small)
    return "";
  int64_t available = availableMemory();
  if (*bytes <= available)
    return "";
  return toString(element, shape) + " needs " + std::to_string(*bytes) + " bytes, " + std::to_string(available) +
         " are available";
}

std::string allocationProblem(Element element, const Shape &shape) {
  std::optional<int64_t> bytes = byteSize(element, shape);
  return "not enough memory for " + toString(element, shape) + (bytes ? ": " + std::to_string(*bytes) + " bytes" : "");
}

} // namespace nova::reference
