// How each row of a result depends on the rows of the arguments: proved per axis, backwards from the result.
#ifndef NOVA_COMPILER_ANALYSIS_DEPENDENCE_H
#define NOVA_COMPILER_ANALYSIS_DEPENDENCE_H

#include "compiler/analysis/Demand.h"
#include "dialects/graph/NovaDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <string>

namespace nova {
/// How row i of the results depends on the rows of a value: not at all (or the value has no rows), on row i, on
/// finitely many rows up to i, by a carry on those before i, on all rows up to i, or on rows after i.
enum class DependenceClass { Independent, Pointwise, Windowed, Recurrent, Causal, Full };
llvm::StringRef toString(DependenceClass c);
/// What a row reads of such a value: `row i alone`.
llvm::StringRef meaningOf(DependenceClass c);
DependenceClass classOf(const AxisDemand &demand);

/// For one value: demand per axis; an axis that does not carry the sequence has none. `demanded` is false for dead
/// values.
struct ValueDependence {
  bool demanded = false;
  Box axes;
  /// The operation through which the demand with the latest rows came; null for results of the graph.
  mlir::Operation *through = nullptr;
};

/// The answer for a whole graph (core form) along one sequence symbol.
struct Dependence {
  /// The symbol of the sequence, in the normal form that the clauses give (`p` where a clause says `n == p`); null when
  /// there is none.
  mlir::StringAttr sequence;
  llvm::DenseMap<mlir::Value, ValueDependence> values;
  /// The same for the graphs that scans run, by scan; for those that are read.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const Dependence>> bodies;
  /// Per argument: how rows of the results depend on its rows.
  llvm::SmallVector<DependenceClass> arguments;
  /// Set when the graph cannot be extended: the reason, in one sentence, and where; with the first value at which the
  /// future enters and the path from it to the output.
  std::string refusal;
  std::optional<mlir::Location> refusalLoc;
  llvm::SmallVector<std::string> path;
  /// The values of that path, none left out; those of a graph that a scan runs come before those of this one.
  llvm::SmallVector<mlir::Value> way;
  bool extendable() const { return refusal.empty(); }
};

/// Entries of a value that must be known row by row although no result reads them: for each axis as in ValueDependence.
struct KeptRows {
  mlir::Value value;
  Box axes;
};

/// Analyses a core-form graph along `sequence` (null: the symbol that is the leading axis of the first result). Linear
/// in the number of operations. The answer refers to the graph's values and is valid while the graph is unchanged.
/// `kept` (of an extend: states, divisors) count as results, and the graph is refused also when a row of a result reads
/// a later row of one of them.
Dependence analyseDependence(GraphOp core, mlir::StringAttr sequence = {}, llvm::ArrayRef<KeptRows> kept = {});

/// True when the axis of this size runs over the sequence, in the normal form of `facts`.
bool carriesSequence(DimAttr dim, mlir::StringAttr sequence, const Facts &facts);

/// How row i reads a value: `axis 0 pointwise, axis 1 causal (rows <= i)`; `not read` or `no rows` where that is so.
std::string toString(const ValueDependence &dependence);
/// One line for a value: `%S: axis 0 pointwise, axis 1 causal (rows <= i)`; `not read` or `no rows` where that is so.
std::string dependenceText(mlir::Value value, const Dependence &dependence);
/// The line of every argument and every named value, in the order of the graph; after them the refusal and its path.
void printDependence(GraphOp core, const Dependence &dependence, llvm::raw_ostream &os);
/// Emits the refusal as an error at its place, with the path and, where one is found, a witness (Witness.h) as notes.
/// `dependence` must not be extendable.
void emitRefusal(GraphOp core, const Dependence &dependence);
} // namespace nova

#endif
