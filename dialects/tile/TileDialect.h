// The dialect `tile`: kernels over blocks of rows. Ops are declared in TileOps.td.
#ifndef NOVA_DIALECTS_TILE_TILEDIALECT_H
#define NOVA_DIALECTS_TILE_TILEDIALECT_H

#include "dialects/graph/NovaDialect.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

namespace nova::tile {
/// The attribute in which an operation that may fail has its FaultAttr.
constexpr llvm::StringLiteral faultName("tile.fault");
inline FaultAttr faultOf(mlir::Operation *op) { return op->getAttrOfType<FaultAttr>(faultName); }

/// The sections of a kernel in their order: each contraction, and null for the passes between two of them.
llvm::SmallVector<ContractOp> sectionsOf(KernelOp kernel);
} // namespace nova::tile

#endif
