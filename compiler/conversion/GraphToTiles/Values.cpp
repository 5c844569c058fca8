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

// A state that neither grows by rows nor is that of the graph of a scan.
bool Values::isCarriedState(BlockArgument argument, unsigned numArguments) const {
  return argument.getArgNumber() >= numArguments && llvm::none_of(argument.getUses(), [&](OpOperand &use) {
           auto scan = dyn_cast<ScanOp>(use.getOwner());
           auto concat = dyn_cast<ConcatOp>(use.getOwner());
           return (concat && growsState(concat, numArguments)) ||
                  (scan && use.getOperandNumber() >= scan->getNumOperands() - scan.getStates().size());
         });
}

std::vector<DimAttr> Values::batchOf(Value v) const {
  std::vector<DimAttr> batch;
  for (DimAttr dim : tensorOf(v).getDims().drop_back(2))
    batch.push_back(facts.normalize(dim));
  return batch;
}

bool Values::isAligned(Value operand, Value v) const {
  return tensorOf(operand).getRank() == tensorOf(v).getRank() && rowsOf(operand) == rowsOf(v) &&
         batchOf(operand) == batchOf(v);
}

bool isWorthBatching(TensorType type) {
  constexpr int64_t smallest = 64;
  ArrayRef<DimAttr> dims = type.getDims();
  std::optional<int64_t> rows = constantValue(dims[dims.size() - 2]), columns = constantValue(dims.back());
  return dims.size() == 2 || !rows || !columns || *rows >= smallest || *rows * *columns >= smallest;
}

// A position along an axis of the batch: kernels see one matrix of it, so it is read from memory.
bool Values::isBatchPosition(Operation *op) const {
  auto iota = dyn_cast<IotaOp>(op);
  return iota && int64_t(iota.getAxis()) + 2 < tensorOf(iota.getResult()).getRank() &&
         !isOne(tensorOf(iota.getResult()).getDims()[iota.getAxis()]);
}

// Every matrix transposed.
static bool swapsLastAxes(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  for (int64_t axis = 0; axis + 2 < rank; axis++)
    if (permutation[axis] != axis)
      return false;
  return rank >= 2 && permutation[rank - 1] == rank - 2;
}

// A cast that loading an element does anyway.
static bool isWidening(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  Type from = tensorOf(cast.getOperand()).getElementType(), to = cast.getType().getElementType();
  return ((from.isBF16() || from.isF16()) && to.isF32()) || (from.isInteger(8) && to.isInteger(32));
}

static bool isPackedFactor(OpOperand &use) { return isa<MatmulOp>(use.getOwner()) && use.getOperandNumber() == 1; }

// A transpose or a widening, or one after the other, before contractions that read their second factor packed.
static bool isAbsorbed(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (transpose ? !swapsLastAxes(transpose) : !isWidening(op))
    return false;
  return !op->use_empty() && llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto next = dyn_cast<TransposeOp>(use.getOwner());
    bool goesOn = transpose ? isWidening(use.getOwner()) : next && swapsLastAxes(next);
    return isPackedFactor(use) ||
           (goesOn && !use.getOwner()->use_empty() && llvm::all_of(use.getOwner()->getUses(), isPackedFactor));
  });
}

Role Values::initialRole(Operation &op, unsigned numArguments) const {
  Value v = op.getResult(0);
  TensorType type = tensorOf(v);
  bool freeOperands = llvm::all_of(op.getOperands(), [&](Value x) { return isFree(x); });
  // What may fail is computed at its own entries, neither more nor fewer.
  bool computedAnywhere = isElementwise(&op) && freeOperands && !mayFail(&op, facts);
  if (isBatchPosition(&op))
    return Role::Map;
  if (isa<DimValueOp, IotaOp>(op) || isSplatConstant(&op) || computedAnywhere)
    return Role::Free;
  if (isa<ConstantOp>(op))
    return Role::Data;
  if (auto concat = dyn_cast<ConcatOp>(op))
    return growsState(concat, numArguments) ? Role::State : Role::Join;
  if (isa<ReshapeOp>(op))
    return Role::View;
  if (isa<CumulativeSumOp, ArgmaxOp>(op))
    return Role::Reduce;
  if (isa<GatherOp>(op))
    return Role::Gather;
  if (isAbsorbed(&op))
    return Role::Absorbed;
  if (isa<MatmulOp>(op) || (isElementwise(&op) && type.getRank() == 2))
    return Role::Row;
  if (auto reduction = dyn_cast<ReductionOp>(op)) {
    TensorType reduced = tensorOf(reduction.getOperand());
    bool alongRows = reduced.getRank() >= 2 && int64_t(reduction.getAxis()) + 1 == reduced.getRank();
    return alongRows && !reduction.getDrop() && isWorthBatching(reduced) ? Role::Row : Role::Reduce;
  }
  return Role::Map;
}

// How far apart matrices of packed 4-bit rows lie is no polynomial of their sizes.
static bool touchesNibbles(Operation &op) {
  auto isNibble = [](Value v) { return tensorOf(v).getElementType().isInteger(4); };
  return llvm::any_of(op.getOperands(), isNibble) || llvm::any_of(op.getResults(), isNibble);
}

// Elementwise work on batches fuses with the contractions and reductions that it feeds or follows; alone it is a loop
// nest.
void Values::findRowsOfBatches(GraphOp graph) {
  auto isOpen = [&](Operation &op) {
    Value v = op.getNumResults() == 1 ? op.getResult(0) : Value();
    return v && roles.lookup(v) == Role::Map && isElementwise(&op) && isBatched(v) && isWorthBatching(tensorOf(v)) &&
           !touchesNibbles(op);
  };
  auto block = graph.getBlock().without_terminator();
  for (Operation &op : block)
    if (isOpen(op) && llvm::any_of(op.getOperands(), [&](Value x) {
          return roles.lookup(x) == Role::Row && isAligned(x, op.getResult(0));
        }))
      roles[op.getResult(0)] = Role::Row;
  for (Operation &op : llvm::reverse(block))
    if (isOpen(op) && llvm::any_of(op.getResult(0).getUsers(), [&](Operation *user) {
          Value v = op.getResult(0);
          bool reads =
              user->getNumResults() == 1 && roles.lookup(user->getResult(0)) == Role::Row && user->getOperand(0) == v;
          return reads && isAligned(v, user->getResult(0));
        }))
      roles[op.getResult(0)] = Role::Row;
}

Values::Values(GraphOp graph, unsigned numArguments) : facts(factsOf(graph)), one(constantDim(graph.getContext(), 1)) {
  for (BlockArgument arg : graph.getBlock().getArguments())
    roles[arg] = isCarriedState(arg, numArguments) ? Role::Carried : Role::Argument;
  for (Operation &op : graph.getBlock().without_terminator())
    for (Value result : op.getResults())
      roles[result] = isa<ScanOp>(op) ? Role::Scan : initialRole(op, numArguments);
  findRowsOfBatches(graph);
}
} // namespace nova
