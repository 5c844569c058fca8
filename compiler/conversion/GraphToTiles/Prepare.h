// What a module computes once, when it is instantiated: packed weights and all else that follows from params alone.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PREPARE_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PREPARE_H

#include "compiler/conversion/GraphToTiles/GraphToTiles.h"

namespace nova {
/// Moves the steps that read params, constants and each other alone, at sizes that the params give, to `plan.prepare`;
/// what they write becomes a prepared buffer. Of the steps of a loop that do is done for all its runs at
/// once. A step that a result is written by stays, and so do all of a graph without params. On failure a diagnostic was
/// emitted.
mlir::LogicalResult splitPrepared(GraphOp graph, TileProgram &program);
} // namespace nova

#endif
