// Which values an extend needs, over which rows, and where its state is cut.
#ifndef NOVA_COMPILER_TRANSFORMS_DERIVE_VERSIONS_H
#define NOVA_COMPILER_TRANSFORMS_DERIVE_VERSIONS_H

#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/Dependence.h"
#include "llvm/ADT/SetVector.h"

namespace nova {
/// One bit per axis of a value that carries the sequence: set where all rows (past and new) are meant, clear for the
/// new ones.
using Version = uint64_t;

/// What has to be computed. A value is needed over new rows where a result row is computed from its own row, and over
/// all rows where an operation reads across rows. A value over all rows that is computed from rows of arguments is a
/// state (its past is kept, its new rows are appended), unless it is only the layout or an exact widening (bf16 to f32)
/// of another one; what no argument's
/// rows enter (constants, iotas, masks) is computed again.
class NeededVersions {
public:
  /// `dependence` must be extendable and belong to `core`. Check `failed()` afterwards: then `getReason()` says why the
  /// graph has no extend, and `getReasonLoc()` where.
  NeededVersions(GraphOp core, const Dependence &dependence, const Facts &facts);

  bool failed() const { return !reason.empty(); }
  llvm::StringRef getReason() const { return reason; }
  mlir::Location getReasonLoc() const { return *reasonLoc; }
  /// The versions of a value to compute, without those that come from its state.
  llvm::ArrayRef<Version> of(mlir::Value value) const;
  /// The values that are states, in the order of the graph.
  llvm::ArrayRef<mlir::Value> getStates() const { return states; }
  bool isState(mlir::Value value) const { return stateSet.contains(value); }
  /// The same for the graph that a scan runs; null for a scan that is not needed.
  const NeededVersions *body(ScanOp scan) const {
    auto it = bodies.find(scan);
    return it == bodies.end() ? nullptr : it->second.get();
  }
  /// The axis of a state along which it grows.
  unsigned stateAxis(mlir::Value state) const;
  /// The axes of a value that carry the sequence.
  Version sequenceAxes(mlir::Value value) const;
  /// The version of operand `index` that `op` reads to compute `version` of its result.
  Version operandVersion(mlir::Operation *op, const AxisMaps &maps, unsigned index, Version version) const;
  /// What stands for operand `index` of `op`: the operand, or for a branch of a `where` that no result row reads the
  /// other branch, so that what feeds it need not be computed. Not in masks.
  mlir::Value operandOf(mlir::Operation *op, unsigned index) const;

private:
  void need(mlir::Value value, Version version);
  void visit(mlir::Operation *op);
  void visitScan(ScanOp scan);
  void settle(mlir::Value value);
  void findWhole();
  void fail(mlir::Location loc, const llvm::Twine &message);

  GraphOp core;
  const Dependence &dependence;
  const Facts &facts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Version, 2>> versions;
  llvm::DenseSet<mlir::Value> fromRows;    // rows of arguments enter these
  llvm::DenseSet<mlir::Operation *> whole; // that make masks and guards of divisors: no branch of them goes
  llvm::SmallVector<mlir::Value> states;
  llvm::DenseSet<mlir::Value> stateSet;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<NeededVersions>> bodies;
  std::string reason;
  std::optional<mlir::Location> reasonLoc;
};
} // namespace nova

#endif
