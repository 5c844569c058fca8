// A graph's text as a loaded module that can be fed in pieces.
#ifndef NOVA_TESTS_CASES_LOADGRAPH_H
#define NOVA_TESTS_CASES_LOADGRAPH_H

#include "compiler/pipeline/Compiler.h"
#include "compiler/pipeline/Program.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/runtime/Handles.h"
#include <gtest/gtest.h>

namespace nova::test {
/// The last graph of the text, which may call std_lib, compiled along n.
inline ModulePtr loadGraph(const std::string &source) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  SourceOptions sources;
  sources.stdLibDir = NOVA_STD_LIB;
  std::unique_ptr<Program> program = Program::parse(context, source, "graph.nova", sources);
  CompileOptions options;
  options.along = "n";
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), options);
  nova_module_t *made = nullptr;
  EXPECT_EQ(take(nova_module_load_memory(compiled->bytes.data(), compiled->bytes.size(), nullptr, &made)), "");
  return ModulePtr(made);
}

inline ContextPtr makeContext(int32_t threads) {
  nova_context_options_t options{sizeof options, threads, nullptr, nullptr, NOVA_ONEDNN_ON};
  nova_context_t *made = nullptr;
  EXPECT_EQ(take(nova_context_create(&options, &made)), "");
  return ContextPtr(made);
}
} // namespace nova::test

#endif
