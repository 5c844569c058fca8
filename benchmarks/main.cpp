//===- main.cpp - bench-attention -------------------------------------------===//
//
// Rates of attention and of a decoder block, compile times, and the machine's peaks, so that one run has all that a
// comparison needs.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/Attention.h"
#include "benchmarks/CompileTime.h"
#include "benchmarks/DecoderBlock.h"
#include "benchmarks/MachinePeak.h"
#include "benchmarks/RunBenchmarks.h"

int main(int argc, char **argv) {
  // The figures in docs/performance.md are for two threads on every machine.
  constexpr int Threads = 2;
  nova::benchmarks::registerMachinePeak(Threads);
#ifdef NOVA_BENCHMARKS_COMPILE
  nova::benchmarks::registerAttention(Threads);
  nova::benchmarks::registerDecoderBlock(Threads);
  nova::benchmarks::registerCompileTime();
#endif
  return nova::benchmarks::runBenchmarks(argc, argv);
}
