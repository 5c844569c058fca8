#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "compiler/conversion/TilesToVector/Storage.h"
#include "dialects/graph/NovaDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova::codegen {

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

// 1 and the first coefficient, then the others, the low part of ln 2 and the clamp. The rest fits into registers.
template <typename T> static SmallVector<uint64_t> tabledConstants() {
  using C = reference::ExpConstants<T>;
  SmallVector<uint64_t> entries{reference::bitsOf(T(1)), reference::bitsOf(C::c[0]), reference::bitsOf(-C::ln2Low),
                                reference::bitsOf(C::clampLow), reference::bitsOf(C::clampHigh)};
  for (int i = 1; i < C::terms; ++i)
    entries.push_back(reference::bitsOf(C::c[i]));
  return entries;
}

ConstantTable::ConstantTable(Emit &e, Value memory, Type element, int64_t lanes)
    : memory(memory), element(element), width(lanes),
      entries(element.isF32() ? tabledConstants<float>() : tabledConstants<double>()) {
  for (auto [slot, bits] : llvm::enumerate(entries))
    e.store(e.realBits(shaped(element, width), bits), memory, e.idx(slot * width));
}

Value ConstantTable::find(Emit &e, uint64_t bits, int64_t lanes, bool all) const {
  const auto *entry = llvm::find(entries, bits);
  if (entry == entries.end() || lanes < width || (!all && entry - entries.begin() < 2))
    return {};
  Value x = e.load(memory, element, e.idx((entry - entries.begin()) * width), width);
  SmallVector<int64_t> repeated;
  for (int64_t i = 0; i < lanes; ++i)
    repeated.push_back(i % width);
  return lanes == width ? x : e.shuffle(x, x, repeated);
}

// Expands a sequence; `sequence` gets the builder and a number of the C++ type that stands for the element type.
template <typename Sequence> static Value expand(Emit &e, Value x, Sequence sequence) {
  Type element = elementOf(x.getType());
  SequenceBuilder builder{e, element, lanesOf(x.getType())};
  return element.isF32() ? sequence(builder, float()) : sequence(builder, double());
}

// An operation of one float that is a sequence; null for all others.
static Value expandFunction(Emit &e, StringRef name, Value x) {
  Value result;
  reference::forEachFunction([&](StringRef known, auto sequence) {
    if (name == known)
      result = expand(e, x, [&](auto &builder, auto type) { return sequence(builder, type, x); });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value canonicalized(Emit &e, Value x) {
  Type element = elementOf(x.getType());
  if (!isa<FloatType>(element))
    return x;
  uint64_t bits =
      element.isF32() ? reference::ExpConstants<float>::canonicalNaN : reference::ExpConstants<double>::canonicalNaN;
  return e.select(e.compare(FloatPredicate::UNO, x, x), e.realBits(x.getType(), bits), x);
}

// Both operands of x86's division that trap are avoided: 0 (the caller reports it) and -1 (it may overflow).
static Value divideIntegers(Emit &e, Value x, Value y) {
  Type type = x.getType();
  Value one = e.integer(type, 1), zero = e.integer(type, 0);
  Value minusOne = e.compare(IntPredicate::eq, y, e.integer(type, -1));
  Value special = e.op<arith::OrIOp>(minusOne, e.compare(IntPredicate::eq, y, zero));
  Value quotient = e.op<arith::DivSIOp>(x, e.select(special, one, y));
  return e.select(minusOne, e.op<arith::SubIOp>(zero, x), quotient);
}

Value toInteger(Emit &e, Value x, Type target, unsigned bits) {
  Type from = x.getType(), to = shaped(target, lanesOf(from));
  int64_t lowest = llvm::minIntN(bits), highest = llvm::maxIntN(bits);
  // The lowest integer is a power of two and so exact; its negation is the first value that is too large. What the
  // conversion gives outside is unspecified and not selected.
  Value low = e.real(from, static_cast<double>(lowest)), end = e.real(from, -static_cast<double>(lowest));
  Value result = e.cast<arith::FPToSIOp>(to, x);
  result = e.select(e.compare(FloatPredicate::OLT, x, low), e.integer(to, lowest), result);
  result = e.select(e.compare(FloatPredicate::OGE, x, end), e.integer(to, highest), result);
  return e.select(e.compare(FloatPredicate::UNO, x, x), e.integer(to, 0), result);
}

Value castTo(Emit &e, Value x, Type target) {
  Type from = elementOf(x.getType()), to = shaped(target, lanesOf(x.getType()));
  if (from == target)
    return x;
  if (isa<FloatType>(from) && isa<FloatType>(target))
    return target.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth() ? e.cast<arith::ExtFOp>(to, x)
                                                                         : e.cast<arith::TruncFOp>(to, x);
  if (isa<FloatType>(from))
    return toInteger(e, x, target, target.getIntOrFloatBitWidth());
  if (isa<FloatType>(target))
    return from.isInteger(1) ? e.cast<arith::UIToFPOp>(to, x) : e.cast<arith::SIToFPOp>(to, x);
  if (from.isInteger(1))
    return e.cast<arith::ExtUIOp>(to, x);
  return target.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth() ? e.cast<arith::ExtSIOp>(to, x)
                                                                       : e.cast<arith::TruncIOp>(to, x);
}

// For i1, false is 0 and true is 1: the unsigned predicates.
static Value compareAs(Emit &e, ValueRange v, FloatPredicate real, IntPredicate integer, IntPredicate boolean) {
  Type element = elementOf(v[0].getType());
  if (isa<FloatType>(element))
    return e.compare(real, v[0], v[1]);
  return e.compare(element.isInteger(1) ? boolean : integer, v[0], v[1]);
}

template <typename Float, typename Integer> static Value arithmetic(Emit &e, ValueRange v) {
  return isa<FloatType>(elementOf(v[0].getType())) ? e.op<Float>(v[0], v[1]) : e.op<Integer>(v[0], v[1]);
}

static Value magnitude(Emit &e, Value x) {
  if (isa<FloatType>(elementOf(x.getType())))
    return e.op<math::AbsFOp>(x);
  Value zero = e.integer(x.getType(), 0);
  return e.select(e.compare(IntPredicate::slt, x, zero), e.op<arith::SubIOp>(zero, x), x);
}

static Value extreme(Emit &e, ValueRange v, bool max) {
  if (isa<FloatType>(elementOf(v[0].getType())))
    return max ? e.op<arith::MaximumFOp>(v[0], v[1]) : e.op<arith::MinimumFOp>(v[0], v[1]);
  return max ? e.op<arith::MaxSIOp>(v[0], v[1]) : e.op<arith::MinSIOp>(v[0], v[1]);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Value emitElementwise(Emit &e, Operation *op, ValueRange v) {
  using FP = FloatPredicate;
  using IP = IntPredicate;
  auto trueOf = [&] { return e.integer(v[0].getType(), 1); };
  if (Value result = expandFunction(e, op->getName().stripDialect(), v[0]))
    return result;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](CastOp cast) { return castElement(e, v[0], cast.getType().getElementType()); })
      .Case([&](BroadcastOp) { return v[0]; })
      .Case([&](NegateOp) {
        return isa<FloatType>(elementOf(v[0].getType())) ? e.negate(v[0])
                                                         : e.op<arith::SubIOp>(e.integer(v[0].getType(), 0), v[0]);
      })
      .Case([&](AbsOp) { return magnitude(e, v[0]); })
      .Case([&](FloorOp) { return e.op<math::FloorOp>(v[0]); })
      .Case([&](SqrtOp) { return e.op<math::SqrtOp>(v[0]); })
      .Case([&](NotOp) { return e.op<arith::XOrIOp>(v[0], trueOf()); })
      .Case([&](AddOp) { return arithmetic<arith::AddFOp, arith::AddIOp>(e, v); })
      .Case([&](SubtractOp) { return arithmetic<arith::SubFOp, arith::SubIOp>(e, v); })
      .Case([&](MultiplyOp) { return arithmetic<arith::MulFOp, arith::MulIOp>(e, v); })
      .Case([&](DivideOp) {
        return isa<FloatType>(elementOf(v[0].getType())) ? e.op<arith::DivFOp>(v[0], v[1])
                                                         : divideIntegers(e, v[0], v[1]);
      })
      .Case([&](PowerOp) {
        return expand(e, v[0], [&](auto &b, auto t) { return reference::power<decltype(t)>(b, v[0], v[1]); });
      })
      .Case([&](EqualOp) { return compareAs(e, v, FP::OEQ, IP::eq, IP::eq); })
      .Case([&](NotEqualOp) { return compareAs(e, v, FP::UNE, IP::ne, IP::ne); })
      .Case([&](LessOp) { return compareAs(e, v, FP::OLT, IP::slt, IP::ult); })
      .Case([&](LessEqualOp) { return compareAs(e, v, FP::OLE, IP::sle, IP::ule); })
      .Case([&](GreaterOp) { return compareAs(e, v, FP::OGT, IP::sgt, IP::ugt); })
      .Case([&](GreaterEqualOp) { return compareAs(e, v, FP::OGE, IP::sge, IP::uge); })
      .Case([&](MaxOp) { return extreme(e, v, true); })
      .Case([&](MinOp) { return extreme(e, v, false); })
      .Case([&](AndOp) { return e.op<arith::AndIOp>(v[0], v[1]); })
      .Case([&](OrOp) { return e.op<arith::OrIOp>(v[0], v[1]); })
      .Case([&](WhereOp) { return e.select(v[0], v[1], v[2]); })
      .Default([](Operation *op) -> Value {
        llvm::report_fatal_error("elementwise op without code: " + op->getName().getStringRef());
      });
}

Value emitConstant(Emit &e, Operation *op) {
  auto constant = cast<ConstantOp>(op);
  auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
  Type element = cast<TensorType>(constant.getType()).getElementType(), held = registerType(element);
  if (!values || values.empty())
    return {};
  bool inexact;
  if (isa<FloatType>(values.getElementType())) {
    APFloat x = *values.value_begin<APFloat>();
    if (!isa<FloatType>(element))
      return {};
    x.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    x.convert(cast<FloatType>(held).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return e.constant(FloatAttr::get(held, x));
  }
  APInt x = *values.value_begin<APInt>();
  int64_t whole = x.getBitWidth() == 1 ? x.getZExtValue() : x.getSExtValue();
  if (auto floating = dyn_cast<FloatType>(element)) {
    APFloat rounded(floating.getFloatSemantics());
    rounded.convertFromAPInt(APInt(64, whole, true), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    rounded.convert(cast<FloatType>(held).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return e.constant(FloatAttr::get(held, rounded));
  }
  return e.integer(held, whole);
}

} // namespace nova::codegen
