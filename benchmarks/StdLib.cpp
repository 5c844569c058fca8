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

std::vector<char> compileStdLib(const std::string &function, const std::string &type, const std::string &target,
                                bool freeOrder) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<Program> program = loadStdLib(context, function);
  CompileOptions options = stdLibOptions(type, target);
  options.freeOrder = freeOrder;
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), options);
  if (failed(compiled))
    std::exit(1);
  return std::move(compiled->bytes);
}

nova_module_t *stdLibModule(const std::string &function, const std::string &type, bool freeOrder) {
  static std::map<std::string, Module> modules;
  Module &module = modules[function + "/" + type + (freeOrder ? "/free" : "")];
  if (!module) {
    std::vector<char> bytes = compileStdLib(function, type, "", freeOrder);
    nova_module_t *loaded = nullptr;
    require(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &loaded));
    module.reset(loaded);
  }
  return module.get();
}

} // namespace nova::benchmarks
