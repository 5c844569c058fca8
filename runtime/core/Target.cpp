//===- Target.cpp ---------------------------------------------------------===//

#include "runtime/core/Target.h"

#include <cpuid.h>
#include <cstdint>

using namespace nova::runtime;

namespace {

/// The register sets that the operating system saves and restores (XCR0), or 0.
uint64_t savedRegisterSets() {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

constexpr uint64_t kSavesAvx = 0x6;     // SSE and AVX registers
constexpr uint64_t kSavesAvx512 = 0xe6; // and opmask, upper halves, upper sixteen

bool supportsV3() {
  unsigned eax, ebx, ecx, edx;
  // LZCNT and MOVBE have no name in every compiler's __builtin_cpu_supports.
  bool lzcnt = __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT);
  bool basics = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_MOVBE) && (ecx & bit_F16C);
  return lzcnt && basics && (savedRegisterSets() & kSavesAvx) == kSavesAvx && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool supportsV4() {
  return supportsV3() && (savedRegisterSets() & kSavesAvx512) == kSavesAvx512 && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

struct Level {
  const char *name;
  bool (*supported)();
};
// Best first.
constexpr Level kLevels[] = {{"x86-64-v4", supportsV4}, {"x86-64-v3", supportsV3}};

} // namespace

bool nova::runtime::targetSupported(std::string_view target) {
  for (const Level &level : kLevels)
    if (target == level.name)
      return level.supported();
  return false;
}

int nova::runtime::bestTarget(const std::vector<std::string> &targets) {
  for (const Level &level : kLevels)
    for (size_t i = 0; i < targets.size(); ++i)
      if (targets[i] == level.name && level.supported())
        return static_cast<int>(i);
  return -1;
}
