// Masks of contractions in the shape that generated code reads.
#ifndef NOVA_COMPILER_TRANSFORMS_MASKEDFACTORS_H
#define NOVA_COMPILER_TRANSFORMS_MASKEDFACTORS_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Generated code skips terms by a mask of the first factor that has the factor's own axes. So `matmul a, b hidden m`
/// becomes the transpose of `matmul b^T hidden m^T, a^T` (the same products in the same order, so the same bits), and a
/// mask that broadcasts along the contracted axis is widened. With both factors masked the second mask becomes numbers
/// of the factor's type, 1 where hidden, to be packed like the factor. Only code generation calls this, and only it
/// reads the result.
void prepareMaskedFactors(GraphOp core);
} // namespace nova

#endif
