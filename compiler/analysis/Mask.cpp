#include "compiler/analysis/Mask.h"
#include "compiler/analysis/ReshapeGroups.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::IntegerRelation;
using presburger::PresburgerSet;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

PresburgerSet embed(const PresburgerSet &set, ArrayRef<int> axes, unsigned rank) {
  unsigned own = axes.size();
  auto space = presburger::PresburgerSpace::getSetSpace(rank, set.getNumSymbolVars());
  PresburgerSet result = PresburgerSet::getEmpty(space);
  for (const IntegerRelation &disjunct : set.getAllDisjuncts()) {
    IntegerPolyhedron moved(space);
    moved.appendVar(presburger::VarKind::Local, disjunct.getNumLocalVars());
    auto row = [&](ArrayRef<llvm::DynamicAPInt> from) {
      SmallVector<llvm::DynamicAPInt> to(rank + from.size() - own, llvm::DynamicAPInt(0));
      for (unsigned k = 0; k < own; k++)
        if (axes[k] >= 0)
          to[axes[k]] = from[k];
      llvm::copy(from.drop_front(own), to.begin() + rank);
      return to;
    };
    for (unsigned i = 0; i < disjunct.getNumEqualities(); i++)
      moved.addEquality(row(disjunct.getEquality(i)));
    for (unsigned i = 0; i < disjunct.getNumInequalities(); i++)
      moved.addInequality(row(disjunct.getInequality(i)));
    result.unionInPlace(moved);
  }
  return result;
}

SmallVector<int> broadcastAxes(unsigned from, unsigned to) {
  SmallVector<int> axes;
  for (unsigned k = 0; k < from; k++)
    axes.push_back(int(to - from + k));
  return axes;
}

static bool mentionsAxis(const PresburgerSet &set, unsigned axis) {
  auto mentions = [&](const IntegerRelation &r) {
    for (unsigned i = 0; i < r.getNumEqualities(); i++)
      if (r.atEq(i, axis) != 0)
        return true;
    for (unsigned i = 0; i < r.getNumInequalities(); i++)
      if (r.atIneq(i, axis) != 0)
        return true;
    return false;
  };
  return llvm::any_of(set.getAllDisjuncts(), mentions);
}

// Long chains of masks are cut here: a set that is too large to handle becomes everything, which is always allowed.
static constexpr unsigned maxDisjuncts = 32, maxConstraints = 48;

static bool isLarge(const PresburgerSet &set) {
  return set.getNumDisjuncts() > maxDisjuncts || llvm::any_of(set.getAllDisjuncts(), [](const IntegerRelation &r) {
           return r.getNumConstraints() > maxConstraints;
         });
}

static PresburgerSet intersection(const PresburgerSet &a, const PresburgerSet &b) {
  if (a.isObviouslyUniverse())
    return b;
  if (b.isObviouslyUniverse())
    return a;
  PresburgerSet result = PresburgerSet::getEmpty(a.getSpace());
  for (const IntegerRelation &x : a.getAllDisjuncts())
    for (const IntegerRelation &y : b.getAllDisjuncts()) {
      IntegerPolyhedron both(x.intersect(y));
      both.removeTrivialRedundancy();
      if (!both.isEmpty())
        result.unionInPlace(both);
    }
  return result;
}

static PresburgerSet unite(const PresburgerSet &a, const PresburgerSet &b) {
  if (a.isObviouslyUniverse() || b.isObviouslyUniverse())
    return PresburgerSet::getUniverse(a.getSpace());
  PresburgerSet result = a;
  for (const IntegerRelation &x : b.getAllDisjuncts())
    if (llvm::none_of(a.getAllDisjuncts(), [&](const IntegerRelation &y) { return x.isObviouslyEqual(y); }))
      result.unionInPlace(x);
  return result;
}

static Mask limited(Mask mask) {
  for (PresburgerSet *set : {&mask.mayHold, &mask.mayFail})
    if (isLarge(*set)) {
      *set = PresburgerSet::getUniverse(set->getSpace());
      mask.exact = false;
    }
  return mask;
}

static Mask negation(Mask m) { return {m.mayFail, m.mayHold, m.exact}; }
static Mask conjunction(const Mask &a, const Mask &b) {
  return limited({intersection(a.mayHold, b.mayHold), unite(a.mayFail, b.mayFail), a.exact && b.exact});
}
static Mask disjunction(const Mask &a, const Mask &b) { return negation(conjunction(negation(a), negation(b))); }

MaskAnalysis::MaskAnalysis(GraphOp core) : columns(core), forms(core, columns) {
  for (Operation &op : core.getBlock()) {
    if (op.getNumResults() != 1 || !typeOf(op.getResult(0)).getElementType().isInteger(1) ||
        !columns.allows(typeOf(op.getResult(0)).getRank()))
      continue;
    Mask mask = derive(&op);
    if (mask.exact || !mask.mayHold.isObviouslyUniverse() || !mask.mayFail.isObviouslyUniverse())
      masks.try_emplace(op.getResult(0), std::move(mask));
  }
}

Mask MaskAnalysis::data(unsigned rank) const {
  PresburgerSet all = PresburgerSet::getUniverse(columns.space(rank));
  return {all, all, false};
}

Mask MaskAnalysis::get(Value value) const {
  auto it = masks.find(value);
  return it == masks.end() ? data(typeOf(value).getRank()) : it->second;
}

// An operand of an elementwise op, over the axes of the result.
Mask MaskAnalysis::operand(Operation *op, unsigned index) const {
  Mask mask = get(op->getOperand(index));
  unsigned from = typeOf(op->getOperand(index)).getRank(), to = typeOf(op->getResult(0)).getRank();
  SmallVector<int> axes = broadcastAxes(from, to);
  return {embed(mask.mayHold, axes, to), embed(mask.mayFail, axes, to), mask.exact};
}

Mask MaskAnalysis::derive(Operation *op) const {
  unsigned rank = typeOf(op->getResult(0)).getRank();
  if (isComparison(op))
    return compare(op);
  return llvm::TypeSwitch<Operation *, Mask>(op)
      .Case([&](NotOp) { return negation(operand(op, 0)); })
      .Case([&](AndOp) { return conjunction(operand(op, 0), operand(op, 1)); })
      .Case([&](OrOp) { return disjunction(operand(op, 0), operand(op, 1)); })
      .Case([&](WhereOp) {
        Mask condition = operand(op, 0);
        Mask onTrue = operand(op, 1), onFalse = operand(op, 2);
        return disjunction(conjunction(condition, onTrue), conjunction(negation(condition), onFalse));
      })
      .Case([&](TransposeOp transpose) {
        // Axis a of the result is axis permutation[a] of the operand.
        SmallVector<int> axes(rank);
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          axes[from] = int(to);
        Mask mask = get(transpose.getOperand());
        return Mask{embed(mask.mayHold, axes, rank), embed(mask.mayFail, axes, rank), mask.exact};
      })
      .Case([&](BroadcastOp) { return operand(op, 0); })
      .Case([&](ReshapeOp reshape) {
        // A set that says nothing of the axes that are merged or split goes over.
        Mask mask = get(reshape.getOperand());
        SmallVector<int> axes = axesAfterReshape(typeOf(reshape.getOperand()).getDims(),
                                                 typeOf(reshape.getResult()).getDims(), columns.getFacts());
        for (const PresburgerSet *set : {&mask.mayHold, &mask.mayFail})
          for (auto [k, axis] : llvm::enumerate(axes))
            if (axis < 0 && mentionsAxis(*set, k))
              return data(rank);
        return Mask{embed(mask.mayHold, axes, rank), embed(mask.mayFail, axes, rank), mask.exact};
      })
      .Case([&](ConstantOp constant) {
        auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!value || !value.getElementType().isInteger(1) || value.getNumElements() == 0 || !value.isSplat())
          return data(rank);
        Mask never{PresburgerSet::getEmpty(columns.space(rank)), PresburgerSet::getUniverse(columns.space(rank)), true};
        return value.getSplatValue<bool>() ? negation(never) : never;
      })
      .Default([&](Operation *) { return data(rank); });
}

Mask MaskAnalysis::compare(Operation *op) const {
  unsigned rank = typeOf(op->getResult(0)).getRank();
  std::optional<AffineForm> a = forms.get(op->getOperand(0), rank), b = forms.get(op->getOperand(1), rank);
  if (!a || !b)
    return data(rank);
  // The half space of sign * (a - b) + constant >= 0. Coefficients are small by AffineForms::fits, so nothing
  // overflows.
  auto half = [&](int64_t sign, int64_t constant) {
    IntegerPolyhedron set(columns.space(rank));
    SmallVector<int64_t> left = addQuotients(set, *a), right = addQuotients(set, *b);
    left.insert(left.end() - 1, right.size() - left.size(), 0);
    SmallVector<int64_t> row;
    for (auto [x, y] : llvm::zip_equal(left, right))
      row.push_back(sign * (x - y));
    row.back() += constant;
    set.addInequality(row);
    return PresburgerSet(set);
  };
  Mask greater{half(1, -1), half(-1, 0), true}, less{half(-1, -1), half(1, 0), true};
  return llvm::TypeSwitch<Operation *, Mask>(op)
      .Case([&](GreaterOp) { return greater; })
      .Case([&](LessOp) { return less; })
      .Case([&](GreaterEqualOp) { return negation(less); })
      .Case([&](LessEqualOp) { return negation(greater); })
      .Case([&](NotEqualOp) { return disjunction(less, greater); })
      .Default([&](Operation *) { return negation(disjunction(less, greater)); });
}

} // namespace nova
