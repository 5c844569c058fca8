// The stored form of a graph: what is left when names, comments, places and the order of independent lines are
// forgotten.
#ifndef NOVA_COMPILER_IDENTITY_STOREDFORM_H
#define NOVA_COMPILER_IDENTITY_STOREDFORM_H

#include "compiler/identity/SymbolOrder.h"
#include "compiler/identity/Tokens.h"
#include "compiler/identity/Version.h"
#include "dialects/graph/NovaDialect.h"
#include <vector>

namespace nova {
/// One operation of a stored form. Values are numbered: the arguments first, then the results of the operations in
/// order.
struct StoredOp {
  mlir::Operation *op;             // the first of the equal operations in the graph
  mlir::DictionaryAttr attributes; // normalized: one NaN, callees by representative
  llvm::SmallVector<unsigned, 3> operands;
  unsigned firstResult;
};

/// The representative of a callee: equal for callees that are one and the same. See StoredForm::of.
using CalleeFn = llvm::function_ref<mlir::FlatSymbolRefAttr(mlir::FlatSymbolRefAttr)>;

/// A graph's operations in an order that follows from what is computed alone: depth first from the results, operands
/// from left to right. What no result needs is not there; equal operations on equal operands are one.
///
/// Ignored: names of the graph, of values, arguments, symbols, element-type parameters; documentation, comments,
/// locations; the order of independent operations; unused operations; repetition of equal ones; order and repetition of
/// clauses. Kept: everything else; the order of arguments, results, element-type parameters; the order of operands,
/// also of commutative operations: a page shows them as they were written.
///
/// Refers to the graph's operations: valid while the graph is neither changed nor destroyed.
class StoredForm {
public:
  /// The stored form of a verified graph, generic over its element types or not, stored form or core form.
  /// `extraResults` are values of its block that count as further results (probes). `representative` says which callees
  /// are the same; without it every name is a callee of its own.
  static StoredForm of(GraphOp graph, llvm::ArrayRef<mlir::Value> extraResults = {},
                       CalleeFn representative = nullptr);

  GraphOp getGraph() const { return graph; }
  llvm::ArrayRef<StoredOp> ops() const { return list; }
  /// Numbers of the returned values, then of the extra results.
  llvm::ArrayRef<unsigned> results() const { return returned; }
  const SymbolOrder &symbols() const { return order; }
  /// The clauses without repetition, in an order that does not depend on names.
  llvm::ArrayRef<ClauseAttr> clauses() const { return sortedClauses; }

  /// Appends everything that the stored form keeps. `callee` appends what stands for a callee.
  void append(Tokens &tokens, llvm::function_ref<void(Tokens &, mlir::FlatSymbolRefAttr)> callee) const;

private:
  mutable GraphOp graph;
  std::vector<StoredOp> list;
  llvm::SmallVector<unsigned> returned;
  SymbolOrder order;
  llvm::SmallVector<ClauseAttr> sortedClauses;
};

/// The names that the stored form leaves out and a user speaks to the graph by.
InterfaceNames interfaceNames(const StoredForm &form);

/// Appends a graph's signature without names: element-type parameters, types of arguments and results, clauses. Its
/// symbols are numbered by the signature alone, so it does not change with the graph's body.
void appendSignature(Tokens &tokens, GraphOp graph);
} // namespace nova

#endif
