#include "compiler/conversion/GraphToTiles/Values.h"
#include "compiler/analysis/FallibleOps.h"

using namespace mlir;

namespace nova {
tile::ReduceKind kindOf(ReductionOp op) {
  return isa<ReduceSumOp>(op)   ? tile::ReduceKind::sum
         : isa<ReduceMaxOp>(op) ? tile::ReduceKind::max
         : isa<ReduceMinOp>(op) ? tile::ReduceKind::min
                                : tile::ReduceKind::argmax;
}

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (!constant)
    return false;
  auto value = cast<DenseElementsAttr>(constant.getValue());
  return value.getNumElements() > 0 && value.isSplat();
}

Value Values::home(Value v) const {
  while (role(v) == Role::View)
    v = v.getDefiningOp()->getOperand(0);
  return v;
}

// A concat of a state and its new rows, rather than one of the language.
static bool growsState(ConcatOp concat, unsigned numArguments) {
  auto state = dyn_cast<BlockArgument>(concat.getOperand(0));
  return state && state.getArgNumber() >= numArguments;
}

bool Values::isAligned(Value operand, DimAttr rows) const {
  TensorType type = tensorOf(operand);
  return type.getRank() == 2 && equal(type.getDims()[0], rows);
}

Values::Values(GraphOp graph, unsigned numArguments, unsigned numResults)
    : facts(factsOf(graph)), one(constantDim(graph.getContext(), 1)) {
  for (BlockArgument arg : graph.getBlock().getArguments())
    roles[arg] = Role::Argument;
  for (Operation &op : graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    bool freeOperands = llvm::all_of(op.getOperands(), [&](Value x) { return isFree(x); });
    // What may fail is computed at its own entries, neither more nor fewer.
    bool computedAnywhere = isElementwise(&op) && freeOperands && !mayFail(&op, facts);
    Role role = Role::Map;
    if (isa<DimValueOp, IotaOp>(op) || isSplatConstant(&op) || computedAnywhere)
      role = Role::Free;
    else if (isa<ConstantOp>(op))
      role = Role::Data;
    else if (auto concat = dyn_cast<ConcatOp>(op))
      role = growsState(concat, numArguments) ? Role::State : Role::Join;
    else if (isa<ReshapeOp>(op))
      role = Role::View;
    else if (isa<CumulativeSumOp, ArgmaxOp>(op))
      role = Role::Reduce;
    else if (isa<GatherOp>(op))
      role = Role::Gather;
    else if (isElementwise(&op) && tensorOf(v).getRank() == 2)
      role = Role::Row;
    else if (isa<MatmulOp>(op))
      role = Role::Row;
    else if (auto reduction = dyn_cast<ReductionOp>(op))
      role = tensorOf(reduction.getOperand()).getRank() == 2 && reduction.getAxis() == 1 && !reduction.getDrop()
                 ? Role::Row
                 : Role::Reduce;
    else if (isa<TransposeOp>(op)) {
      bool onlyPacked = !v.use_empty() && llvm::all_of(v.getUses(), [&](OpOperand &use) {
        return isa<MatmulOp>(use.getOwner()) && use.getOperandNumber() == 1;
      });
      role = onlyPacked ? Role::Absorbed : Role::Map;
    }
    roles[v] = role;
  }
}
} // namespace nova
