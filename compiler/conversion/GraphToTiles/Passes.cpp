#include "compiler/conversion/GraphToTiles/Passes.h"
#include "compiler/conversion/GraphToTiles/GraphToTiles.h"
#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/HoistMonotone.h"
#include "compiler/transforms/MaskedFactors.h"
#include "compiler/transforms/derive/Extend.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nova {
namespace {
struct TilesPass : PassWrapper<TilesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TilesPass)
  TilesPass() = default;
  TilesPass(const TilesPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "nova-tiles"; }
  StringRef getDescription() const final { return "replace a core-form graph by its tile kernels"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<tile::TileDialect>(); }
  Option<bool> whole{*this, "whole", llvm::cl::desc("do not derive the extend")};
  Option<bool> plan{*this, "plan", llvm::cl::desc("print the plan")};

  void runOnOperation() override {
    GraphOp core = coreGraph(getOperation());
    std::vector<std::string> results;
    for (unsigned i = 0; i < core.getNumGraphResults(); i++)
      results.push_back(core.getResultName(i));
    ExtendGraph extend;
    if (!whole) {
      Dependence dependence = analyseDependence(core);
      extend = tryDeriveExtend(core, dependence);
    }
    ModuleOp derived = extend.module ? *extend.module : getOperation();
    for (GraphOp graph : derived.getOps<GraphOp>()) {
      hoistMonotone(graph);
      prepareMaskedFactors(graph);
    }
    GraphOp source = coreGraph(derived);
    FailureOr<TileProgram> program =
        graphToTiles({source, core.getNumGraphArguments(), results, extend.sequence, extend.rows, extend.past});
    if (failed(program))
      return signalPassFailure();
    if (plan)
      printPlan(program->plan, llvm::outs());
    for (GraphOp graph : llvm::make_early_inc_range(getOperation().getOps<GraphOp>()))
      graph.erase();
    getOperation().getBody()->getOperations().splice(getOperation().getBody()->end(),
                                                     program->module->getBody()->getOperations());
  }
};
} // namespace

void registerTilePasses() { PassRegistration<TilesPass>(); }
} // namespace nova
