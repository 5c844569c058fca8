//===- Module.cpp -----------------------------------------------------------===//

#include "benchmarks/Module.h"
#include "compiler/pipeline/Compiler.h"

#include "mlir/IR/MLIRContext.h"

namespace nova::benchmarks {

Module compileText(const std::string &text) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  SourceOptions sources;
  sources.stdLibDir = NOVA_STD_LIB;
  std::unique_ptr<Program> program = Program::parse(context, text, "benchmark.nova", sources);
  if (!program)
    std::exit(1);
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), {});
  if (failed(compiled))
    std::exit(1);
  nova_module_t *module = nullptr;
  require(nova_module_load_memory(compiled->bytes.data(), compiled->bytes.size(), nullptr, &module));
  return Module(module);
}

} // namespace nova::benchmarks
