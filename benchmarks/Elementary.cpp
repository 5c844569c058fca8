// Elementary functions: the code of modules against one call of the C library per value, alternately in one run.
#include "benchmarks/Module.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <random>

namespace nova::benchmarks {
namespace {

// The argument is what the calls are made on: a function that the compiler cannot see through.
struct Function {
  const char *name;
  float (*volatile single)(float);
  double (*volatile twice)(double);
  double low, high; // of the arguments
};

template <class T> T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
template <class T> T rsqrt(T x) { return 1 / std::sqrt(x); }
template <class T> T power(T x) { return std::pow(x, T(2.3)); }

const Function functions[] = {
    {"exp", expf, exp, -20, 20},
    {"log", logf, log, 0.001, 1000},
    {"tanh", tanhf, tanh, -5, 5},
    {"erf", erff, erf, -4, 4},
    {"sin", sinf, sin, -100, 100},
    {"cos", cosf, cos, -100, 100},
    {"sigmoid", sigmoid<float>, sigmoid<double>, -20, 20},
    {"rsqrt", rsqrt<float>, rsqrt<double>, 0.001, 1000},
    {"power", power<float>, power<double>, 0.001, 1000},
};

// `%y` = the function of `%x`, row after row: one thread runs all of it.
std::string graphOf(const Function &function, const char *type) {
  std::string call = function.name + std::string(" %x");
  if (call == "power %x")
    call += ", %p";
  return std::string("graph @f(%x: ") + type + "[n, d]) -> " + type + "[n, d] {\n  %p = constant 2.3\n  %y = " + call +
         "\n  return %y\n}\n";
}

template <class T> void measure(benchmark::State &state, const Function &function) {
  constexpr bool isFloat = sizeof(T) == 4;
  Module module = compileText(graphOf(function, isFloat ? "f32" : "f64"));
  Context context = makeContext(1);
  // Within the second cache.
  const int64_t dims[] = {16, 1024};
  std::vector<T> x(dims[0] * dims[1]), y(x.size());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(function.low, function.high);
  for (T &value : x)
    value = T(draw(random));
  nova_type_t type = isFloat ? NOVA_F32 : NOVA_F64;
  nova_tensor_t argument{type, 2, dims, x.data()}, result{type, 2, dims, y.data()};
  nova_run_t run{module.get(), nullptr, nullptr, &argument, 1, &result, 1};

  using Clock = std::chrono::steady_clock;
  auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  double ours = INFINITY, theirs = INFINITY;
  for (auto _ : state) {
    auto begin = Clock::now();
    require(nova_run(context.get(), &run, 1));
    auto middle = Clock::now();
    for (size_t i = 0; i < x.size(); ++i)
      if constexpr (isFloat)
        y[i] = function.single(x[i]);
      else
        y[i] = function.twice(x[i]);
    benchmark::ClobberMemory();
    auto end = Clock::now();
    ours = std::min(ours, seconds(middle - begin));
    theirs = std::min(theirs, seconds(end - middle));
    state.SetIterationTime(seconds(middle - begin));
  }
  // Smallest times, in nanoseconds per value.
  state.counters["nova_ns"] = 1e9 * ours / x.size();
  state.counters["glibc_ns"] = 1e9 * theirs / x.size();
  state.counters["ratio"] = theirs / ours;
}

[[maybe_unused]] const bool registered = [] {
  for (const Function &function : functions)
    for (bool isFloat : {true, false})
      benchmark::RegisterBenchmark((std::string("elementary/") + function.name + (isFloat ? "/f32" : "/f64")).c_str(),
                                   [&function, isFloat](benchmark::State &state) {
                                     isFloat ? measure<float>(state, function) : measure<double>(state, function);
                                   })
          ->UseManualTime();
  return true;
}();

} // namespace
} // namespace nova::benchmarks

BENCHMARK_MAIN();
