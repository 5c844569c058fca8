#include "compiler/conversion/TilesToVector/FastPlan.h"
#include "dialects/graph/NovaDialect.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nova::codegen {
namespace {
/// The limits of FastPlan.h for one type.
struct Limits {
  explicit Limits(Type element) {
    bool single = element.isF32();
    expArgument = single ? 64.0 : 600.0;
    expResult = std::ldexp(1.0, single ? 93 : 866);
    large = std::ldexp(1.0, single ? 100 : 960);
    largest = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    mantissaBits = single ? 23 : 52;
  }
  double expArgument, expResult, large, largest;
  unsigned mantissaBits;
};
} // namespace

static bool isFloat(Value x) { return isa<FloatType>(cast<TensorType>(x.getType()).getElementType()); }

FastPlan::FastPlan(Frame &f, const Region &region, const llvm::DenseMap<Value, Interval> &known)
    : f(f), e(f.e), region(region), intervals(known) {
  if (known.empty())
    return;
  for (Operation &op : region.block().without_terminator())
    if (op.getNumResults() == 1 && isFloat(op.getResult(0)) && region.varies(op.getResult(0)))
      consider(&op);
  if (quotients.empty())
    return;
  if (!powersPossible)
    powers = {};
  guard = e.both(guard, powers ? e.op<arith::OrIOp>(powers, quotientGuard) : quotientGuard);
}

std::optional<Interval> FastPlan::interval(Value x) const {
  if (auto known = intervals.find(x); known != intervals.end())
    return known->second;
  Value scalar = region.uniform(x);
  if (!scalar || !isa<FloatType>(scalar.getType()))
    return std::nullopt;
  Interval point{scalar, scalar, {}};
  Limits limits(scalar.getType());
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>()) {
    APFloat value = cast<FloatAttr>(constant.getValue()).getValue();
    bool inexact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    if (!value.isFinite())
      return std::nullopt;
    double magnitude = std::fabs(value.convertToDouble());
    point.noTiny = value.isPosZero() || magnitude >= 1.0 / limits.large;
    return point;
  }
  return const_cast<FastPlan *>(this)->finite(point);
}

Value FastPlan::ordered(FloatPredicate p, Value x, double bound) { return e.compare(p, x, e.real(x.getType(), bound)); }

Interval FastPlan::finite(Interval x) {
  double largest = Limits(x.low.getType()).largest;
  x.sound = e.both(
      x.sound, e.both(ordered(FloatPredicate::OGE, x.low, -largest), ordered(FloatPredicate::OLE, x.high, largest)));
  return x;
}

Interval FastPlan::hull(ValueRange ends, Value sound) {
  Interval result{ends[0], ends[0], sound};
  for (Value end : ends) {
    // Each end is checked: a comparison with NaN would lose it.
    result.sound = finite({end, end, result.sound}).sound;
    result.low = e.pick(FloatPredicate::OLT, end, result.low);
    result.high = e.pick(FloatPredicate::OGT, end, result.high);
  }
  return result;
}

// Every operation is rounded to nearest and so monotone: rounded ends bound the rounded results.
std::optional<Interval> FastPlan::endpoints(Operation *op, const Interval &a, const Interval &b, bool crossed) {
  Value sound = e.both(a.sound, b.sound);
  auto apply = [&](Value x, Value y) { return emitElementwise(e, op, {x, y}); };
  if (crossed)
    return hull({apply(a.low, b.low), apply(a.low, b.high), apply(a.high, b.low), apply(a.high, b.high)}, sound);
  bool minus = isa<SubtractOp>(op);
  return finite({apply(a.low, minus ? b.high : b.low), apply(a.high, minus ? b.low : b.high), sound});
}

void FastPlan::consider(Operation *op) {
  SmallVector<std::optional<Interval>> in;
  for (Value x : op->getOperands())
    in.push_back(interval(x));
  std::optional<Interval> out;
  if (isa<ExpOp>(op)) {
    out = exponential(op);
  } else if (isa<DivideOp>(op)) {
    out = quotient(op);
  } else if (isa<NegateOp>(op) && in[0]) {
    out = Interval{e.negate(in[0]->high), e.negate(in[0]->low), in[0]->sound};
  } else if (isa<CastOp>(op) && in[0]) {
    Value low = emitElementwise(e, op, in[0]->low), high = emitElementwise(e, op, in[0]->high);
    out = finite({low, high, in[0]->sound});
  } else if (auto where = dyn_cast<WhereOp>(op); where && in[1] && in[2]) {
    out = hull({in[1]->low, in[1]->high, in[2]->low, in[2]->high}, e.both(in[1]->sound, in[2]->sound));
    out->noTiny = in[1]->noTiny && in[2]->noTiny;
  } else if (isa<AddOp, SubtractOp, MultiplyOp>(op) && in[0] && in[1]) {
    out = endpoints(op, *in[0], *in[1], isa<MultiplyOp>(op));
  }
  if (out)
    intervals[op->getResult(0)] = *out;
}

std::optional<Interval> FastPlan::exponential(Operation *op) {
  std::optional<Interval> x = interval(op->getOperand(0));
  if (!x)
    return std::nullopt;
  Type type = x->low.getType();
  Limits limits(type);
  Value inside = e.both(ordered(FloatPredicate::OGE, x->low, -limits.expArgument),
                        ordered(FloatPredicate::OLE, x->high, limits.expArgument));
  Value sound = e.both(x->sound, inside);
  exps.insert(op);
  guard = e.both(guard, sound);
  return Interval{e.real(type, 1.0 / limits.expResult), e.real(type, limits.expResult), sound, /*noTiny=*/true};
}

// True where every use of the quotient is exp(quotient - m) with m of the whole row.
static bool onlyShiftedIntoExp(Operation *op, const Region &region) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto shift = dyn_cast<SubtractOp>(user);
    return shift && shift.getLhs() == op->getResult(0) && !region.varies(shift.getRhs()) &&
           llvm::all_of(shift->getUsers(), [](Operation *last) { return isa<ExpOp>(last); });
  });
}

std::optional<Interval> FastPlan::quotient(Operation *op) {
  std::optional<Interval> x = interval(op->getOperand(0));
  Value t = region.uniform(op->getOperand(1));
  if (!x || !t)
    return std::nullopt;
  planQuotient(op, *x);
  Value sound = x->sound;
  return hull({e.op<arith::DivFOp>(x->low, t), e.op<arith::DivFOp>(x->high, t)}, sound);
}

void FastPlan::planQuotient(Operation *op, const Interval &x) {
  Value t = region.uniform(op->getOperand(1));
  Type type = t.getType();
  Limits limits(type);
  Value ok = e.both(x.sound, e.both(ordered(FloatPredicate::OGT, x.low, -limits.large),
                                    ordered(FloatPredicate::OLT, x.high, limits.large)));
  ok = e.both(ok, e.both(ordered(FloatPredicate::OGE, t, 1.0), ordered(FloatPredicate::OLT, t, 0x1p24)));
  if (!x.noTiny && !onlyShiftedIntoExp(op, region))
    ok = e.both(ok, ordered(FloatPredicate::OGE, x.low, 1.0 / limits.large));
  quotients[op] = e.op<arith::DivFOp>(e.real(type, 1.0), t);
  quotientGuard = e.both(quotientGuard, ok);

  // Rows whose divisor happens to be a power of two are not worth code of their own; a divisor of the kernel is.
  powersPossible &= static_cast<bool>(f.scalar(op->getOperand(1)));
  Value bits = e.toBits(t);
  Value mantissa = e.op<arith::AndIOp>(bits, e.integer(bits.getType(), (int64_t(1) << limits.mantissaBits) - 1));
  Value exact = e.both(
      e.compare(IntPredicate::eq, mantissa, e.integer(bits.getType(), 0)),
      e.both(ordered(FloatPredicate::OGE, t, 1.0 / limits.large), ordered(FloatPredicate::OLE, t, limits.large)));
  powers = e.both(powers, exact);
}

} // namespace nova::codegen
