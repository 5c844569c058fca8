//===- CompileTime.cpp - How long the compiler takes --------------------------===//

#include "benchmarks/CompileTime.h"

#include "benchmarks/StdLib.h"
#include "compiler/identity/Store.h"
#include "compiler/pipeline/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"

#include <benchmark/benchmark.h>

#include <string>

namespace nova::benchmarks {
namespace {

constexpr const char *Target = "x86-64-v3";

void compileCausalAttention(benchmark::State &state, const std::string &type) {
  for (auto _ : state)
    benchmark::DoNotOptimize(compileStdLib("causal_attention", type, Target));
}

/// From the text to the bytes of the module, which come from the store if it has them.
llvm::Expected<StoreResult> obtainAttention(const Store &store, const mlir::DialectRegistry &registry,
                                            const std::string &type) {
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<Program> program = loadStdLib(context, "causal_attention");
  mlir::FailureOr<ModuleIdentity> identity = identifyModule(program->getEntry(), stdLibOptions(type, Target));
  if (failed(identity))
    return llvm::createStringError("the graph has no version hash");
  return store.getOrMake(identity->storeKey, "benchmark", [&]() -> llvm::Expected<std::string> {
    std::vector<char> bytes = compileStdLib("causal_attention", type, Target);
    return std::string(bytes.begin(), bytes.end());
  });
}

void loadCausalAttention(benchmark::State &state, const std::string &type) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("nova-bench-store", folder))
    return state.SkipWithError("no temporary folder could be made");
  StoreOptions options;
  options.directory = std::string(folder);
  Store store(options);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  bool stored = !llvm::cantFail(obtainAttention(store, registry, type)).bytes.empty();
  for (auto _ : state) {
    StoreResult entry = llvm::cantFail(obtainAttention(store, registry, type));
    stored &= entry.found;
    nova_module_t *module = nullptr;
    require(nova_module_load_memory(entry.bytes.data(), entry.bytes.size(), nullptr, &module));
    nova_module_release(module);
  }
  llvm::sys::fs::remove_directories(folder);
  if (!stored)
    state.SkipWithError("the store did not keep the module");
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
  for (const char *type : {"f32", "f64"})
    benchmark::RegisterBenchmark((std::string("load/causal_attention/") + type).c_str(), loadCausalAttention, type)
        ->Unit(benchmark::kMillisecond);
  for (bool compiles : {false, true})
    for (int64_t length : {10'000, 100'000})
      benchmark::RegisterBenchmark(((compiles ? "compile/chain/" : "check/chain/") + std::to_string(length)).c_str(),
                                   chain, length, compiles)
          ->Unit(benchmark::kMillisecond);
}

} // namespace nova::benchmarks
