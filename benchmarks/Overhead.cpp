//===- Overhead.cpp ---------------------------------------------------------===//

#include "benchmarks/Overhead.h"

#include "benchmarks/Handles.h"
#include "benchmarks/Numbers.h"
#include "benchmarks/StdLib.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

namespace nova::benchmarks {
namespace {

constexpr int64_t Rows = 16, Width = 4, Side = 8;

void extend(benchmark::State &state, int threads) {
  Context context = makeContext(threads);
  nova_module_t *module = stdLibModule("causal_attention", "f32");
  nova_session_t *created = nullptr;
  require(nova_session_create(module, nullptr, &created));
  Session session(created);
  Numbers Q(NOVA_F32, Width, 0), K(NOVA_F32, Width, 1), V(NOVA_F32, Width, 2), O(NOVA_F32, Width, 3);
  const int64_t dims[] = {1, Width};
  nova_tensor_t arguments[] = {
      {NOVA_F32, 2, dims, Q.at(0)}, {NOVA_F32, 2, dims, K.at(0)}, {NOVA_F32, 2, dims, V.at(0)}};
  nova_tensor_t result = {NOVA_F32, 2, dims, O.at(0)};
  nova_run_t run = {module, nullptr, session.get(), arguments, 3, &result, 1};
  for (auto _ : state) {
    // Going back costs nothing, so that it need not be left out.
    if (nova_session_length(session.get()) == Rows)
      require(nova_session_rewind(session.get(), 0));
    require(nova_run(context.get(), &run, 1));
  }
  // Of rows that are all the same, attention gives the row again.
  for (int64_t c = 0; c < Width; ++c)
    requireNear(O[c], V[c], NOVA_F32);
}

void softmax(benchmark::State &state, int threads) {
  Context context = makeContext(threads);
  nova_module_t *module = stdLibModule("softmax", "f32");
  Numbers x(NOVA_F32, Side * Side, 0), y(NOVA_F32, Side * Side, 1);
  const int64_t dims[] = {Side, Side};
  nova_tensor_t argument = {NOVA_F32, 2, dims, x.at(0)}, result = {NOVA_F32, 2, dims, y.at(0)};
  nova_run_t run = {module, nullptr, nullptr, &argument, 1, &result, 1};
  for (auto _ : state)
    require(nova_run(context.get(), &run, 1));
  for (int64_t row = 0; row < Side; ++row) {
    double total = 0;
    for (int64_t c = 0; c < Side; ++c)
      total += std::exp(x[row * Side + c]);
    for (int64_t c = 0; c < Side; ++c)
      requireNear(y[row * Side + c], std::exp(x[row * Side + c]) / total, NOVA_F32);
  }
}

std::string shape(int64_t rows, int64_t columns) { return std::to_string(rows) + "x" + std::to_string(columns); }

} // namespace

void registerOverhead(int threads) {
  benchmark::RegisterBenchmark(("overhead/extend/" + shape(Rows, Width)).c_str(), extend, threads);
  benchmark::RegisterBenchmark(("overhead/softmax/" + shape(Side, Side)).c_str(), softmax, threads);
}

} // namespace nova::benchmarks
