#include "compiler/conversion/TilesToVector/Storage.h"
#include "dialects/graph/NovaTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nova::codegen {

// The f32 next to an f64, on the side where the last bit is 1 unless it is exact. It has 16 and 13 bits more than bf16
// and f16, subnormals included, so rounding it again gives what rounding the f64 once does.
static Value toOddSingle(Emit &e, Value x) {
  int64_t lanes = lanesOf(x.getType());
  Type single = e.b.getF32Type(), bits = shaped(e.b.getI32Type(), lanes);
  Value near = e.cast<arith::TruncFOp>(shaped(single, lanes), x), wide = e.cast<arith::ExtFOp>(x.getType(), near);
  Value image = e.toBits(near), one = e.integer(bits, 1), zero = e.integer(bits, 0);
  Value away = e.compare(FloatPredicate::OGT, e.op<math::AbsFOp>(wide), e.op<math::AbsFOp>(x));
  Value step = e.select(away, e.integer(bits, -1), one);
  Value even = e.compare(IntPredicate::eq, e.op<arith::AndIOp>(image, one), zero);
  Value moves = e.op<arith::AndIOp>(e.compare(FloatPredicate::ONE, wide, x), even);
  return e.fromBits(e.op<arith::AddIOp>(image, e.select(moves, step, zero)), single);
}

// An f32 as the f32 that is the nearest number of `target`, of two the even one.
static Value roundSingle(Emit &e, Value x, Type target) {
  int64_t lanes = lanesOf(x.getType());
  if (target.isF16())
    return e.cast<arith::ExtFOp>(x.getType(), e.cast<arith::TruncFOp>(shaped(target, lanes), x));
  // Half a last place less one, and one more where the last place is odd; a carry goes on into the exponent.
  Type bits = shaped(e.b.getI32Type(), lanes);
  Value image = e.toBits(x), sixteen = e.integer(bits, 16);
  Value odd = e.op<arith::AndIOp>(e.op<arith::ShRUIOp>(image, sixteen), e.integer(bits, 1));
  Value sum = e.op<arith::AddIOp>(image, e.op<arith::AddIOp>(odd, e.integer(bits, 0x7FFF)));
  Value rounded = e.fromBits(e.op<arith::AndIOp>(sum, e.integer(bits, -0x10000)), e.b.getF32Type());
  return e.select(e.compare(FloatPredicate::UNO, x, x), x, rounded);
}

// reference::stickyDouble: an f64 that rounds as the integer does.
static Value stickyDouble(Emit &e, Value x) {
  Type type = x.getType();
  constexpr int64_t exact = int64_t(1) << 53, lost = 0x3FF;
  Value some = e.compare(IntPredicate::ne, e.op<arith::AndIOp>(x, e.integer(type, lost)), e.integer(type, 0));
  Value sticky = e.op<arith::OrIOp>(e.op<arith::AndIOp>(x, e.integer(type, ~lost)),
                                    e.select(some, e.integer(type, lost + 1), e.integer(type, 0)));
  Value large = e.op<arith::OrIOp>(e.compare(IntPredicate::sgt, x, e.integer(type, exact)),
                                   e.compare(IntPredicate::slt, x, e.integer(type, -exact)));
  return castTo(e, e.select(large, sticky, x), e.b.getF64Type());
}

Value castElement(Emit &e, Value x, Type target) {
  if (!isStorage(target))
    return castTo(e, x, target);
  Type from = elementOf(x.getType()), i32 = e.b.getI32Type();
  if (isa<FloatType>(target)) {
    if (from.isInteger(64))
      x = stickyDouble(e, x);
    else if (from.isInteger()) // of 32 bits at most
      x = castTo(e, x, from.isInteger(1) ? e.b.getF32Type() : e.b.getF64Type());
    return roundSingle(e, elementOf(x.getType()).isF64() ? toOddSingle(e, x) : x, target);
  }
  unsigned bits = target.getIntOrFloatBitWidth();
  if (isa<FloatType>(from))
    return toInteger(e, x, i32, bits);
  Value whole = castTo(e, x, i32), unused = e.integer(whole.getType(), 32 - bits);
  return e.op<arith::ShRSIOp>(e.op<arith::ShLIOp>(whole, unused), unused);
}

} // namespace nova::codegen
