// Operations that may fail when a graph runs, which is an error of the whole run: divisions of integers by 0, indices
// outside an axis.
#ifndef NOVA_COMPILER_ANALYSIS_FALLIBLEOPS_H
#define NOVA_COMPILER_ANALYSIS_FALLIBLEOPS_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// What an operation may fail at: the entries of one operand.
struct Fallible {
  unsigned operand;
  int64_t harmless; // an entry that it never fails at
};

/// None for an operation that cannot fail: also where the operand is a constant without bad entries, a size that the
/// clauses keep above 0 as a divisor, positions that are within the axis as indices.
std::optional<Fallible> mayFail(mlir::Operation *op, const Facts &facts);

/// Whether an operation of a stored graph may become one that fails, whatever its type parameters are.
bool mayFailInSomeVersion(mlir::Operation *op);

/// Where an operand is looked at. In core form the operand that a fallible operation fails at, where its result is not
/// wanted everywhere, is a `where` with a harmless constant in one branch (see GuardOperands).
struct OperandGuard {
  /// Null where every entry is looked at.
  mlir::Value mask;
  /// Whether the entries that count are those where the mask is true, or those where it is false.
  bool counts = true;
  /// What is looked at there.
  mlir::Value checked;
};
/// The guard of operand `index` of a fallible operation.
OperandGuard guardOf(mlir::Operation *op, unsigned index, const Facts &facts);
} // namespace nova

#endif
