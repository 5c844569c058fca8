#include "compiler/transforms/derive/Extend.h"
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
    for (GraphOp graph : llvm::make_early_inc_range(getOperation().getOps<GraphOp>())) {
      ExtendGraph extend = deriveExtend(graph, analyseDependence(graph, symbol));
      if (!extend.module)
        return signalPassFailure();
      extend.module->getBody()->front().moveBefore(graph);
      graph.erase();
    }
  }

  Option<std::string> along{*this, "along", llvm::cl::desc("The symbol of the sequence")};
};
} // namespace

void registerDerivePasses() { PassRegistration<ExtendPass>(); }
} // namespace nova
