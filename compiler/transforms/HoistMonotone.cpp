#include "compiler/transforms/HoistMonotone.h"
#include "compiler/transforms/Lowering.h"
#include <cmath>

using namespace mlir;

namespace nova {
// Positive and finite for all sizes: a number, the square root of such or its cast to a float, a size that a clause
// keeps above 0.
static bool isPositive(Value v, const Facts &facts) {
  Operation *op = v.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    if (!value.isSplat() || !isa<FloatType>(value.getElementType()))
      return false;
    double real = value.getSplatValue<APFloat>().convertToDouble();
    // Within the normal numbers of f32, so that a cast changes neither property.
    return real >= 0x1p-126 && real <= 0x1p127;
  }
  if (auto dim = dyn_cast_or_null<DimValueOp>(op))
    return facts.atLeast(dim.getDim(), 1);
  // An integer would cut 0.5 to 0 and might wrap; f16 has fewer exponents.
  Type element = cast<TensorType>(v.getType()).getElementType();
  return isa_and_nonnull<CastOp, SqrtOp>(op) && (element.isF32() || element.isF64()) &&
         isPositive(op->getOperand(0), facts);
}

void hoistMonotone(GraphOp core) {
  Facts facts = factsOf(core);
  OpBuilder b(core.getContext());
  for (Operation &op : llvm::make_early_inc_range(core.getBlock())) {
    if (!isa<ReduceMaxOp, ReduceMinOp>(op))
      continue;
    auto divide = op.getOperand(0).getDefiningOp<DivideOp>();
    if (!divide || !isa<FloatType>(cast<TensorType>(divide.getLhs().getType()).getElementType()) ||
        cast<TensorType>(divide.getRhs().getType()).getRank() != 0 ||
        divide.getLhs().getType() != divide.getResult().getType() || !isPositive(divide.getRhs(), facts))
      continue;
    op.setOperand(0, divide.getLhs());
    b.setInsertionPointAfter(&op);
    auto after = b.create<DivideOp>(op.getLoc(), op.getResult(0).getType(), op.getResult(0), divide.getRhs());
    op.getResult(0).replaceAllUsesExcept(after.getResult(), after);
  }
  eraseDead(core);
}
} // namespace nova
