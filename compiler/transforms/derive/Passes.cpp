#include "compiler/transforms/derive/Extend.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nova {
namespace {
struct ExtendPass : PassWrapper<ExtendPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExtendPass)
  ExtendPass() = default;
  ExtendPass(const ExtendPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "nova-extend"; }
  StringRef getDescription() const override { return "Replace every graph in core form by its extend"; }

  void runOnOperation() override {
    StringAttr symbol = along.empty() ? StringAttr() : StringAttr::get(&getContext(), along.getValue());
    Block *own = getOperation().getBody();
    SmallVector<GraphOp> graphs(getOperation().getOps<GraphOp>());
    for (GraphOp graph : graphs) {
      if (!SymbolTable::symbolKnownUseEmpty(graph, getOperation()))
        continue; // a scan's, which goes with the graph that it is in
      ExtendGraph extend = deriveExtend(graph, analyseDependence(graph, symbol));
      if (!extend.module)
        return signalPassFailure();
      own->getOperations().splice(own->end(), extend.module->getBody()->getOperations());
    }
    for (GraphOp graph : graphs)
      graph.erase();
  }

  Option<std::string> along{*this, "along", llvm::cl::desc("The symbol of the sequence")};
};
} // namespace

void registerDerivePasses() { PassRegistration<ExtendPass>(); }
} // namespace nova
