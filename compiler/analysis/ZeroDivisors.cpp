#include "compiler/analysis/ZeroDivisors.h"

using namespace mlir;

namespace nova {
static bool isConstantWithoutZeros(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !isa<IntegerType>(elements.getElementType()))
    return false;
  if (elements.isSplat()) // also of a long list: one entry
    return !elements.getSplatValue<APInt>().isZero();
  return llvm::none_of(elements.getValues<APInt>(), [](const APInt &entry) { return entry.isZero(); });
}

bool mayDivideByZero(Operation *op, const Facts &facts) {
  auto divide = dyn_cast_or_null<DivideOp>(op);
  if (!divide || !cast<TensorType>(divide.getResult().getType()).getElementType().isInteger())
    return false;
  if (auto size = divide.getRhs().getDefiningOp<DimValueOp>())
    return !facts.atLeast(size.getDim(), 1);
  return !isConstantWithoutZeros(divide.getRhs());
}

DivisorGuard guardOf(Value divisor) {
  if (auto where = divisor.getDefiningOp<WhereOp>()) {
    if (isConstantWithoutZeros(where.getOnFalse()))
      return {where.getCondition(), true, where.getOnTrue()};
    if (isConstantWithoutZeros(where.getOnTrue()))
      return {where.getCondition(), false, where.getOnFalse()};
  }
  return {Value(), true, divisor};
}
} // namespace nova
