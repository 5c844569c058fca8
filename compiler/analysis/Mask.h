// i1 values as integer sets over the positions of their axes: where they may hold and where they may not.
#ifndef NOVA_COMPILER_ANALYSIS_MASK_H
#define NOVA_COMPILER_ANALYSIS_MASK_H

#include "compiler/analysis/AffineForm.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"

namespace nova {
/// Two sets of positions, over the axes of the value (an axis of size 1 is unconstrained) and the size columns, without
/// the ranges of the axes. Each contains every position where the value is true, or false; comparisons of affine values
/// and their boolean combinations are exact, so the two sets are complements; data may be either.
struct Mask {
  mlir::presburger::PresburgerSet mayHold, mayFail;
  bool exact;
};

/// `set` with axis k renamed to axis `axes[k]` of a space of `rank` axes; an entry below 0 drops an axis that the set
/// does not constrain.
mlir::presburger::PresburgerSet embed(const mlir::presburger::PresburgerSet &set, llvm::ArrayRef<int> axes,
                                      unsigned rank);
/// The map for `embed` by which a value of rank `from` broadcasts to rank `to`.
llvm::SmallVector<int> broadcastAxes(unsigned from, unsigned to);

/// The masks of one graph; built in one pass over its operations, valid while the graph is unchanged. Not thread-safe
/// while it is built, read-only afterwards.
class MaskAnalysis {
public:
  explicit MaskAnalysis(GraphOp core);

  const SizeColumns &getColumns() const { return columns; }
  const AffineForms &getForms() const { return forms; }
  /// The mask of an i1 value; data for a value of which nothing is known. `value` must be an i1 value of the graph.
  Mask get(mlir::Value value) const;

private:
  Mask data(unsigned rank) const;
  Mask derive(mlir::Operation *op) const;
  Mask compare(mlir::Operation *op) const;
  Mask operand(mlir::Operation *op, unsigned index) const;

  SizeColumns columns;
  AffineForms forms;
  llvm::DenseMap<mlir::Value, Mask> masks;
};
} // namespace nova

#endif
