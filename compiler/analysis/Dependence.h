// How each row of a result depends on the rows of the arguments: proved per axis, backwards from the result.
#ifndef NOVA_COMPILER_ANALYSIS_DEPENDENCE_H
#define NOVA_COMPILER_ANALYSIS_DEPENDENCE_H

#include "dialects/graph/NovaDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>

namespace nova {
/// The indices of an axis that row i of the result demands: [i + lo, i + hi], cut to the axis. An absent bound means
/// from the start, or to the end.
struct AxisDemand {
  std::optional<int64_t> lo, hi;
  bool isPointwise() const { return lo == 0 && hi == 0; }
  bool isCausal() const { return hi && *hi <= 0; }
  bool operator==(const AxisDemand &other) const { return lo == other.lo && hi == other.hi; }
};

enum class DependenceClass { Independent, Pointwise, Windowed, Causal, Full };
llvm::StringRef toString(DependenceClass c);

/// For one value: demand per axis; an axis that does not carry the sequence has none. `demanded` is false for dead values.
struct ValueDependence {
  bool demanded = false;
  llvm::SmallVector<std::optional<AxisDemand>> axes;
};

/// The answer for a whole graph (core form) along one sequence symbol.
struct Dependence {
  mlir::StringAttr sequence;
  llvm::DenseMap<mlir::Value, ValueDependence> values;
  /// Per argument: how rows of the results depend on its rows.
  llvm::SmallVector<DependenceClass> arguments;
  /// Set when the graph cannot be extended: the reason, in one sentence, and where; with the first value at which the future enters and the
  /// path from it to the output.
  std::string refusal;
  std::optional<mlir::Location> refusalLoc;
  llvm::SmallVector<std::string> path;
  bool extendable() const { return refusal.empty(); }
};

/// Analyses a core-form graph along `sequence` (null: the symbol that is the leading axis of the first result).
Dependence analyseDependence(GraphOp core, mlir::StringAttr sequence = {});
} // namespace nova

#endif
