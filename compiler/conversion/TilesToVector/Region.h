//===- Region.h - The element arithmetic of a step, as code ------------------===//
//
// A region of elementwise ops computes one element from inputs. Values that are the same for a whole line (a row of a
// pass) are uniform: they are computed once, as scalars. The others vary and are computed on vectors of lanes.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_REGION_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_REGION_H

#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "compiler/conversion/TilesToVector/Frame.h"
#include "llvm/ADT/DenseSet.h"

namespace nova::codegen {

using ValueMap = llvm::DenseMap<Value, Value>;

class Region {
public:
  /// `uniformArguments` are the scalars of those block arguments that are uniform. Emits the uniform ops here.
  Region(Frame &f, mlir::Block &block, const ValueMap &uniformArguments);

  /// The scalar of a uniform value; null for one that varies.
  Value uniform(Value x) const;
  bool varies(Value x) const { return !uniform(x); }
  mlir::Block &block() const { return body; }
  ValueRange yields() const { return body.getTerminator()->getOperands(); }

  /// The ops that vary and that `roots` need, in order; those of `given` and what only they need are left out.
  SmallVector<mlir::Operation *> needed(ValueRange roots, const llvm::DenseSet<Value> &given = {}) const;

  /// The lanes of a value: a splat where it is uniform, else what `computed` has.
  Value lanes(Value x, const ValueMap &computed, int64_t count) const;

  /// True if some op divides integers by what may be 0: such a step can fail.
  bool dividesIntegers() const { return !divisions.empty(); }
  /// Calls `fail` of the frame where such a divisor is 0 in one of the `count` lanes in `active` (null: all).
  /// `computed` must have what the yields need. `indices` are the kernel's at the first lane; along the last of them
  /// lanes lie.
  void reportZeroDivisors(const ValueMap &computed, Value active, int64_t count, ValueRange indices) const;

private:
  Frame &f;
  mlir::Block &body;
  ValueMap uniforms;
  SmallVector<mlir::Operation *> varying;
  SmallVector<DivideOp> divisions; ///< of integers, not by constants other than 0, where a yield needs the quotient
};

} // namespace nova::codegen

#endif
