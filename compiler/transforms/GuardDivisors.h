// Divisions of integers look at their divisor only where their quotient is wanted.
#ifndef NOVA_COMPILER_TRANSFORMS_GUARDDIVISORS_H
#define NOVA_COMPILER_TRANSFORMS_GUARDDIVISORS_H

#include "compiler/transforms/MaskedValue.h"

namespace nova {
/// Makes the rule of docs/arithmetic.md explicit: in a division of integers that is not wanted everywhere the divisor
/// becomes `where wanted, divisor, 1`, so that whoever executes the graph reports a 0 at any entry of a divisor. The
/// last step of building the core form: masks are explicit, and unused values may be left. `core` creates what is
/// missing; the operations are put in an order in which it comes first. Without such divisions nothing changes. Linear
/// in the number of operations.
void guardDivisors(GraphOp graph, CoreBuilder &core);
} // namespace nova

#endif
