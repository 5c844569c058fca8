//===- MachinePeak.cpp - What the machine can do at best --------------------===//
//
// Multiply-adds on registers alone, in enough independent chains to hide their latency; and a plain read of a buffer.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/MachinePeak.h"
#include "benchmarks/Rate.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace nova::benchmarks {
namespace {

/// Two units that take 4 or 5 cycles each need 10 chains; 12 fit the 16 registers of AVX2 beside two operands.
constexpr int Chains = 12;
constexpr int64_t StepsPerCall = 4'000'000;
constexpr size_t ReadBytes = size_t(512) << 20;

template <class Element, int Bytes> struct Lanes {
  typedef Element Vector __attribute__((vector_size(Bytes)));
};

/// `steps` rounds of one multiply-add in each chain. The values stay finite: x * 0.5 + 1 tends to 2.
template <class Element, int Bytes> __attribute__((always_inline)) inline void multiplyAdds(int64_t steps) {
  using Vector = typename Lanes<Element, Bytes>::Vector;
  Vector chains[Chains];
  for (int c = 0; c < Chains; ++c)
    chains[c] = Vector{} + Element(c);
  Vector factor = Vector{} + Element(0.5), addend = Vector{} + Element(1);
  benchmark::DoNotOptimize(factor);
  benchmark::DoNotOptimize(addend);
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int c = 0; c < Chains; ++c)
      chains[c] = __builtin_elementwise_fma(chains[c], factor, addend);
  for (int c = 0; c < Chains; ++c)
    benchmark::DoNotOptimize(chains[c]);
}

template <class Element> __attribute__((target("avx2,fma"))) void multiplyAdds256(int64_t steps) {
  multiplyAdds<Element, 32>(steps);
}
template <class Element> __attribute__((target("avx512f"))) void multiplyAdds512(int64_t steps) {
  multiplyAdds<Element, 64>(steps);
}

/// Sums the words of a buffer into eight vectors, which keeps many loads in flight.
__attribute__((target("avx2"))) void readAll(const uint64_t *data, size_t words) {
  typedef uint64_t Vector __attribute__((vector_size(32)));
  Vector sums[8] = {};
  const auto *vectors = reinterpret_cast<const Vector *>(data);
  for (size_t i = 0; i + 8 <= words / 4; i += 8)
#pragma clang loop unroll(full)
    for (int c = 0; c < 8; ++c)
      sums[c] += vectors[i + c];
  for (Vector &sum : sums)
    benchmark::DoNotOptimize(sum);
}

/// ReadBytes in huge pages, as a long cache has them.
const uint64_t *readBuffer() {
  constexpr size_t hugePage = size_t(2) << 20;
  static_assert(ReadBytes % hugePage == 0);
  auto *words = static_cast<uint64_t *>(std::aligned_alloc(hugePage, ReadBytes));
  if (!words)
    throw std::bad_alloc();
  (void)madvise(words, ReadBytes, MADV_HUGEPAGE);      // only advice
  std::fill_n(words, ReadBytes / sizeof(uint64_t), 1); // not zero, so that the pages are real
  return words;
}

/// Runs body(0) .. body(threads - 1) at the same time, body(0) on this thread.
template <class Body> void onThreads(int threads, Body body) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&body, t] { body(t); });
  body(0);
  for (std::thread &other : others)
    other.join();
}

template <class Element> void peakMultiplyAdds(benchmark::State &state, int threads) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return state.SkipWithError("this processor has no AVX2 and FMA");
  bool wide = __builtin_cpu_supports("avx512f");
  Rate rate(state);
  for (auto _ : state)
    onThreads(threads, [wide](int) {
      if (wide)
        multiplyAdds512<Element>(StepsPerCall);
      else
        multiplyAdds256<Element>(StepsPerCall);
    });
  rate.report("FLOPS", 2.0 * StepsPerCall * Chains * (wide ? 64 : 32) / sizeof(Element) * threads * state.iterations());
}

void peakRead(benchmark::State &state, int threads) {
  if (!__builtin_cpu_supports("avx2"))
    return state.SkipWithError("this processor has no AVX2");
  static const uint64_t *const start = readBuffer();
  size_t share = ReadBytes / sizeof(uint64_t) / threads / 32 * 32;
  Rate rate(state);
  for (auto _ : state)
    onThreads(threads, [=](int t) { readAll(start + t * share, share); });
  rate.report("bytes_per_second", double(share) * sizeof(uint64_t) * threads * state.iterations());
}

} // namespace

void registerMachinePeak(int threads) {
  std::vector<int> counts{1};
  if (threads > 1)
    counts.push_back(threads);
  for (int count : counts) {
    std::string suffix = "/" + std::to_string(count);
    auto add = [&](const std::string &name, void (*body)(benchmark::State &, int)) {
      benchmark::RegisterBenchmark((name + suffix).c_str(), body, count)->Unit(benchmark::kMillisecond);
    };
    add("peak/fma/f32", peakMultiplyAdds<float>);
    add("peak/fma/f64", peakMultiplyAdds<double>);
    add("peak/read", peakRead);
  }
}

} // namespace nova::benchmarks
