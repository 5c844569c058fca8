// Graph ops cloned as scalar ops into the regions of tile.pass and tile.map.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_SCALARBODY_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_SCALARBODY_H

#include "compiler/conversion/GraphToTiles/Values.h"
#include "mlir/IR/Builders.h"

namespace nova {
/// Computes graph values at one entry. Values already known (loaded entries) are given with `set`; indices come from
/// `index`. Free scalars that do not depend on the entry are created once, before `outside` (an op of the kernel's
/// region).
class ScalarBody {
public:
  /// The position along `axis` of the entry at which `value` is read, as i64[]; `value` is an iota.
  using IndexFn = llvm::function_ref<mlir::Value(mlir::OpBuilder &, IotaOp value)>;
  /// Told of every op of the graph, and its scalar.
  using CloneFn = llvm::function_ref<void(mlir::Operation *op, mlir::Operation *scalar)>;
  ScalarBody(mlir::OpBuilder &builder, IndexFn index, CloneFn cloned = nullptr)
      : b(builder), index(index), cloned(cloned) {}

  void set(mlir::Value value, mlir::Value scalar) { known[value] = scalar; }
  /// The scalar for `value`: known, or cloned with all it needs (in graph order; never recursive in the length of a
  /// chain).
  mlir::Value get(mlir::Value value);

private:
  mlir::OpBuilder &b;
  IndexFn index;
  CloneFn cloned;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
  mlir::Value clone(mlir::Operation *op);
};

/// `f32[]` for an element type.
TensorType scalarType(mlir::Type element);
/// An i64[] constant.
mlir::Value scalarInteger(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);
/// The run-time value of a dimension, as i64[].
mlir::Value scalarDim(mlir::OpBuilder &builder, mlir::Location loc, DimAttr dim);
} // namespace nova

#endif
