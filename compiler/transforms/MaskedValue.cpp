#include "compiler/transforms/MaskedValue.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace nova {
static TensorType tensorType(Value v) { return llvm::cast<TensorType>(v.getType()); }
static Type elementOf(Value v) { return tensorType(v).getElementType(); }

Location unnamed(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  return named ? named.getChildLoc() : loc;
}

Value CoreBuilder::create(Location loc, StringRef op, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, op);
  state.addOperands(operands);
  state.addAttributes(attributes);
  DictionaryAttr dictionary = state.attributes.getDictionary(b.getContext());
  size_t key = llvm::hash_combine(op, dictionary.getAsOpaquePointer());
  for (Value operand : operands)
    key = llvm::hash_combine(key, operand.getAsOpaquePointer());
  auto [first, last] = known.equal_range(key);
  for (auto it = first; it != last; ++it)
    if (it->second->getName().getStringRef() == op && it->second->getOperands() == operands &&
        it->second->getAttrDictionary() == dictionary)
      return it->second->getResult(0);
  Value result = createInferred(b, state, facts);
  if (result)
    known.emplace(key, result.getDefiningOp());
  return result;
}

Value CoreBuilder::constant(Location loc, const Scalar &value) {
  Attribute attr;
  auto scalar = [&](Type type) { return RankedTensorType::get({}, type); };
  if (value.isFloat())
    attr = DenseElementsAttr::get(scalar(b.getF64Type()), ArrayRef<double>(value.real));
  else if (value.type.isInteger(1))
    attr = DenseElementsAttr::get(scalar(b.getI1Type()), ArrayRef<bool>(value.integer != 0));
  else
    attr = DenseElementsAttr::get(scalar(b.getI64Type()), ArrayRef<int64_t>(value.integer));
  return create(unnamed(loc), "nova.constant", {},
                {b.getNamedAttr("value", attr), b.getNamedAttr("declared", TypeAttr::get(value.type))});
}

Value CoreBuilder::cast(Location loc, Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  return create(unnamed(loc), "nova.cast", value, b.getNamedAttr("to", TypeAttr::get(element)));
}

Value CoreBuilder::logical(Location loc, StringRef op, Value x, Value y) {
  return x == y ? x : create(unnamed(loc), op, {x, y});
}

Value CoreBuilder::invert(Location loc, Value mask) {
  if (auto inner = mask.getDefiningOp<NotOp>())
    return inner.getOperand();
  return create(unnamed(loc), "nova.not", mask);
}

void CoreBuilder::settle(Location loc, MaskedValue &value, function_ref<bool(const Region &)> keep) {
  SmallVector<Region, 2> kept;
  Value written; // the union of the earlier regions that now live in the data
  SmallVector<Region, 2> ending;
  for (Region &region : value.regions) {
    if (!keep(region)) {
      ending.push_back(region);
      written = written ? logical(loc, "nova.or", written, region.mask) : region.mask;
      continue;
    }
    Region next = region;
    if (written && written != region.mask)
      next.mask = logical(loc, "nova.and", region.mask, invert(loc, written));
    else if (written)
      continue; // wholly under an earlier region
    kept.push_back(next);
  }
  // The earliest region wins, so it is written last.
  bool wrote = false;
  for (Region &region : llvm::reverse(ending)) {
    if ((region.inData && !wrote) || !value.data)
      continue;
    wrote = true;
    value.data = create(unnamed(loc), "nova.where", {region.mask, constant(loc, *region.fill), value.data});
    value.constant.reset();
  }
  if (!ending.empty())
    value.constant.reset();
  if (wrote) // perhaps over what the kept regions had in the data
    for (Region &region : kept)
      region.inData = false;
  value.regions = std::move(kept);
}

Value CoreBuilder::materialize(Location loc, const MaskedValue &value) {
  MaskedValue copy = value.hasDeferred() ? *value.plain : value;
  settle(loc, copy, [](const Region &) { return false; });
  return copy.data;
}

MaskedValue CoreBuilder::castMasked(Location loc, const MaskedValue &value, Type element) {
  if (elementOf(value.data) == element)
    return value;
  MaskedValue result;
  result.data = cast(loc, value.data, element);
  if (value.constant) {
    result.constant = castScalar(*value.constant, element);
    if (tensorType(value.data).getRank() == 0)
      result.data = constant(loc, *result.constant);
  }
  for (const Region &region : value.regions) {
    Region next = region;
    if (region.fill)
      next.fill = castScalar(*region.fill, element);
    result.regions.push_back(next);
  }
  if (value.plain)
    result.plain = std::make_shared<MaskedValue>(castMasked(loc, *value.plain, element));
  return result;
}

// Regions of the result of an operation on one or two operands, in order of precedence; and for each operand which of
// its regions go on (the others must be written into its data first).
namespace {
struct Transfer {
  SmallVector<Region, 2> regions;
  SmallVector<SmallVector<bool, 2>, 2> goesOn;
};
} // namespace

static Transfer transfer(StringRef op, ArrayRef<MaskedValue> v, function_ref<Value(Value, Value)> both) {
  Transfer t;
  for (const MaskedValue &value : v)
    t.goesOn.emplace_back(value.regions.size(), false);
  if (v.size() == 1) {
    for (auto [i, region] : llvm::enumerate(v[0].regions)) {
      Region next = region;
      if (region.fill && !(next.fill = foldScalar(op, {*region.fill})))
        continue;
      t.goesOn[0][i] = true;
      t.regions.push_back(next);
    }
    return t;
  }
  SmallVector<Region, 2> deferred;
  // Where both are hidden: the folded constant, unless either alone already says the same.
  for (auto [i, r] : llvm::enumerate(v[0].regions))
    for (auto [j, s] : llvm::enumerate(v[1].regions)) {
      if (!r.fill || !s.fill)
        continue;
      std::optional<Scalar> folded = foldScalar(op, {*r.fill, *s.fill});
      if (!folded)
        continue;
      std::optional<Scalar> left = absorb(op, 0, *r.fill), right = absorb(op, 1, *s.fill);
      bool implied = (!left || *left == *folded) && (!right || *right == *folded) && (left || right);
      if (!implied)
        t.regions.push_back({both(r.mask, s.mask), folded, false});
    }
  for (unsigned side : {0u, 1u}) {
    const MaskedValue &other = v[1 - side];
    for (auto [i, region] : llvm::enumerate(v[side].regions)) {
      Region next{region.mask, std::nullopt, false};
      if (!region.fill) {
        deferred.push_back(next);
        t.goesOn[side][i] = true;
        continue;
      }
      next.fill = absorb(op, side, *region.fill);
      if (!next.fill && other.constant && other.regions.empty())
        next.fill = side == 0 ? foldScalar(op, {*region.fill, *other.constant})
                              : foldScalar(op, {*other.constant, *region.fill});
      if (!next.fill)
        continue;
      t.goesOn[side][i] = true;
      t.regions.push_back(next);
    }
  }
  t.regions.append(deferred);
  return t;
}

void CoreBuilder::separate(Location loc, MaskedValue &value) {
  Value earlier;
  for (Region &region : value.regions) {
    if (!region.fill)
      continue;
    Value whole = region.mask;
    if (earlier && invert(loc, earlier) != whole)
      region.mask = logical(loc, "nova.and", whole, invert(loc, earlier));
    earlier = earlier ? logical(loc, "nova.or", earlier, whole) : whole;
  }
}

MaskedValue CoreBuilder::elementwise(Location loc, StringRef op, ArrayRef<MaskedValue> given) {
  // Which regions go on differs from one to the next, so their order cannot: overlaps are taken away first.
  SmallVector<MaskedValue, 2> operands(given);
  if (operands.size() > 1)
    for (MaskedValue &operand : operands)
      separate(loc, operand);
  bool allConstant = llvm::all_of(operands, [](const MaskedValue &v) { return v.constant && v.regions.empty(); });
  bool anyDeferred = llvm::any_of(operands, [](const MaskedValue &v) { return v.hasDeferred(); });
  Transfer t = transfer(op, operands, [&](Value x, Value y) { return logical(loc, "nova.and", x, y); });
  MaskedValue result;
  result.regions = t.regions;
  SmallVector<Value> data;
  for (size_t i = 0; i < operands.size(); i++) {
    const MaskedValue &operand = operands[i];
    MaskedValue copy = operand;
    size_t next = 0;
    // A deferred region that an ended region precedes would have to be cut; computing it is always right.
    bool endedBefore = false, cutDeferred = false;
    for (auto [k, region] : llvm::enumerate(operand.regions)) {
      endedBefore |= !t.goesOn[i][k];
      cutDeferred |= !region.fill && endedBefore;
    }
    if (cutDeferred) {
      SmallVector<MaskedValue> plain;
      for (const MaskedValue &o : operands)
        plain.push_back(o.hasDeferred() ? *o.plain : o);
      return elementwise(loc, op, plain);
    }
    settle(loc, copy, [&](const Region &) { return t.goesOn[i][next++]; });
    data.push_back(copy.data);
  }
  if (allConstant && llvm::all_of(operands, [](const MaskedValue &v) { return tensorType(v.data).getRank() == 0; })) {
    SmallVector<Scalar> scalars;
    for (const MaskedValue &v : operands)
      scalars.push_back(*v.constant);
    if (std::optional<Scalar> folded = foldScalar(op, scalars)) {
      result.constant = folded;
      result.data = constant(loc, *folded);
      return result;
    }
  }
  result.data = create(loc, op, data);
  if (anyDeferred) {
    SmallVector<MaskedValue> plain;
    for (const MaskedValue &v : operands)
      plain.push_back(v.hasDeferred() ? *v.plain : v);
    result.plain = std::make_shared<MaskedValue>(elementwise(loc, op, plain));
  }
  return result;
}

MaskedValue CoreBuilder::where(Location loc, const MaskedValue &condition, const MaskedValue &onTrue,
                               const MaskedValue &onFalse) {
  Value mask = materialize(loc, condition);
  bool trueFill = onTrue.constant && onTrue.regions.empty(), falseFill = onFalse.constant && onFalse.regions.empty();
  MaskedValue result;
  // Broadcasting may make the result larger than the branch that stays.
  auto shaped = [&](Value kept) {
    Value full = create(loc, "nova.where", {mask, onTrue.data, onFalse.data});
    return tensorType(full).getDims() == tensorType(kept).getDims() ? kept : Value();
  };
  bool isLow =
      onTrue.lowOf && onTrue.regions.empty() && onTrue.lowOf->first == onFalse.identity && onFalse.identity != 0;
  if (trueFill && falseFill) {
    result.data = create(loc, "nova.where", {mask, onTrue.data, onFalse.data});
    result.regions = {{mask, onTrue.constant, true}, {invert(loc, mask), onFalse.constant, true}};
    return result;
  }
  if (trueFill || falseFill || isLow) {
    const MaskedValue &branch = trueFill || isLow ? onFalse : onTrue;
    // A `low` inside the value that another `low` is the least entry of is a plain value there.
    const MaskedValue &inner = isLow && branch.hasDeferred() ? *branch.plain : branch;
    Value hides = trueFill || isLow ? mask : invert(loc, mask);
    Value kept = shaped(inner.data);
    result.data = kept                ? kept
                  : trueFill || isLow ? create(loc, "nova.where", {mask, onTrue.data, inner.data})
                                      : create(loc, "nova.where", {mask, inner.data, onFalse.data});
    if (isLow)
      result.regions.push_back({hides, std::nullopt, false, onTrue.lowOf->second});
    else
      result.regions.push_back({hides, trueFill ? onTrue.constant : onFalse.constant, !kept});
    bool deferredLeft = false;
    for (const Region &region : inner.regions) {
      if (region.mask == hides)
        continue; // wholly under the outer where
      deferredLeft |= !region.fill;
      result.regions.push_back(region);
      result.regions.back().lowAxis.reset(); // not below the entries that this where puts in
    }
    if (isLow || deferredLeft) {
      MaskedValue plainInner = inner.hasDeferred() ? *inner.plain : inner, plain;
      if (isLow) {
        plain.data = create(loc, "nova.where", {mask, onTrue.data, materialize(loc, plainInner)});
      } else {
        plain.data = trueFill ? create(loc, "nova.where", {mask, onTrue.data, plainInner.data})
                              : create(loc, "nova.where", {mask, plainInner.data, onFalse.data});
        plain.regions.push_back({hides, trueFill ? onTrue.constant : onFalse.constant, true});
        for (const Region &region : plainInner.regions)
          if (region.mask != hides)
            plain.regions.push_back(region);
      }
      result.plain = std::make_shared<MaskedValue>(plain);
    }
    return result;
  }
  result.data = create(loc, "nova.where", {mask, materialize(loc, onTrue), materialize(loc, onFalse)});
  return result;
}

std::pair<Value, Value> CoreBuilder::skip(Location loc, const MaskedValue &value,
                                          function_ref<bool(const Region &)> neutral) {
  bool deferredEnters = llvm::any_of(value.regions, [&](const Region &r) { return !r.fill && !neutral(r); });
  MaskedValue copy = deferredEnters ? *value.plain : value;
  settle(loc, copy, neutral);
  Value hidden;
  for (const Region &region : copy.regions)
    hidden = hidden ? logical(loc, "nova.or", hidden, region.mask) : region.mask;
  return {copy.data, hidden};
}

MaskedValue CoreBuilder::reduce(Location loc, StringRef op, const MaskedValue &value, int64_t axis, bool drop) {
  auto neutral = [&](const Region &region) {
    if (!region.fill) // a `low`: below every visible entry, so neutral for the maximum over its axis
      return op == "nova.reduce_max" && region.lowAxis == axis;
    if (op == "nova.reduce_sum")
      return region.fill->isZero();
    return region.fill->isInfinite() && (region.fill->real < 0) == (op != "nova.reduce_min");
  };
  auto [data, hidden] = skip(loc, value, neutral);
  SmallVector<NamedAttribute> attributes{b.getNamedAttr("axis", b.getI64IntegerAttr(axis))};
  if (drop)
    attributes.push_back(b.getNamedAttr("drop", b.getUnitAttr()));
  SmallVector<Value> operands{data};
  if (hidden)
    operands.push_back(hidden);
  MaskedValue result;
  result.data = create(loc, op, operands, attributes);
  if (op == "nova.reduce_min" && !drop && value.identity)
    result.lowOf = {value.identity, axis};
  return result;
}

MaskedValue CoreBuilder::cumulativeSum(Location loc, const MaskedValue &value, IntegerAttr axis) {
  auto [data, hidden] = skip(loc, value, [](const Region &region) { return region.fill && region.fill->isZero(); });
  SmallVector<Value> operands{data};
  if (hidden)
    operands.push_back(hidden);
  MaskedValue result;
  result.data = create(loc, "nova.cumulative_sum", operands, b.getNamedAttr("axis", axis));
  return result;
}

MaskedValue CoreBuilder::matmul(Location loc, const MaskedValue &lhs, const MaskedValue &rhs) {
  auto zero = [](const Region &region) { return region.fill && region.fill->isZero(); };
  auto [left, leftHidden] = skip(loc, lhs, zero);
  auto [right, rightHidden] = skip(loc, rhs, zero);
  SmallVector<Value> operands{left, right};
  for (Value hidden : {leftHidden, rightHidden})
    if (hidden)
      operands.push_back(hidden);
  MaskedValue result;
  result.data = create(
      loc, "nova.matmul", operands,
      b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1, leftHidden ? 1 : 0, rightHidden ? 1 : 0})));
  return result;
}
} // namespace nova
