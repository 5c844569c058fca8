//===- HotLoops.h - Finds innermost loops in assembly ------------------------===//
#ifndef NOVA_TESTS_CONVERSION_HOTLOOPS_H
#define NOVA_TESTS_CONVERSION_HOTLOOPS_H

#include <string>
#include <vector>

namespace nova::test {

/// An innermost loop: its function, its instructions, how many are fused multiply-adds, and the instructions that move
/// vectors to or from the stack (spills).
struct HotLoop {
  std::string function;
  int instructions = 0, multiplyAdds = 0;
  std::vector<std::string> spills;
};

/// The innermost loops of x86 assembly as LLVM prints it (AT&T syntax).
std::vector<HotLoop> hotLoops(const std::string &assembly);

} // namespace nova::test

#endif
