//===- Products.cpp - bench-products: products with oneDNN and without -----------===//
//
// One product by a param, x[256, terms] * W[terms, columns], for the shapes of a decoder block and narrower ones: what
// library tiles gain or cost against generated code, on one thread. `--benchmark_enable_random_interleaving=true
// --benchmark_repetitions=20` measures both in turns; the shortest times are to be compared.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/Module.h"
#include "benchmarks/RunBenchmarks.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <string>
#include <vector>

namespace nova::benchmarks {
namespace {

constexpr int64_t rows = 256;

/// A tensor of numbers in [-1, 1].
struct Matrix {
  Matrix(int64_t rows, int64_t columns) : dims{rows, columns}, data(static_cast<size_t>(rows * columns)) {
    uint32_t state = 1;
    for (float &x : data)
      x = static_cast<float>(static_cast<int32_t>(state = state * 1664525 + 1013904223)) * 0x1p-31f;
  }
  nova_tensor_t view() { return {NOVA_F32, 2, dims, data.data()}; }
  int64_t dims[2];
  std::vector<float> data;
};

using Instance = std::unique_ptr<nova_instance_t, Releaser<nova_instance_release>>;

void multiply(benchmark::State &state, nova_module_t *module, int64_t terms, int64_t columns, nova_onednn_t onednn) {
  Context context = makeContext(1, onednn);
  Matrix x(rows, terms), weights(terms, columns), y(rows, columns);
  nova_tensor_t param = weights.view(), argument = x.view(), result = y.view();
  nova_instance_t *bound = nullptr;
  require(nova_instance_create(context.get(), module, &param, 1, &bound));
  Instance instance(bound);
  nova_run_t run{module, instance.get(), nullptr, &argument, 1, &result, 1};
  require(nova_run(context.get(), &run, 1)); // tries the product, if it is new
  for (auto _ : state)
    require(nova_run(context.get(), &run, 1));
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * double(rows * terms * columns) * double(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}

} // namespace

static void registerProducts() {
  static Module module = compileText("graph @product(%x: f32[n, c], param %W: f32[c, d]) -> f32[n, d] {\n"
                                     "  %y = matmul %x, %W\n"
                                     "  return %y\n"
                                     "}\n");
  for (auto [terms, columns] : {std::pair<int64_t, int64_t>{576, 64},
                                {576, 128},
                                {576, 256},
                                {576, 576},
                                {576, 1536},
                                {1536, 576},
                                {64, 576},
                                {256, 256},
                                {4096, 4096}})
    for (nova_onednn_t onednn : {NOVA_ONEDNN_ON, NOVA_ONEDNN_OFF}) {
      std::string name = "product/" + std::to_string(terms) + "x" + std::to_string(columns) +
                         (onednn == NOVA_ONEDNN_ON ? "/onednn" : "/generated");
      benchmark::RegisterBenchmark(name.c_str(),
                                   [terms = terms, columns = columns, onednn](benchmark::State &state) {
                                     multiply(state, module.get(), terms, columns, onednn);
                                   })
          ->Unit(benchmark::kMicrosecond)
          ->UseRealTime()
          ->ComputeStatistics(
              "min", [](const std::vector<double> &times) { return *std::min_element(times.begin(), times.end()); });
    }
}
} // namespace nova::benchmarks

int main(int argc, char **argv) {
  nova::benchmarks::registerProducts();
  return nova::benchmarks::runBenchmarks(argc, argv);
}
