// Integer values that are linear in the positions of their entries, in sizes, and in quotients of such by constants:
// what comparisons of iotas compare.
#ifndef NOVA_COMPILER_ANALYSIS_AFFINEFORM_H
#define NOVA_COMPILER_ANALYSIS_AFFINEFORM_H

#include "compiler/analysis/SizeColumns.h"

namespace nova {
/// value[x] = sum of axes[k] * x[k] + sum of sizes[c] * column c + the last of sizes + the quotients. An axis of size 1
/// has coefficient 0, so a broadcast changes nothing but the rank.
struct AffineForm {
  /// factor * floor((axes * x + sizes) / divisor), of a dividend that is never negative; divisor >= 1.
  struct Quotient {
    int64_t factor, divisor;
    llvm::SmallVector<int64_t> axes, sizes;
  };
  llvm::SmallVector<int64_t> axes;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<Quotient, 0> quotients;

  /// The form over `rank` axes where axis k is axis `places[k]`; one below 0 has coefficient 0 everywhere. None where
  /// it has not.
  std::optional<AffineForm> moved(llvm::ArrayRef<int> places, unsigned rank) const;
};

/// Adds the form's quotients to `set` as its last local variables. Returns the form as a row over the variables of the
/// set: axes, size columns, locals, the constant.
llvm::SmallVector<int64_t> addQuotients(mlir::presburger::IntegerRelation &set, const AffineForm &form);

/// The affine values of one graph. A form is kept only where the op's own arithmetic cannot wrap: for i64 under the
/// assumption that no axis and no size reaches 2^48 (an array that long has no room in memory), for i32 where the
/// clauses prove it.
class AffineForms {
public:
  AffineForms(GraphOp graph, const SizeColumns &columns);
  /// Null where the value is not known to be affine.
  const AffineForm *get(mlir::Value value) const;
  /// The form of `value` seen as a value of `rank` axes, after broadcasting.
  std::optional<AffineForm> get(mlir::Value value, unsigned rank) const;

private:
  std::optional<AffineForm> derive(mlir::Operation *op) const;
  std::optional<AffineForm> iota(IotaOp op) const;
  std::optional<AffineForm> constant(ConstantOp op) const;
  std::optional<AffineForm> sum(mlir::Operation *op, int64_t sign) const;
  std::optional<AffineForm> product(mlir::Operation *op) const;
  std::optional<AffineForm> quotient(mlir::Operation *op) const;
  bool fits(const AffineForm &form, TensorType type) const;

  const SizeColumns &columns;
  llvm::DenseMap<mlir::Value, AffineForm> forms;
};
} // namespace nova

#endif
