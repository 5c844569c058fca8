// How far back the kernels of an extend read each state.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_WINDOWS_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_WINDOWS_H

#include "compiler/conversion/GraphToTiles/GraphToTiles.h"

namespace nova {
/// Fills PlanBuffer::window of the states of an extend graph with these symbols, where every contraction that reads the
/// state leaves out the columns or terms before a bound that goes up with the row: rows further back are never read
/// again. What a kernel does is read from its tile ops.
void findWindows(TileProgram &program, mlir::StringAttr whole, mlir::StringAttr rows, mlir::StringAttr past);
} // namespace nova

#endif
