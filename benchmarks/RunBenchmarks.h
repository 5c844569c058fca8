//===- RunBenchmarks.h - The rest of main, once all are registered ----------===//
#ifndef NOVA_BENCHMARKS_RUNBENCHMARKS_H
#define NOVA_BENCHMARKS_RUNBENCHMARKS_H

#include <benchmark/benchmark.h>

namespace nova::benchmarks {

/// Runs what is registered, by the flags of Google Benchmark. Returns the program's exit code.
inline int runBenchmarks(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_RUNBENCHMARKS_H
