#include "dialects/graph/Shapes.h"
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
using Result = FailureOr<TensorType>;

std::string InferContext::name(unsigned i) const {
  return i < names.size() && !names[i].empty() ? names[i] : "operand " + std::to_string(i + 1);
}

void addCounterexample(InFlightDiagnostic &diagnostic, const Facts &facts, DimAttr a, DimAttr b) {
  if (std::optional<Bindings> sizes = facts.counterexample(a, b))
    diagnostic << ", which differ at " << toString(*sizes);
}

std::string InferContext::typed(unsigned i) const { return name(i) + ": " + toString(Type(operands[i])); }

FailureOr<unsigned> InferContext::axis() const {
  auto attr = get<IntegerAttr>("axis");
  int64_t axis = attr ? attr.getInt() : -1, rank = operands[0].getRank();
  if (axis < 0 || axis >= rank)
    return error(-1) << "axis " << axis << " is outside the " << rank << " axes of " << typed(0);
  return unsigned(axis);
}

LogicalResult InferContext::prove(DimAttr dim, int64_t bound, function_ref<void(InFlightDiagnostic &)> begin) const {
  if (facts.atLeast(dim, bound))
    return success();
  InFlightDiagnostic diagnostic = error(-1);
  begin(diagnostic);
  if (std::optional<Bindings> sizes = facts.counterexample(dim, bound))
    return diagnostic << ", which is not so at " << toString(*sizes);
  return diagnostic << ", which is not known; a where clause can promise it";
}

FailureOr<SmallVector<DimAttr>> broadcastDims(const InferContext &c, ArrayRef<unsigned> operands) {
  size_t rank = 0;
  for (unsigned i : operands)
    rank = std::max<size_t>(rank, c.operands[i].getRank());
  DimAttr one = constantDim(c.context, 1);
  SmallVector<DimAttr> dims(rank, one);
  SmallVector<unsigned> from(rank, 0);
  for (unsigned i : operands) {
    ArrayRef<DimAttr> own = c.operands[i].getDims();
    for (size_t k = 0; k < own.size(); k++) {
      size_t axis = rank - own.size() + k;
      if (c.facts.equal(own[k], one))
        continue;
      if (c.facts.equal(dims[axis], one)) {
        dims[axis] = own[k];
        from[axis] = i;
        continue;
      }
      if (c.facts.equal(dims[axis], own[k]))
        continue;
      auto diagnostic = c.error(i);
      diagnostic << "cannot broadcast: axis " << axis << " is " << toString(dims[axis]) << " (from "
                 << c.typed(from[axis]) << ") and " << toString(own[k]) << " (from " << c.typed(i) << ")";
      addCounterexample(diagnostic, c.facts, dims[axis], own[k]);
      return failure();
    }
  }
  return dims;
}

FailureOr<Type> commonElement(const InferContext &c, ArrayRef<unsigned> operands) {
  unsigned best = operands[0];
  auto strength = [&](unsigned i) {
    Type e = c.operands[i].getElementType();
    return isa<WeakIntType>(e) ? 0 : isa<WeakFloatType>(e) ? 1 : 2;
  };
  for (unsigned i : operands)
    if (strength(i) > strength(best))
      best = i;
  Type element = c.operands[best].getElementType();
  for (unsigned i : operands) {
    Type own = c.operands[i].getElementType();
    bool weakFloatMeetsInt = isa<WeakFloatType>(own) && element.isInteger();
    bool weakMeetsBool = strength(i) < 2 && element.isInteger(1);
    if (own == element || (strength(i) < strength(best) && !weakFloatMeetsInt && !weakMeetsBool))
      continue;
    return c.error(i) << "element types differ: " << c.typed(best) << " and " << c.typed(i);
  }
  return element;
}

static bool isFloatLike(Type e) { return isa<FloatType, ParamType, WeakFloatType>(e); }

static bool isBool(Type e) { return e.isInteger(1); }

// What only keeps values is cast before it is computed with.
static LogicalResult refuseStorage(const InferContext &c, unsigned i) {
  Type element = c.operands[i].getElementType();
  if (!isStorage(element))
    return success();
  return c.error(i) << c.operation << " does not compute with " << elementText(element) << ", found " << c.typed(i)
                    << "; cast it first: cast " << c.name(i) << " : " << (element.isInteger() ? "i32" : "f32");
}

LogicalResult expectNumber(const InferContext &c, unsigned i) {
  if (isBool(c.operands[i].getElementType()))
    return c.error(i) << "expected numbers, found " << c.typed(i);
  return refuseStorage(c, i);
}
static LogicalResult expectBool(const InferContext &c, unsigned i) {
  if (!isBool(c.operands[i].getElementType()))
    return c.error(i) << "expected element type i1, found " << c.typed(i);
  return success();
}

static Result elementwise(const InferContext &c, ArrayRef<unsigned> operands, Type element) {
  FailureOr<SmallVector<DimAttr>> dims = broadcastDims(c, operands);
  if (failed(dims))
    return failure();
  return TensorType::get(c.context, element, *dims);
}

static Result arithmetic(const InferContext &c, bool quotient) {
  FailureOr<Type> element = commonElement(c, {0, 1});
  if (failed(element) || failed(expectNumber(c, 0)) || failed(expectNumber(c, 1)))
    return failure();
  if (quotient && isa<WeakIntType>(*element))
    element = Type(WeakFloatType::get(c.context));
  return elementwise(c, {0, 1}, *element);
}
Result inferArithmetic(const InferContext &c) { return arithmetic(c, false); }
Result inferQuotient(const InferContext &c) { return arithmetic(c, true); }

Result inferPower(const InferContext &c) {
  FailureOr<Type> element = commonElement(c, {0, 1});
  if (failed(element))
    return failure();
  for (unsigned i : {0u, 1u})
    if (failed(refuseStorage(c, i)))
      return failure();
    else if (Type own = c.operands[i].getElementType(); !isFloatLike(own) && !isa<WeakIntType>(own))
      return c.error(i) << "expected element type f64 or f32, found " << c.typed(i);
  return elementwise(c, {0, 1}, isa<WeakIntType>(*element) ? Type(WeakFloatType::get(c.context)) : *element);
}

Result inferComparison(const InferContext &c) {
  if (failed(commonElement(c, {0, 1})) || failed(refuseStorage(c, 0)) || failed(refuseStorage(c, 1)))
    return failure();
  return elementwise(c, {0, 1}, IntegerType::get(c.context, 1));
}

Result inferLogical(const InferContext &c) {
  if (failed(expectBool(c, 0)) || failed(expectBool(c, 1)))
    return failure();
  return elementwise(c, {0, 1}, IntegerType::get(c.context, 1));
}

Result inferNumber(const InferContext &c) {
  if (failed(expectNumber(c, 0)))
    return failure();
  return c.operands[0];
}

Result inferFloat(const InferContext &c) {
  Type element = c.operands[0].getElementType();
  if (isa<WeakIntType>(element))
    return c.operands[0].withElementType(WeakFloatType::get(c.context));
  if (failed(refuseStorage(c, 0)))
    return failure();
  if (!isFloatLike(element))
    return c.error(0) << "expected element type f64 or f32, found " << c.typed(0);
  return c.operands[0];
}

Result inferFlag(const InferContext &c) {
  if (failed(expectBool(c, 0)))
    return failure();
  return c.operands[0];
}

Result WhereOp::infer(const InferContext &c) {
  FailureOr<Type> element = commonElement(c, {1, 2});
  if (failed(element) || failed(expectBool(c, 0)))
    return failure();
  return elementwise(c, {0, 1, 2}, *element);
}

Result ConstantOp::infer(const InferContext &c) {
  auto value = c.get<DenseElementsAttr>("value");
  if (!value)
    return c.error(-1) << "expected a literal";
  Type element = value.getElementType();
  if (auto declared = c.get<TypeAttr>("declared"))
    element = declared.getValue();
  else if (element.isInteger(64))
    element = WeakIntType::get(c.context);
  else if (isa<FloatType>(element))
    element = WeakFloatType::get(c.context);
  SmallVector<DimAttr> dims;
  for (int64_t size : value.getType().getShape())
    dims.push_back(constantDim(c.context, size));
  return TensorType::get(c.context, element, dims);
}

Result SizeOp::infer(const InferContext &c) {
  if (failed(c.axis()))
    return failure();
  return TensorType::get(c.context, WeakIntType::get(c.context), {});
}

Result DimValueOp::infer(const InferContext &c) {
  return TensorType::get(c.context, IntegerType::get(c.context, 64), {});
}

Result IotaOp::infer(const InferContext &c) {
  SmallVector<DimAttr> dims;
  for (Attribute dim : c.get<ArrayAttr>("dims"))
    dims.push_back(cast<DimAttr>(dim));
  int64_t axis = c.get<IntegerAttr>("axis").getInt();
  if (axis < 0 || axis >= int64_t(dims.size()))
    return c.error(-1) << "axis " << axis << " is outside the " << dims.size() << " axes of " << toString(dims);
  for (DimAttr dim : dims)
    if (!c.facts.atLeast(dim, 0))
      return c.error(-1) << "size " << toString(dim) << " is not known to be 0 or more";
  return TensorType::get(c.context, IntegerType::get(c.context, 64), dims);
}

Result CastOp::infer(const InferContext &c) {
  Type to = c.get<TypeAttr>("to").getValue();
  if (isBool(to))
    return c.error(-1) << "cannot cast " << c.typed(0) << " to i1; compare it: not_equal %x, 0";
  return c.operands[0].withElementType(to);
}

// A mask must broadcast to the value it hides entries of, without widening it.
static LogicalResult checkHidden(const InferContext &c, unsigned value, unsigned mask) {
  if (failed(expectBool(c, mask)))
    return failure();
  FailureOr<SmallVector<DimAttr>> dims = broadcastDims(c, {value, mask});
  if (failed(dims))
    return failure();
  ArrayRef<DimAttr> own = c.operands[value].getDims();
  auto equal = [&](DimAttr have, DimAttr joint) { return c.facts.equal(have, joint); };
  if (!std::equal(own.begin(), own.end(), dims->begin(), dims->end(), equal))
    return c.error(mask) << "mask " << c.typed(mask) << " is larger than " << c.typed(value);
  return success();
}

Result inferReduction(const InferContext &c) {
  FailureOr<unsigned> axis = c.axis();
  if (failed(axis) || failed(expectNumber(c, 0)))
    return failure();
  if (c.operands.size() > 1 && failed(checkHidden(c, 0, 1)))
    return failure();
  SmallVector<DimAttr> dims(c.operands[0].getDims());
  if (c.attributes.get("drop"))
    dims.erase(dims.begin() + *axis);
  else
    dims[*axis] = constantDim(c.context, 1);
  return c.operands[0].withDims(dims);
}

Result inferArgmax(const InferContext &c) {
  Result reduced = inferReduction(c);
  if (failed(reduced))
    return failure();
  return reduced->withElementType(IntegerType::get(c.context, 64));
}

Result CumulativeSumOp::infer(const InferContext &c) {
  if (failed(c.axis()) || failed(expectNumber(c, 0)))
    return failure();
  if (c.operands.size() > 1 && failed(checkHidden(c, 0, 1)))
    return failure();
  return c.operands[0];
}

// The axes before the last two of both operands, broadcast.
static FailureOr<SmallVector<DimAttr>> batchDims(const InferContext &c) {
  SmallVector<TensorType> leading;
  for (TensorType operand : c.operands.take_front(2))
    leading.push_back(operand.withDims(operand.getDims().drop_back(2)));
  InferContext batch{c.context, leading, c.names, c.attributes, c.facts, c.error, c.operation};
  return broadcastDims(batch, {0, 1});
}

Result MatmulOp::infer(const InferContext &c) {
  for (unsigned i : {0u, 1u})
    if (c.operands[i].getRank() < 2)
      return c.error(i) << "expected matrices (2 axes or more), found " << c.typed(i);
  FailureOr<Type> element = commonElement(c, {0, 1});
  if (failed(element) || failed(expectNumber(c, 0)) || failed(expectNumber(c, 1)))
    return failure();
  int64_t leftAxis = c.operands[0].getRank() - 1, rightAxis = c.operands[1].getRank() - 2;
  DimAttr left = c.operands[0].getDims()[leftAxis], right = c.operands[1].getDims()[rightAxis];
  if (!c.facts.equal(left, right)) {
    auto diagnostic = c.error(-1);
    diagnostic << "cannot contract: axis " << leftAxis << " of " << c.typed(0) << " is " << toString(left)
               << " and axis " << rightAxis << " of " << c.typed(1) << " is " << toString(right);
    addCounterexample(diagnostic, c.facts, left, right);
    return failure();
  }
  // Masks follow the two factors, left first.
  if (auto segments = c.get<DenseI32ArrayAttr>("operandSegmentSizes")) {
    unsigned next = 2;
    for (unsigned side : {0u, 1u})
      if (segments[2 + side] && failed(checkHidden(c, side, next++)))
        return failure();
  }
  FailureOr<SmallVector<DimAttr>> dims = batchDims(c);
  if (failed(dims))
    return failure();
  dims->push_back(c.operands[0].getDims()[leftAxis - 1]);
  dims->push_back(c.operands[1].getDims()[rightAxis + 1]);
  return TensorType::get(c.context, *element, *dims);
}

Facts factsOf(GraphOp graph) {
  SmallVector<ClauseAttr> clauses;
  for (Attribute clause : graph.getClauses())
    clauses.push_back(cast<ClauseAttr>(clause));
  return Facts(clauses);
}

FailureOr<TensorType> inferOp(Operation *op, const Facts &facts) {
  SmallVector<TensorType> types;
  SmallVector<std::string> names;
  for (Value operand : op->getOperands()) {
    types.push_back(cast<TensorType>(operand.getType()));
    names.push_back(valueName(operand));
  }
  NamedAttrList attributes(op->getAttrDictionary());
  auto error = [&](int) { return op->emitError(); };
  InferContext context{op->getContext(), types, names, attributes, facts, error, op->getName().stripDialect()};
  return cast<ValueOp>(op).infer(context);
}

Value createInferred(OpBuilder &builder, OperationState &state, const Facts &facts) {
  SmallVector<TensorType> types;
  SmallVector<std::string> names;
  for (Value operand : state.operands) {
    types.push_back(cast<TensorType>(operand.getType()));
    names.push_back(valueName(operand));
  }
  auto error = [&](int) { return emitError(state.location); };
  InferContext context{builder.getContext(), types, names, state.attributes, facts, error, state.name.stripDialect()};
  auto *interface = state.name.getRegisteredInfo()->getInterface<ValueOp>();
  FailureOr<TensorType> type = interface->infer(context);
  if (failed(type))
    return {};
  state.addTypes(Type(*type));
  return builder.create(state)->getResult(0);
}
} // namespace nova
