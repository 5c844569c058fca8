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

#endif
