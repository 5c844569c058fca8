// Contractions whose second factor is masked, for code that skips terms by the first factor only.
#ifndef NOVA_COMPILER_TRANSFORMS_SWAPMASKEDFACTOR_H
#define NOVA_COMPILER_TRANSFORMS_SWAPMASKEDFACTOR_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Rewrites `matmul a, b hidden m` to the transpose of `matmul b^T hidden m^T, a^T`: the same products in the same order, so the
/// same bits. A contraction with both factors masked stays as it is. Masks of contractions become matrices (of one row or
/// column where they broadcast). Only code generation calls this.
void swapMaskedFactors(GraphOp core);
} // namespace nova

#endif
