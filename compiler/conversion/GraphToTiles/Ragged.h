// Ragged batches: which steps of an extend the new rows of several sessions go through together.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_RAGGED_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_RAGGED_H

#include "compiler/conversion/GraphToTiles/GraphToTiles.h"

namespace nova {
/// Fills Plan::ragged, PlanBuffer::rowAxis and PlanStep::apart for an extend graph with these symbols.
///
/// With the rows of all sessions behind one another in every buffer that has an axis of new rows, a step that computes
/// each row from that row alone, wherever it lies, runs over all of them at once. Other steps (those that read or write
/// a state, or whose rows know their positions) run apart, once per session, on its rows of these buffers: for that
/// the address of an entry must be that of the session's first row plus what does not depend on how many rows others
/// have. What a kernel does is read from its tile ops.
void findRagged(TileProgram &program, mlir::StringAttr whole, mlir::StringAttr rows, mlir::StringAttr past);
} // namespace nova

#endif
