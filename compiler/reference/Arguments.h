//===- Arguments.h - The entry check of the interpreter ----------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ARGUMENTS_H
#define NOVA_COMPILER_REFERENCE_ARGUMENTS_H

#include "compiler/reference/Tensor.h"
#include "dialects/graph/NovaDialect.h"
#include "llvm/Support/Error.h"

namespace nova {

/// The element type of a core-form value: f64, f32, i64, i32 or i1; none for another type.
std::optional<reference::Element> elementOf(mlir::Type type);

/// Finds the symbols of `graph` from the shapes of its arguments and checks types, ranks, sizes and clauses. `known`
/// gives symbols that no argument determines (the past rows of an extend without state). The error names the argument,
/// the axis, the expected expression with its value and origin, and what was found; it reads like the runtime's.
llvm::Expected<Bindings> bindArguments(GraphOp graph, llvm::ArrayRef<const reference::Tensor *> arguments,
                                       const Bindings &known = {});

/// The error of the first clause of `graph` that does not hold for these sizes, which give every symbol a value.
llvm::Error checkClauses(GraphOp graph, const Bindings &sizes);

} // namespace nova

#endif // NOVA_COMPILER_REFERENCE_ARGUMENTS_H
