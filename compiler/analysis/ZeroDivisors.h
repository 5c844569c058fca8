// Divisions of integers that may meet a divisor of 0, which is an error of the whole run.
#ifndef NOVA_COMPILER_ANALYSIS_ZERODIVISORS_H
#define NOVA_COMPILER_ANALYSIS_ZERODIVISORS_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// True for a division of integers unless its divisor is a constant without zeros or a size that the clauses keep above
/// 0.
bool mayDivideByZero(mlir::Operation *op, const Facts &facts);

/// Where a divisor is looked at. In core form the divisor of a quotient that is not wanted everywhere is a `where` with
/// a constant other than 0 in one branch (see GuardDivisors).
struct DivisorGuard {
  /// Null where every entry of the divisor is looked at.
  mlir::Value mask;
  /// Whether the entries that count are those where the mask is true, or those where it is false.
  bool counts = true;
  /// What is divided by there.
  mlir::Value divisor;
};
DivisorGuard guardOf(mlir::Value divisor);
} // namespace nova

#endif
