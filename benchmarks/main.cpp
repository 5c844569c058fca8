//===- main.cpp - bench-attention -------------------------------------------===//
//
// Rates of attention and of a decoder block, what a call costs, compile times, and the machine's peaks, so that one run
// has all that a comparison needs. `--threads=N` before other options runs them with N threads.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/Attention.h"
#include "benchmarks/CompileTime.h"
#include "benchmarks/Decode.h"
#include "benchmarks/DecoderBlock.h"
#include "benchmarks/MachinePeak.h"
#include "benchmarks/Overhead.h"
#include "benchmarks/RunBenchmarks.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
  // The figures in docs/performance.md are for two threads on every machine where nothing else is said.
  int threads = 2;
  constexpr const char Option[] = "--threads=";
  if (argc > 1 && std::strncmp(argv[1], Option, sizeof(Option) - 1) == 0) {
    threads = std::atoi(argv[1] + sizeof(Option) - 1);
    if (threads < 1 || threads > 4096) {
      std::fprintf(stderr, "error: %s: expected a number of threads from 1 to 4096\n", argv[1]);
      return 2;
    }
    // Google Benchmark knows no such option.
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  nova::benchmarks::registerMachinePeak(threads);
#ifdef NOVA_BENCHMARKS_COMPILE
  nova::benchmarks::registerAttention(threads);
  nova::benchmarks::registerDecode(threads);
  nova::benchmarks::registerDecoderBlock(threads);
  nova::benchmarks::registerOverhead(threads);
  nova::benchmarks::registerCompileTime();
#endif
  return nova::benchmarks::runBenchmarks(argc, argv);
}
