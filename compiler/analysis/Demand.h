// Which entries of a value the row i of a result demands: an interval around i per axis, cut down by masks.
#ifndef NOVA_COMPILER_ANALYSIS_DEMAND_H
#define NOVA_COMPILER_ANALYSIS_DEMAND_H

#include "compiler/analysis/SizeColumns.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include <string>

namespace nova {
/// The indices of an axis that row i of the result demands: [i + lo, i + hi], cut to the axis. An absent bound means
/// from the start, or to the end.
struct AxisDemand {
  std::optional<int64_t> lo, hi;
  bool recurrent = false; // rows before i are demanded by the carry of a scan
  bool isPointwise() const { return lo == 0 && hi == 0; }
  /// No index beyond i.
  bool isCausal() const { return hi && *hi <= 0; }
  bool operator==(const AxisDemand &other) const {
    return lo == other.lo && hi == other.hi && recurrent == other.recurrent;
  }
};

/// The smallest interval that contains both.
AxisDemand hull(const AxisDemand &a, const AxisDemand &b);
/// `pointwise`, `causal (rows <= i)`, `recurrent (rows <= i)`, `windowed (rows i - 3 to i)`, `full`, ...
std::string toString(const AxisDemand &demand);
/// The rows it names: `row i + 1`, `rows <= i`, `rows >= i - 1`, `rows i - 3 to i`, `every row`.
std::string rowsText(const AxisDemand &demand);

/// One interval per axis; none for an axis that does not carry the sequence.
using Box = llvm::SmallVector<std::optional<AxisDemand>>;

/// A set of positions over some loops: axis k of the set is loop `loops[k]`, an entry below 0 is an axis of size 1.
struct LoopRegion {
  const mlir::presburger::PresburgerSet *set;
  llvm::SmallVector<int> loops;
};

/// The part of `box`, over loops of these sizes, that lies in every region, for any number of rows `sequence` and any
/// row i: a box again, never too small. None when it is empty for all sizes.
std::optional<Box> restrictTo(const SizeColumns &columns, DimAttr sequence, llvm::ArrayRef<DimAttr> loops, Box box,
                              llvm::ArrayRef<LoopRegion> regions);
} // namespace nova

#endif
