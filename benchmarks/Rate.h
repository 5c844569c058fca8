//===- Rate.h - Rates by the wall clock ------------------------------------===//
#ifndef NOVA_BENCHMARKS_RATE_H
#define NOVA_BENCHMARKS_RATE_H

#include <benchmark/benchmark.h>

#include <chrono>

namespace nova::benchmarks {

/// Measures a benchmark's loop by the wall clock. Google Benchmark's own rates go by the calling thread's processor time
/// unless the benchmark's name gets a suffix, and work that other threads do is not in that. Make one just before the
/// loop, call report just after it.
class Rate {
public:
  /// Sets the counter `name` to (amount per iteration) per second.
  void report(benchmark::State &state, const char *name, double perIteration) const {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.counters[name] = benchmark::Counter(perIteration * double(state.iterations()) / elapsed.count(),
                                              benchmark::Counter::kDefaults, benchmark::Counter::kIs1000);
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_RATE_H
