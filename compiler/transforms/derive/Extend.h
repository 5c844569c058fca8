// The derived `extend`: from a causal graph to the one that takes a state of t rows and m new rows.
#ifndef NOVA_COMPILER_TRANSFORMS_DERIVE_EXTEND_H
#define NOVA_COMPILER_TRANSFORMS_DERIVE_EXTEND_H

#include "compiler/analysis/Dependence.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nova {
/// A module with a graph `<name>.extend` in core form, and behind it those that its scans run. With n the sequence
/// symbol, m the new rows and t the rows of the state (n = t + m; if `m` or `t` is taken in the graph another free name
/// is chosen):
///  - its first arguments are those of the core graph, with n replaced by m on the axis that carries the sequence; then
///    one argument per state, [..., t, d], or for a carry along the sequence its own shape;
///  - its first results are those of the core graph with m rows; then per state its new value, [..., t + m, d], which
///  is
///    `concat` of the state and the new rows: readers of all rows read that concat, through layout ops only;
///  - an iota on a new-row axis has `from t`; one on a key axis runs over t + m;
///  - a scan with a carry enters the states of its graph like what it runs over, and gives their new values stacked; a
///    scan along the sequence has its carry as state: where t is 0 it begins with the operand, else with the state;
///  - the clauses hold for n = t + m.
struct ExtendGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::StringAttr sequence, rows, past;
  unsigned numStates = 0;
  /// Axis of each argument / result of the core graph that carries the sequence; none for those that do not.
  llvm::SmallVector<std::optional<unsigned>> argumentAxis, resultAxis;
};

/// `dependence` must belong to `core`. Where there is no extend `module` is null and `dependence` holds the refusal:
/// the one it had, or that `core` is causal only as a whole, by way of a value that looks ahead or of all pairs of rows
/// of a value. Linear in the number of operations.
ExtendGraph tryDeriveExtend(GraphOp core, Dependence &dependence);
/// The same, but a refusal is emitted as an error.
ExtendGraph deriveExtend(GraphOp core, const Dependence &dependence);

/// Registers `-nova-extend` for nova-opt: replaces every graph of a module in core form by its extend (option `along`:
/// the sequence symbol). Call once per process.
void registerDerivePasses();
} // namespace nova

#endif
