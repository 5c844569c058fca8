//===- StdLib.cpp - Graphs of std_lib, compiled in process -------------------===//

#include "benchmarks/StdLib.h"

#include "mlir/IR/MLIRContext.h"

#include <map>

namespace nova::benchmarks {

std::unique_ptr<Program> loadStdLib(mlir::MLIRContext &context, const std::string &function) {
  SourceOptions sources;
  sources.stdLibDir = NOVA_STD_LIB;
  std::unique_ptr<Program> program = Program::load(context, NOVA_STD_LIB "/nn/" + function + ".nova", sources);
  if (!program)
    std::exit(1);
  return program;
}

CompileOptions stdLibOptions(const std::string &type, const std::string &target) {
  CompileOptions options;
  options.types["T"] = type;
  if (!target.empty())
    options.targets = {target};
  return options;
}

std::vector<char> compileStdLib(const std::string &function, const std::string &type, const std::string &target) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<Program> program = loadStdLib(context, function);
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), stdLibOptions(type, target));
  if (failed(compiled))
    std::exit(1);
  return std::move(compiled->bytes);
}

nova_module_t *stdLibModule(const std::string &function, const std::string &type) {
  static std::map<std::string, Module> modules;
  Module &module = modules[function + "/" + type];
  if (!module) {
    std::vector<char> bytes = compileStdLib(function, type);
    nova_module_t *loaded = nullptr;
    require(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &loaded));
    module.reset(loaded);
  }
  return module.get();
}

} // namespace nova::benchmarks
