// Operations that may fail look at their operand only where their result is wanted.
#ifndef NOVA_COMPILER_TRANSFORMS_GUARDOPERANDS_H
#define NOVA_COMPILER_TRANSFORMS_GUARDOPERANDS_H

#include "compiler/transforms/MaskedValue.h"

namespace nova {
/// Makes the rule of docs/arithmetic.md explicit: in a division of integers that is not wanted everywhere the divisor
/// becomes `where wanted, divisor, 1`, and the indices of a gather `where wanted, indices, 0`, so that whoever executes
/// the graph reports a bad entry wherever it is. The last step of building the core form: masks are explicit, and
/// unused values may be left. `core` creates what is missing; the operations are put in an order in which it comes
/// first. Without such operations nothing changes. Linear in the number of operations.
void guardOperands(GraphOp graph, CoreBuilder &core);
} // namespace nova

#endif
