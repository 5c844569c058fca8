#include "compiler/conversion/TilesToVector/Reduction.h"
#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace nova::codegen {

Value Reduction::neutral(Emit &e, int64_t lanes) const {
  Type type = shaped(element, lanes);
  bool max = kind == tile::ReduceKind::max;
  if (isFloat())
    return e.real(type, isSum() ? 0.0
                        : max   ? -std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::infinity());
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt value = isSum() ? APInt(bits, 0) : max ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
  return e.integer(type, value.getSExtValue());
}

Value Reduction::combine(Emit &e, Value x, Value y) const {
  if (isSum())
    return isFloat() ? e.op<arith::AddFOp>(x, y) : e.op<arith::AddIOp>(x, y);
  bool max = kind == tile::ReduceKind::max;
  if (!isFloat())
    return max ? e.op<arith::MaxSIOp>(x, y) : e.op<arith::MinSIOp>(x, y);
  if (plain)
    return e.pick(max ? FloatPredicate::OGT : FloatPredicate::OLT, x, y);
  return max ? e.op<arith::MaximumFOp>(x, y) : e.op<arith::MinimumFOp>(x, y);
}

Value Reduction::fold(Emit &e, Value lanes) const {
  int64_t count = lanesOf(lanes.getType());
  for (; count > 2; count /= 2)
    lanes = combine(e, e.part(lanes, 0, count / 2), e.part(lanes, count / 2, count / 2));
  return combine(e, e.lane(lanes, 0), e.lane(lanes, 1));
}

Value Reduction::finish(Emit &e, Value scalar) const { return canonicalized(e, scalar); }

Value noNaNSeen(Emit &e, Type element, int64_t lanes) {
  return e.integer(shaped(e.b.getIntegerType(element.getIntOrFloatBitWidth()), lanes), 0);
}

Value noteNaN(Emit &e, Value state, Value x) {
  int64_t native = lanesOf(state.getType()), count = lanesOf(x.getType());
  for (int64_t i = 0; i < count; i += 2 * native) {
    // One comparison finds a NaN in either of two vectors.
    Value first = e.part(x, i, native), second = i + native < count ? e.part(x, i + native, native) : first;
    Value unordered = e.compare(FloatPredicate::UNO, first, second);
    state = e.op<arith::OrIOp>(state, e.cast<arith::ExtSIOp>(state.getType(), unordered));
  }
  return state;
}

Value sawNaN(Emit &e, Value state) {
  Value any = e.b.create<vector::ReductionOp>(e.loc, vector::CombiningKind::OR, state);
  return e.compare(IntPredicate::ne, any, e.integer(any.getType(), 0));
}

Value canonicalNaN(Emit &e, Type type) {
  return e.realBits(type, elementOf(type).isF32() ? reference::ExpConstants<float>::canonicalNaN
                                                  : reference::ExpConstants<double>::canonicalNaN);
}

} // namespace nova::codegen
