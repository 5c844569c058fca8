//===- CompileTime.cpp - How long the compiler takes --------------------------===//

#include "benchmarks/CompileTime.h"

#include "benchmarks/StdLib.h"
#include "compiler/pipeline/Compiler.h"

#include "mlir/IR/MLIRContext.h"

#include <benchmark/benchmark.h>

#include <string>

namespace nova::benchmarks {
namespace {

constexpr const char *Target = "x86-64-v3";

void compileCausalAttention(benchmark::State &state, const std::string &type) {
  for (auto _ : state)
    benchmark::DoNotOptimize(compileAttention(type, Target));
}

/// A graph of `length` operations, each of which reads the one before it.
std::string chainText(int64_t length) {
  std::string text = "graph @chain(%v0: f32[n]) -> f32[n] {\n  %half = constant 0.5\n";
  for (int64_t i = 0; i < length; ++i) {
    std::string from = "%v" + std::to_string(i), to = "%v" + std::to_string(i + 1);
    text += "  " + to + (i % 2 ? " = add " + from + ", %v0\n" : " = multiply " + from + ", %half\n");
  }
  return text + "  return %v" + std::to_string(length) + "\n}\n";
}

/// Reads and checks the chain, and compiles it if asked.
void chain(benchmark::State &state, int64_t length, bool compiles) {
  std::string text = chainText(length);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  CompileOptions options;
  options.targets = {Target};
  for (auto _ : state) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    std::unique_ptr<Program> program = Program::parse(context, text, "chain.nova", SourceOptions());
    if (!program || (compiles && failed(compileGraph(program->getEntry(), options))))
      return state.SkipWithError("the chain was refused");
  }
  state.counters["ops_per_second"] =
      benchmark::Counter(double(length) * state.iterations(), benchmark::Counter::kIsRate);
}

} // namespace

void registerCompileTime() {
  for (const char *type : {"f32", "f64"})
    benchmark::RegisterBenchmark((std::string("compile/causal_attention/") + type).c_str(), compileCausalAttention,
                                 type)
        ->Unit(benchmark::kMillisecond);
  for (bool compiles : {false, true})
    for (int64_t length : {10'000, 100'000})
      benchmark::RegisterBenchmark(((compiles ? "compile/chain/" : "check/chain/") + std::to_string(length)).c_str(),
                                   chain, length, compiles)
          ->Unit(benchmark::kMillisecond);
}

} // namespace nova::benchmarks
