#include "compiler/analysis/Passes.h"
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/Witness.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace nova {
namespace {
struct DependencePass : PassWrapper<DependencePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DependencePass)
  DependencePass() = default;
  DependencePass(const DependencePass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "nova-dependence"; }
  StringRef getDescription() const override { return "Print how rows of results depend on rows of every value"; }

  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      StringAttr symbol = along.empty() ? StringAttr() : StringAttr::get(&getContext(), along.getValue());
      llvm::outs() << "@" << graph.getSymName() << "\n";
      Dependence dependence = analyseDependence(graph, symbol);
      printDependence(graph, dependence, llvm::outs());
      if (std::optional<Witness> witness = dependence.extendable() ? std::nullopt : findWitness(graph, dependence))
        llvm::outs() << "witness: " << witness->text(graph) << "\n";
      for (const EmptyRow &row : findEmptyRows(graph))
        llvm::outs() << "warning: " << row.text() << "\n";
    }
    markAllAnalysesPreserved();
  }

  Option<std::string> along{*this, "along", llvm::cl::desc("The symbol of the sequence")};
};
} // namespace

void registerAnalysisPasses() { PassRegistration<DependencePass>(); }
} // namespace nova
