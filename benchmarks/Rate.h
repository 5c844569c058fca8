//===- Rate.h - Rates by the wall clock ------------------------------------===//
#ifndef NOVA_BENCHMARKS_RATE_H
#define NOVA_BENCHMARKS_RATE_H

#include <benchmark/benchmark.h>

#include <chrono>

namespace nova::benchmarks {

/// Measures a benchmark's loop by the wall clock. Google Benchmark's own rates go by the calling thread's processor
/// time unless the benchmark's name gets a suffix, and work that other threads do is not in that. Make one just before
/// the loop, call report just after it.
class Rate {
public:
  explicit Rate(benchmark::State &state) : state(state) {}

  /// Leaves what `work` does out of the measurement, here and in the benchmark's time.
  template <class Work> void exclude(Work work) {
    state.PauseTiming();
    Clock::time_point begin = Clock::now();
    work();
    excluded += Clock::now() - begin;
    state.ResumeTiming();
  }

  /// Sets the counter `name` to (amount of the whole loop) per second.
  void report(const char *name, double amount) const {
    std::chrono::duration<double> elapsed = Clock::now() - start - excluded;
    state.counters[name] =
        benchmark::Counter(amount / elapsed.count(), benchmark::Counter::kDefaults, benchmark::Counter::kIs1000);
  }

private:
  using Clock = std::chrono::steady_clock;
  benchmark::State &state;
  Clock::duration excluded{};
  Clock::time_point start = Clock::now();
};

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_RATE_H
