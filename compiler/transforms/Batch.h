// Scans in core form: a graph that runs once per entry of an axis becomes one with more axes.
//
// Inside the graph of a scan every value has the axes that its text says, and in core form either the same or those of
// the scans around it in front of them: all of them, with size 1 where it does not differ. So nothing is repeated, and
// what is the same for all entries is computed once.
#ifndef NOVA_COMPILER_TRANSFORMS_BATCH_H
#define NOVA_COMPILER_TRANSFORMS_BATCH_H

#include "compiler/transforms/MaskedValue.h"

namespace nova {
class Batch {
public:
  /// `depth`: the scans around the values.
  Batch(CoreBuilder &core, unsigned depth) : core(core), depth(depth) {}
  unsigned getDepth() const { return depth; }

  /// The axes that the scans add to a value, which has `rank` axes in the text: 0 or the depth.
  static unsigned axes(const MaskedValue &value, int64_t rank);
  /// The value with axes of size 1 after its first `at` ones.
  MaskedValue widened(mlir::Location loc, const MaskedValue &value, unsigned at, unsigned count) const;
  /// Operands that broadcast against each other in the text: the axes of the scans stay in front.
  llvm::SmallVector<MaskedValue> aligned(mlir::Operation *op, llvm::ArrayRef<MaskedValue> operands) const;
  /// Operands that differ along axis `axis` of the text alone: all get the same axes of scans.
  llvm::SmallVector<MaskedValue> joint(mlir::Location loc, llvm::ArrayRef<MaskedValue> operands, int64_t rank) const;

  /// An argument of the graph of a scan inside these: an entry along the leading axis, or the whole value.
  MaskedValue entry(const MaskedValue &value, int64_t rank) const;
  MaskedValue whole(const MaskedValue &value, int64_t rank) const;
  /// A result of that graph, which has `rank` axes there: with `count` entries along a leading axis.
  MaskedValue stacked(mlir::Location loc, const MaskedValue &value, int64_t rank, DimAttr count) const;

private:
  CoreBuilder &core;
  unsigned depth;
};
} // namespace nova

#endif
