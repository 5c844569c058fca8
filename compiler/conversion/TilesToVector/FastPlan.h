//===- FastPlan.h - Cheaper code for rows whose values are known to be tame --===//
//
// A pass may read a buffer whose bounds an earlier pass of the same row has found: then an interval for every value of
// its region follows by a few scalar operations at run time. Where the intervals allow it, exp runs in its normal form
// and a division by a value of the whole row becomes a product and a correction (docs/arithmetic.md, rule 8); the bits
// are the same. Elsewhere the row takes the general code.
//
// The limits: exp's argument within [-64, 64] (f64: 600), so that results are normal numbers between 2^-93 and 2^93
// (2^-866 and 2^866). A quotient x / t by correction needs 1 <= t < 2^24, |x| < 2^100 (2^960), and x = +0 or
// |x| >= 2^-100 (2^-960). The lower limit may be dropped where the quotient q is used only as exp(q - m) with m of the
// whole row: if |m| >= 2^-60 (2^-800), a q below 2^-99 is less than half an ulp of m and q - m = -m; otherwise |q - m|
// is so small that exp gives 1. Either way the true and the corrected quotient lead to the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_FASTPLAN_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_FASTPLAN_H

#include "compiler/conversion/TilesToVector/Region.h"

namespace nova::codegen {

/// Bounds of all visible values of a line. They hold if `sound` is true at run time (null: always); then there is no
/// NaN.
struct Interval {
  Value low, high, sound;
  /// No value lies strictly between 0 and 2^-100 (2^-960) in magnitude, and none is -0.
  bool noTiny = false;
};

/// What is known about the visible entries of a buffer's row: those of passes of equal width and columns.
struct BufferFacts {
  Interval interval;
  DimAttr width;
  tile::RangeAttr columns;
};

class FastPlan {
public:
  /// `known`: intervals of block arguments. Emits the scalar arithmetic of the guards here.
  FastPlan(Frame &f, const Region &region, const llvm::DenseMap<Value, Interval> &known);

  bool empty() const { return exps.empty() && quotients.empty(); }
  /// Whether the fast code may run; and if so, whether its divisions are products with exact reciprocals (null: never).
  Value mayRun() const { return guard; }
  Value powersOfTwo() const { return powers; }

  bool hasFastExp(mlir::Operation *op) const { return exps.contains(op); }
  bool hasFastQuotient(mlir::Operation *op) const { return quotients.contains(op); }
  /// 1 / t of a fast quotient.
  Value reciprocal(mlir::Operation *op) const { return quotients.lookup(op); }
  /// What is known of a value, provided the fast code ran where the interval says so.
  std::optional<Interval> interval(Value x) const;

private:
  void consider(mlir::Operation *op);
  std::optional<Interval> exponential(mlir::Operation *op);
  std::optional<Interval> quotient(mlir::Operation *op);
  std::optional<Interval> endpoints(mlir::Operation *op, const Interval &a, const Interval &b, bool crossed);
  Interval hull(ValueRange ends, Value sound);
  Interval finite(Interval x);
  Value ordered(FloatPredicate p, Value x, double bound);
  void planQuotient(mlir::Operation *op, const Interval &dividend);

  Frame &f;
  Emit &e;
  const Region &region;
  llvm::DenseMap<Value, Interval> intervals;
  llvm::SmallSetVector<mlir::Operation *, 4> exps;
  llvm::SmallMapVector<mlir::Operation *, Value, 4> quotients;
  Value guard, quotientGuard, powers;
  bool powersPossible = true;
};

} // namespace nova::codegen

#endif
