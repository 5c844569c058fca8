// Which kernels of an extend may be run section by section, so that several threads read one long state.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_SECTIONS_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_SECTIONS_H

#include "compiler/conversion/GraphToTiles/GraphToTiles.h"

namespace nova {
/// Fills PlanStep::sections, and marks their kernels, for steps over the new rows `rows` that contract with a state.
/// Each contraction is a section, whose columns may be computed apart; so are the passes between two of them, as one.
void findSections(TileProgram &program, mlir::StringAttr rows);
} // namespace nova

#endif
