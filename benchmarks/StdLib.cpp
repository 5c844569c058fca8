//===- StdLib.cpp - Graphs of std_lib, compiled in process -------------------===//

#include "benchmarks/StdLib.h"

#include "mlir/IR/MLIRContext.h"

#include <map>

namespace nova::benchmarks {

std::unique_ptr<Program> loadAttention(mlir::MLIRContext &context) {
  SourceOptions sources;
  sources.stdLibDir = NOVA_STD_LIB;
  std::unique_ptr<Program> program = Program::load(context, NOVA_STD_LIB "/nn/causal_attention.nova", sources);
  if (!program)
    std::exit(1);
  return program;
}

CompileOptions attentionOptions(const std::string &type, const std::string &target) {
  CompileOptions options;
  options.types["T"] = type;
  if (!target.empty())
    options.targets = {target};
  return options;
}

std::vector<char> compileAttention(const std::string &type, const std::string &target) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<Program> program = loadAttention(context);
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), attentionOptions(type, target));
  if (failed(compiled))
    std::exit(1);
  return std::move(compiled->bytes);
}

nova_module_t *attentionModule(const std::string &type) {
  static std::map<std::string, Module> modules;
  Module &module = modules[type];
  if (!module) {
    std::vector<char> bytes = compileAttention(type);
    nova_module_t *loaded = nullptr;
    require(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &loaded));
    module.reset(loaded);
  }
  return module.get();
}

} // namespace nova::benchmarks
