//===- Interpreter.h - What a graph means, executed --------------------------===//
//
// Executes the core form of a graph by the rules of docs/arithmetic.md, one operation after the other. It is the
// definition that every backend is compared with, so it is plain rather than fast; its time is linear in the number of
// operations and a value is freed after its last use.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_INTERPRETER_H
#define NOVA_COMPILER_REFERENCE_INTERPRETER_H

#include "compiler/reference/Arguments.h"

#include <vector>

namespace nova {

/// The symbols of a derived graph that brings new rows to those of a state.
struct NewRows {
  mlir::StringAttr rows, past;
};

/// The results of `core`, a graph in core form (compiler/transforms/CoreForm.h) or derived from one, for these
/// arguments. `known` gives symbols that no argument determines. Errors: arguments that do not fit (bindArguments), an
/// operation that core form does not have; an integer division by zero, an index outside its axis, in the words of
/// docs/arithmetic.md (with `newRows` positions are counted from the first row of the state); and with the code
/// errc::not_enough_memory, a value, which the message names, that does not fit into memory. Pure; thread-safe as long
/// as nothing changes the graph.
llvm::Expected<std::vector<reference::Tensor>> interpret(GraphOp core, llvm::ArrayRef<reference::Tensor> arguments,
                                                         const Bindings &known = {}, const NewRows &newRows = {});

} // namespace nova

#endif // NOVA_COMPILER_REFERENCE_INTERPRETER_H
