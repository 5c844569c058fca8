#include "compiler/transforms/derive/Versions.h"
#include "compiler/analysis/FallibleOps.h"

using namespace mlir;

namespace nova {
static ArrayRef<DimAttr> dimsOf(Value value) { return cast<TensorType>(value.getType()).getDims(); }

NeededVersions::NeededVersions(GraphOp core, const Dependence &dependence, const Facts &facts)
    : core(core), dependence(dependence), facts(facts) {
  constexpr int64_t mostAxes = 64; // the bits of a version
  auto hasRoom = [](Value value) { return dimsOf(value).size() <= mostAxes; };
  for (Value argument : core.getBlock().getArguments())
    if (!hasRoom(argument))
      fail(argument.getLoc(), valueName(argument) + " has more than " + Twine(mostAxes) + " axes");
  for (Operation &op : core.getBlock())
    for (Value result : op.getResults())
      if (!hasRoom(result))
        fail(op.getLoc(), valueName(result) + " has more than " + Twine(mostAxes) + " axes");
  if (failed())
    return;
  for (BlockArgument argument : core.getBlock().getArguments())
    if (sequenceAxes(argument))
      fromRows.insert(argument);
  for (Operation &op : core.getBlock())
    if (isa<ScanOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) { return fromRows.contains(v); }))
      fromRows.insert(op.result_begin(), op.result_end());

  findWhole();
  for (Value value : core.getReturn().getValues())
    need(value, 0);
  for (Operation &op : llvm::reverse(core.getBlock()))
    visit(&op);
  for (BlockArgument argument : core.getBlock().getArguments())
    settle(argument);
  // Values were met from the end.
  for (BlockArgument argument : core.getBlock().getArguments())
    if (isState(argument))
      states.push_back(argument);
  for (Operation &op : core.getBlock())
    llvm::copy_if(op.getResults(), std::back_inserter(states), [&](Value v) { return isState(v); });
}

void NeededVersions::fail(Location loc, const Twine &message) {
  if (failed())
    return;
  reason = message.str();
  reasonLoc = loc;
}

ArrayRef<Version> NeededVersions::of(Value value) const {
  auto it = versions.find(value);
  return it == versions.end() ? ArrayRef<Version>() : ArrayRef<Version>(it->second);
}

unsigned NeededVersions::stateAxis(Value state) const { return llvm::countr_zero(sequenceAxes(state)); }

Version NeededVersions::sequenceAxes(Value value) const {
  Version axes = 0;
  for (auto [k, dim] : llvm::enumerate(dimsOf(value)))
    if (carriesSequence(dim, dependence.sequence, facts))
      axes |= Version(1) << k;
  return axes;
}

Version NeededVersions::operandVersion(Operation *op, const AxisMaps &maps, unsigned index, Version version) const {
  // Rows of a reduced loop, and of an axis that is no loop, are all read.
  SmallVector<bool> all(maps.loops.size(), true);
  for (auto [k, loop] : llvm::enumerate(maps.result))
    if (loop >= 0)
      all[loop] = version >> k & 1;
  Version result = 0;
  for (auto [k, loop] : llvm::enumerate(maps.operands[index]))
    if (loop < 0 || all[loop])
      result |= Version(1) << k;
  return result & sequenceAxes(op->getOperand(index));
}

// What hides a term and what guards a divisor is looked at wherever it is computed, also at entries that no row of a
// result reads: masks of positions must be right there too.
void NeededVersions::findWhole() {
  DenseSet<Value> masks;
  for (Operation &op : llvm::reverse(core.getBlock())) {
    if (std::optional<AxisMaps> maps = axisMapsOf(&op, facts); maps && maps->firstHidden < op.getNumOperands())
      masks.insert(op.operand_begin() + maps->firstHidden, op.operand_end());
    if (std::optional<Fallible> place = mayFail(&op, facts))
      if (guardOf(&op, place->operand, facts).mask) {
        Operation *guard = op.getOperand(place->operand).getDefiningOp();
        whole.insert(guard);
        masks.insert(guard->getOperand(0));
      }
    if (op.getNumResults() == 1 && masks.contains(op.getResult(0)) &&
        isa<AndOp, OrOp, NotOp, WhereOp, TransposeOp, ReshapeOp, BroadcastOp, SliceOp, ConcatOp, GatherOp>(op)) {
      whole.insert(&op);
      masks.insert(op.operand_begin(), op.operand_end());
    }
  }
}

Value NeededVersions::operandOf(Operation *op, unsigned index) const {
  Value operand = op->getOperand(index);
  if (!isa<WhereOp>(op) || index == 0 || dependence.values.lookup(operand).demanded || whole.contains(op))
    return operand;
  // The other branch serves when it, with the condition, gives the result its shape.
  Value condition = op->getOperand(0), other = op->getOperand(3 - index);
  ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
  for (size_t back = 1; back <= dims.size(); back++) {
    DimAttr want = dims[dims.size() - back];
    bool found = false;
    for (Value value : {condition, other}) {
      ArrayRef<DimAttr> have = dimsOf(value);
      found |= back <= have.size() && facts.equal(have[have.size() - back], want);
    }
    if (!found)
      return operand;
  }
  return other;
}

void NeededVersions::need(Value value, Version version) {
  SmallVector<Version, 2> &known = versions[value];
  if (!llvm::is_contained(known, version))
    known.push_back(version);
}

// The same numbers in more bits: what is kept is kept in the fewer.
static bool isWidened(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  if (!cast)
    return false;
  Type from = mlir::cast<TensorType>(cast.getOperand().getType()).getElementType(),
       to = cast.getType().getElementType();
  return isStorage(from) && !isStorage(to) && (from.isInteger() || isa<FloatType>(to));
}

// Cuts the state: all rows of a value that rows of arguments enter come from what was kept of it.
void NeededVersions::settle(Value value) {
  Version axes = sequenceAxes(value);
  auto it = versions.find(value);
  if (it == versions.end() || axes == 0 || !fromRows.contains(value) || !llvm::is_contained(it->second, axes))
    return;
  if (isa_and_nonnull<TransposeOp, BroadcastOp>(value.getDefiningOp()) || isWidened(value.getDefiningOp()))
    return;
  if (llvm::popcount(axes) > 1)
    return fail(value.getLoc(),
                "all pairs of rows of " + valueName(value) + " are read, of which every new row adds more than one");
  llvm::erase(it->second, axes);
  stateSet.insert(value);
  need(value, 0);
}

// Its runs get new rows and give new rows; what they read across rows is kept for each run.
void NeededVersions::visitScan(ScanOp scan) {
  for (Value result : scan.getResults()) {
    settle(result);
    if (llvm::any_of(of(result), [](Version version) { return version != 0; }))
      return fail(scan.getLoc(), "all pairs of rows of " + valueName(result) + " are read, which a scan hands on");
  }
  for (Value operand : scan.getOperands())
    need(operand, 0);
  auto inner = dependence.bodies.find(scan);
  if (inner == dependence.bodies.end())
    return fail(scan.getLoc(),
                "no row of a result reads " + valueName(scan.getResult(0)) + ", yet others have their shape from it");
  auto body = std::make_unique<NeededVersions>(scan.getBody(), *inner->second, facts);
  if (body->failed())
    return fail(body->getReasonLoc(), body->getReason());
  bodies[scan] = std::move(body);
}

void NeededVersions::visit(Operation *op) {
  if (llvm::none_of(op->getResults(), [&](Value v) { return versions.contains(v); }))
    return;
  if (auto scan = dyn_cast<ScanOp>(op))
    return visitScan(scan);
  Value result = op->getResult(0);
  settle(result);
  std::optional<AxisMaps> maps = axisMapsOf(op, facts);
  if (!maps || op->getNumResults() != 1)
    return fail(op->getLoc(), "operation " + op->getName().stripDialect() + " has no known dependence of rows");
  for (Version version : SmallVector<Version>(of(result)))
    for (unsigned i = 0; i < op->getNumOperands(); i++) {
      // A branch that stands in for the other one is read like itself.
      Value operand = operandOf(op, i);
      unsigned index = operand == op->getOperand(i) ? i : 3 - i;
      need(operand, operandVersion(op, *maps, index, version));
    }
}
} // namespace nova
