#include "compiler/transforms/Passes.h"
#include "compiler/transforms/CoreForm.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nova {
namespace {
struct CorePass : PassWrapper<CorePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CorePass)
  CorePass() = default;
  CorePass(const CorePass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "nova-core"; }
  StringRef getDescription() const final { return "replace the last graph by its core form"; }
  Option<std::string> type{*this, "type", llvm::cl::desc("element type of every type parameter (f32 or f64)")};
  ListOption<std::string> probes{*this, "probe", llvm::cl::desc("values that become extra results")};

  void runOnOperation() override {
    GraphOp last;
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      last = graph;
    if (!last)
      return;
    TypeBindings types;
    if (!type.empty())
      for (Attribute a : last.getTypeParams())
        types[cast<TypeParamAttr>(a).getName().getValue()] =
            type == "f32" ? Type(Float32Type::get(&getContext())) : Type(Float64Type::get(&getContext()));
    SmallVector<std::string> names(probes.begin(), probes.end());
    OwningOpRef<ModuleOp> core = buildCoreForm(last, types, names);
    if (!core)
      return signalPassFailure();
    for (GraphOp graph : llvm::make_early_inc_range(getOperation().getOps<GraphOp>()))
      graph.erase();
    Block *own = getOperation().getBody();
    own->getOperations().splice(own->end(), core->getBody()->getOperations());
  }
};
} // namespace

void registerTransformPasses() { PassRegistration<CorePass>(); }
} // namespace nova
