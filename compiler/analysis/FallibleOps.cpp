#include "compiler/analysis/FallibleOps.h"

using namespace mlir;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

static bool allEntries(Value value, function_ref<bool(const APInt &)> good) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !isa<IntegerType>(elements.getElementType()))
    return false;
  if (elements.isSplat()) // also of a long list: one entry
    return good(elements.getSplatValue<APInt>());
  return llvm::all_of(elements.getValues<APInt>(), good);
}

// Whether every entry of `value` is one that the operation does not fail at: as far as its definition shows.
static bool isHarmless(Operation *op, Value value, const Facts &facts) {
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather) {
    if (auto size = value.getDefiningOp<DimValueOp>())
      return facts.atLeast(size.getDim(), 1);
    return allEntries(value, [](const APInt &entry) { return !entry.isZero(); });
  }
  DimAttr dim = typeOf(gather.getOperand()).getDims()[gather.getAxis()];
  if (auto iota = value.getDefiningOp<IotaOp>(); iota && !iota.getFromAttr()) {
    DimAttr beyond = subtractDims(dim, typeOf(value).getDims()[iota.getAxis()]);
    return beyond && facts.atLeast(beyond, 0);
  }
  return allEntries(value, [&](const APInt &entry) {
    return entry.sge(0) && entry.slt(INT64_MAX) && facts.atLeast(dim, entry.getSExtValue() + 1);
  });
}

std::optional<Fallible> mayFail(Operation *op, const Facts &facts) {
  std::optional<Fallible> place;
  if (isa_and_nonnull<DivideOp>(op) && typeOf(op->getResult(0)).getElementType().isInteger())
    place = Fallible{1, 1};
  else if (isa_and_nonnull<GatherOp>(op))
    place = Fallible{1, 0};
  return place && !isHarmless(op, op->getOperand(place->operand), facts) ? place : std::nullopt;
}

bool mayFailInSomeVersion(Operation *op) {
  if (!isa<DivideOp>(op))
    return isa<GatherOp>(op);
  Type element = typeOf(op->getResult(0)).getElementType();
  auto param = dyn_cast<ParamType>(element);
  return element.isInteger() ||
         (param && llvm::any_of(op->getParentOfType<GraphOp>().getTypeParams(), [&](Attribute each) {
            auto own = cast<TypeParamAttr>(each);
            return own.getName() == param.getName() && own.getKind().getValue() == "int";
          }));
}

OperandGuard guardOf(Operation *op, unsigned index, const Facts &facts) {
  Value operand = op->getOperand(index);
  if (auto where = operand.getDefiningOp<WhereOp>()) {
    if (isHarmless(op, where.getOnFalse(), facts))
      return {where.getCondition(), true, where.getOnTrue()};
    if (isHarmless(op, where.getOnTrue(), facts))
      return {where.getCondition(), false, where.getOnFalse()};
  }
  return {Value(), true, operand};
}
} // namespace nova
