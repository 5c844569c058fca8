// Calls against the graphs they name: no recursion, no endless inlining, and the callee's signature holds for every
// size the caller allows.
#ifndef NOVA_COMPILER_PIPELINE_CALLCHECK_H
#define NOVA_COMPILER_PIPELINE_CALLCHECK_H

#include "dialects/graph/NovaDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace nova {
/// Reports the first chain of calls that comes back to its start, at the call that closes it, and the first call below
/// which calls nest deeper than 256 or inlining makes more than 2^20 operations of the graph around it.
mlir::LogicalResult checkCallTree(mlir::ModuleOp module);

/// Unifies the callee's signature with the operands of `call`: element-type parameters and symbols are found from the
/// operands, every dimension is compared under the caller's clauses, the callee's clauses must follow from them, and
/// the written result types must be the callee's. Reports the first thing that does not fit, with the values it came
/// from.
mlir::LogicalResult checkCall(Invocation call, GraphOp caller, GraphOp callee);
} // namespace nova

#endif
