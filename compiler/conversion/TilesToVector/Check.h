//===- Check.h - The contract of TileOps.td ----------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_CHECK_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_CHECK_H

#include "dialects/tile/TileDialect.h"

namespace nova::codegen {

/// Where a map of tile.map reads along one axis of an input: `step` times the position along an axis of the output
/// (below 0: at 0), plus a symbol (below 0: none).
struct MapPlace {
  int64_t axis = -1, step = 1, symbol = -1;
};
/// None for an expression of another form.
std::optional<MapPlace> placeOf(mlir::AffineExpr result);

/// Fails with a diagnostic at the op where a kernel breaks the contract that code generation relies on: symbols, ranks,
/// layouts, element types, counts of yields.
mlir::LogicalResult checkKernel(tile::KernelOp kernel);

} // namespace nova::codegen

#endif
