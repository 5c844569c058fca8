#include "compiler/analysis/DependenceAnalysis.h"
#include "compiler/analysis/ReshapeGroups.h"

using namespace mlir;

namespace nova {
bool carriesSequence(DimAttr dim, StringAttr sequence, const Facts &facts) {
  return sequence && asSymbol(facts.normalize(dim)) == sequence;
}

static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

std::string nameOrKind(Value value) {
  std::string name = valueName(value);
  if (!name.empty())
    return name;
  Operation *op = value.getDefiningOp();
  return op ? "an unnamed " + op->getName().stripDialect().str() : "an unnamed argument";
}

// Whether rows after i are among the demanded ones.
static bool readsFuture(const ValueDependence &value) {
  return value.demanded && llvm::any_of(value.axes, [](const auto &d) { return d && !d->isCausal(); });
}

// The first reason stands; later ones often follow from it.
void DependenceAnalysis::refuse(Location loc, const Twine &reason) {
  if (!out.refusal.empty())
    return;
  out.refusal = reason.str();
  out.refusalLoc = loc;
}

Value DependenceAnalysis::readResult(Operation *op) const {
  auto isRead = [&](Value result) { return out.values.lookup(result).demanded; };
  return *llvm::find_if(op->getResults(), isRead);
}

SmallVector<Value> DependenceAnalysis::wayFrom(Value value) const {
  SmallVector<Value> way{value};
  while (Operation *op = out.values.lookup(way.back()).through)
    way.push_back(readResult(op));
  return way;
}

// Reports what `leaf` reads, with the way from there to a result. The future enters at the first value on that way of
// which only rows up to i are demanded.
void DependenceAnalysis::refuseFuture(Value leaf, const Twine &reason) {
  if (!out.refusal.empty())
    return;
  SmallVector<Value> way = wayFrom(leaf);
  Value entry = leaf;
  if (readsFuture(out.values[leaf]))
    if (Value *last = llvm::find_if(way, [&](Value value) { return !readsFuture(out.values[value]); });
        last != way.end())
      entry = *last;
  bool hasRows = llvm::any_of(out.values[way.back()].axes, [](const auto &d) { return d.has_value(); });
  std::string text =
      (hasRows ? "row i of " + nameOrKind(way.back()) : nameOrKind(way.back()) + ", which has no rows,") + " " +
      reason.str();
  if (entry != leaf)
    text += "; the future enters at " + nameOrKind(entry);
  refuse(entry.getLoc(), text);
  out.way = way;
  // A long chain of small steps says little: its ends do.
  constexpr size_t shown = 8;
  for (size_t i = 0; i < way.size(); i++) {
    if (way.size() > 2 * shown && i == shown) {
      out.path.push_back("(" + std::to_string(way.size() - 2 * shown) + " more)");
      i = way.size() - shown;
    }
    out.path.push_back(nameOrKind(way[i]));
  }
}

bool DependenceAnalysis::chooseSequence(StringAttr along) {
  if (!along) {
    TensorType first = core.getResultType(0);
    along = first.getRank() ? asSymbol(first.getDims()[0]) : StringAttr();
    if (!along) {
      refuse(core.getReturn().getOperand(0).getLoc(), "the first result is " + toString(first.getDims()) +
                                                          ": its leading axis is no symbol that could be the sequence");
      return false;
    }
  }
  sequenceDim = facts.normalize(symbolDim(core.getContext(), along.getValue()));
  out.sequence = asSymbol(sequenceDim);
  if (!out.sequence) {
    refuse(core.getLoc(), "a clause fixes the sequence " + along.getValue() + " to " + toString(sequenceDim));
    return false;
  }
  for (unsigned i = 0; i < core.getNumGraphArguments(); i++)
    for (DimAttr dim : core.getArgumentType(i).getDims())
      if (mentionsSequence(dim))
        return true;
  out.sequence = {};
  refuse(core.getLoc(), "no argument has an axis of size " + along.getValue());
  return false;
}

// Rows are taken and given one by one, so each argument and result may carry the sequence on one axis, alone.
void DependenceAnalysis::checkSignature() {
  auto check = [&](Value value, ArrayRef<DimAttr> dims, const char *kind) {
    unsigned count = 0;
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      count += isSequence(dim);
      if (!isSequence(dim) && mentionsSequence(dim))
        refuse(value.getLoc(), Twine("axis ") + Twine(axis) + " of " + kind + " " + nameOrKind(value) + " is " +
                                   toString(dim) + ", not the sequence " + out.sequence.getValue() + " itself");
    }
    if (count > 1)
      refuse(value.getLoc(), Twine(kind) + " " + nameOrKind(value) + " is " + toString(dims) + ": " + Twine(count) +
                                 " of its axes are the sequence " + out.sequence.getValue() + ", only one can grow");
  };
  for (BlockArgument argument : core.getBlock().getArguments()) {
    check(argument, typeOf(argument).getDims(), "argument");
    if (core.isParam(argument.getArgNumber()) &&
        llvm::any_of(typeOf(argument).getDims(), [&](DimAttr d) { return isSequence(d); }))
      refuse(argument.getLoc(), "argument " + nameOrKind(argument) +
                                    " is a param, which is bound once, and its rows are the sequence " +
                                    out.sequence.getValue());
  }
  for (auto [i, value] : llvm::enumerate(core.getReturn().getValues()))
    check(value, core.getResultType(i).getDims(), "result");
}

void DependenceAnalysis::demandRoots() {
  for (Value value : core.getReturn().getValues()) {
    Box box;
    bool placed = false;
    for (DimAttr dim : typeOf(value).getDims()) {
      box.push_back(std::nullopt);
      if (isSequence(dim)) {
        box.back() = placed ? AxisDemand{} : AxisDemand{0, 0};
        placed = true;
      }
    }
    demand(value, box, nullptr);
  }
  demandKept();
}

// Those of the graphs of scans are demanded there.
void DependenceAnalysis::demandKept() {
  for (const KeptRows &rows : kept)
    if (Value value = rows.value; value.getParentBlock() == &core.getBlock())
      demand(value, rows.axes, nullptr);
}

// The demand on an operand's axes, given that on the loops. An axis of the sequence that is no loop is read as a whole.
Box DependenceAnalysis::boxFor(Value value, ArrayRef<int> loops, const Box &box) const {
  Box result;
  for (auto [dim, loop] : llvm::zip_equal(typeOf(value).getDims(), loops))
    result.push_back(!isSequence(dim) ? std::nullopt : loop >= 0 ? box[loop] : std::optional<AxisDemand>(AxisDemand{}));
  return result;
}

static bool isLater(const Box &a, const Box &b) {
  auto latest = [](const Box &box) {
    int64_t last = INT64_MIN;
    for (const auto &d : box)
      if (d)
        last = std::max(last, d->hi.value_or(INT64_MAX));
    return last;
  };
  return latest(a) > latest(b);
}

void DependenceAnalysis::demand(Value value, const Box &box, Operation *through) {
  for (auto [axis, dim] : llvm::enumerate(typeOf(value).getDims()))
    if (!isSequence(dim) && mentionsSequence(dim)) {
      if (Operation *op = value.getDefiningOp())
        checkLayout(op); // which may say more
      refuse(value.getLoc(), Twine("axis ") + Twine(axis) + " of " + nameOrKind(value) + " is " + toString(dim) +
                                 ", not the sequence " + out.sequence.getValue() + " itself");
    }
  ValueDependence &known = out.values[value];
  if (!known.demanded) {
    known = {true, box, through};
    return;
  }
  // Of equal ones the earliest operation is kept: users come in reverse order.
  if (!isLater(known.axes, box))
    known.through = through;
  for (auto [have, more] : llvm::zip_equal(known.axes, box))
    if (have)
      have = hull(*have, *more);
}

// What cuts down the loops: masks of hidden entries, and for branch 1 or 2 of a `where` its condition. Regions point
// into `storage`.
SmallVector<LoopRegion> DependenceAnalysis::regionsOf(Operation *op, const AxisMaps &maps,
                                                      std::optional<unsigned> branch,
                                                      std::vector<Mask> &storage) const {
  SmallVector<LoopRegion> regions;
  storage.reserve(op->getNumOperands() + 1);
  for (unsigned i = maps.firstHidden; i < op->getNumOperands(); i++) {
    storage.push_back(masks.get(op->getOperand(i)));
    regions.push_back({&storage.back().mayFail, maps.operands[i]});
  }
  if (maps.prefix) {
    presburger::IntegerPolyhedron upTo(masks.getColumns().space(2));
    SmallVector<int64_t> row(upTo.getNumCols(), 0);
    row[0] = 1, row[1] = -1;
    upTo.addInequality(row);
    presburger::PresburgerSet set(upTo);
    storage.push_back({set, set, true});
    regions.push_back({&storage.back().mayHold, {maps.prefix->first, maps.prefix->second}});
  }
  if (branch) {
    storage.push_back(masks.get(op->getOperand(0)));
    regions.push_back({*branch == 1 ? &storage.back().mayHold : &storage.back().mayFail, maps.operands[0]});
  }
  return regions;
}

void DependenceAnalysis::visitLoops(Operation *op, const AxisMaps &maps, const ValueDependence &result) {
  Box box(maps.loops.size());
  for (auto [k, dim] : llvm::enumerate(maps.loops))
    if (isSequence(dim) && maps.isReduced(k))
      box[k] = AxisDemand{};
  for (auto [axis, loop] : llvm::enumerate(maps.result))
    if (loop >= 0)
      box[loop] = result.axes[axis];

  bool selects = isa<WhereOp>(op);
  auto visitOperand = [&](unsigned index, const Box &part) {
    demand(op->getOperand(index), boxFor(op->getOperand(index), maps.operands[index], part), op);
  };
  if (!selects) {
    std::vector<Mask> storage;
    std::optional<Box> part =
        restrictTo(masks.getColumns(), sequenceDim, maps.loops, box, regionsOf(op, maps, {}, storage));
    for (unsigned i = 0; part && i < op->getNumOperands(); i++)
      visitOperand(i, *part);
    return;
  }
  visitOperand(0, box);
  for (unsigned branch : {1u, 2u}) {
    std::vector<Mask> storage;
    if (auto part = restrictTo(masks.getColumns(), sequenceDim, maps.loops, box, regionsOf(op, maps, branch, storage)))
      visitOperand(branch, *part);
  }
}

// Values that are made, not computed: how many rows there are must not show in them.
void DependenceAnalysis::checkLeaf(Value leaf) {
  const ValueDependence value = out.values.lookup(leaf);
  if (!value.demanded)
    return;
  Operation *op = leaf.getDefiningOp();
  std::string n = out.sequence.str();
  if (auto size = dyn_cast_or_null<DimValueOp>(op)) {
    if (mentionsSequence(size.getDim()))
      refuseFuture(leaf,
                   "reads the number of rows " + n + " as " + nameOrKind(leaf) + ", so it depends on rows after i");
    return;
  }
  if (auto iota = dyn_cast_or_null<IotaOp>(op); iota && iota.getFromAttr() && mentionsSequence(iota.getFromAttr()))
    return refuseFuture(leaf, "reads the number of rows " + n + " through " + nameOrKind(leaf) + ", which begins at " +
                                  toString(iota.getFromAttr()));
  checkRows(leaf);
}

void DependenceAnalysis::checkRows(Value value) {
  const ValueDependence known = out.values.lookup(value);
  bool isMade = value.getDefiningOp() && value.getDefiningOp()->getNumOperands() == 0;
  for (const std::optional<AxisDemand> &axis : known.axes)
    if (axis && !axis->isCausal()) {
      std::string rows = rowsText(axis->hi ? AxisDemand{axis->hi, axis->hi} : *axis);
      return refuseFuture(value, "reads " + rows + " of " + nameOrKind(value) +
                                     (isMade ? ", so it depends on the number of rows " + out.sequence.str() : ""));
    }
}

// Rows stay rows: each at its own position of an axis of its own.
void DependenceAnalysis::checkLayout(Operation *op) {
  Value result = op->getResult(0);
  auto dims = [](Value value) { return typeOf(value).getDims(); };
  auto refuseFor = [&](const Twine &what) {
    refuse(op->getLoc(), nameOrKind(result) + " " + what.str() + " the sequence " + out.sequence.str());
  };
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    if (mentionsSequence(dims(result)[concat.getAxis()]))
      refuseFor("joins or pads rows of");
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    if (mentionsSequence(dims(slice.getOperand())[slice.getAxis()]))
      refuseFor("takes a part of the rows of");
    else if (mentionsSequence(slice.getFrom()))
      refuseFor("begins where it does by the number of rows of");
  } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    ArrayRef<DimAttr> from = dims(reshape.getOperand()), to = dims(result);
    for (const ReshapeGroup &group : reshapeGroups(from, to, facts)) {
      auto inFrom = [&](unsigned axis) { return mentionsSequence(from[axis]); };
      auto inTo = [&](unsigned axis) { return mentionsSequence(to[axis]); };
      if (!group.isAxis() && (llvm::any_of(group.from, inFrom) || llvm::any_of(group.to, inTo)))
        refuseFor("merges or splits rows of");
    }
  }
}

void DependenceAnalysis::visit(Operation *op) {
  if (llvm::none_of(op->getResults(), [&](Value v) { return out.values.lookup(v).demanded; }))
    return;
  if (auto scan = dyn_cast<ScanOp>(op))
    return visitScan(scan);
  std::optional<AxisMaps> maps = axisMapsOf(op, facts);
  if (!maps || op->getNumResults() != 1) {
    refuse(op->getLoc(), "operation " + op->getName().stripDialect() + " has no known dependence of rows");
    return;
  }
  checkLayout(op);
  // A copy: demand() may grow the map that holds it.
  ValueDependence result = out.values.lookup(op->getResult(0));
  visitLoops(op, *maps, result);
}

void DependenceAnalysis::run(StringAttr along) {
  out.arguments.assign(core.getNumGraphArguments(), DependenceClass::Full);
  if (!chooseSequence(along))
    return;
  checkSignature();
  demandRoots();
  visitAll();
  for (auto [argument, c] : llvm::zip_equal(core.getBlock().getArguments(), out.arguments)) {
    c = DependenceClass::Independent;
    const ValueDependence value = out.values.lookup(argument);
    for (const std::optional<AxisDemand> &axis : value.axes)
      if (value.demanded && axis)
        c = std::max(c, classOf(*axis));
    // Rows under another name, such as n + 1, which the refusal says: not none.
    if (value.demanded && llvm::any_of(typeOf(argument).getDims(),
                                       [&](DimAttr dim) { return mentionsSequence(dim) && !isSequence(dim); }))
      c = DependenceClass::Full;
    checkLeaf(argument);
  }
  checkLeaves();
}

void DependenceAnalysis::run(StringAttr sequence, ArrayRef<std::optional<Box>> results) {
  out = Dependence();
  out.sequence = sequence;
  sequenceDim = facts.normalize(symbolDim(core.getContext(), sequence.getValue()));
  for (auto [value, box] : llvm::zip_equal(core.getReturn().getValues(), results))
    if (box)
      demand(value, *box, nullptr);
  demandKept();
  visitAll();
  checkLeaves();
}

void DependenceAnalysis::visitAll() {
  for (Operation &op : llvm::reverse(core.getBlock()))
    visit(&op);
}

void DependenceAnalysis::checkLeaves() {
  for (Operation &op : core.getBlock())
    if (op.getNumOperands() == 0 && op.getNumResults() == 1)
      checkLeaf(op.getResult(0));
  for (const KeptRows &rows : kept)
    if (Value value = rows.value; value.getParentBlock() == &core.getBlock())
      checkRows(value);
}

Dependence analyseDependence(GraphOp core, StringAttr sequence, ArrayRef<KeptRows> kept) {
  Dependence result;
  DependenceAnalysis(core, kept, result).run(sequence);
  return result;
}
} // namespace nova
