// The order of work inside one fused kernel: contractions and passes over a block of rows.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWSCHEDULE_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWSCHEDULE_H

#include "compiler/conversion/GraphToTiles/Values.h"
#include "dialects/tile/TileDialect.h"
#include <optional>
#include <vector>

namespace nova {
/// Columns of a value that anyone looks at: none, those of a range of the row, or all.
struct ColumnNeed {
  enum Kind { None, Some, All } kind = None;
  tile::RangeAttr range = {};
  void add(const ColumnNeed &other);
};

/// What a mask leaves of a row at an absolute position: columns of `range` (null: of all), and all of these where
/// `isAll`: then nobody needs to look at the mask itself.
struct MaskRange {
  tile::RangeAttr range;
  bool isAll = false;
};
using MaskRanges = llvm::function_ref<MaskRange(mlir::Value mask)>;

/// One contraction, or one pass over the columns.
struct RowEvent {
  mlir::Operation *contraction = nullptr; // else a pass
  unsigned time = 0;
  DimAttr width;
  tile::RangeAttr columns;
  std::vector<mlir::Value> stores;           // computed in this pass and kept
  std::vector<mlir::Operation *> reductions; // done by this pass
  std::vector<mlir::Value> loads;            // kept values that this event reads
  std::vector<mlir::Operation *> inlined;    // a pass: elementwise ops computed in it, in graph order
};

/// True for the operands of a contraction that it reads packed, from memory: the second factor and, where both factors
/// are masked, the second mask.
bool isPackedOperand(mlir::Operation *op, unsigned index);

struct RowSchedule {
  std::vector<RowEvent> events;
  /// Values that live in a buffer of the kernel: stored, contracted or reduced ones.
  llvm::DenseSet<mlir::Value> kept;
  llvm::DenseMap<mlir::Value, ColumnNeed> needs;
};

/// `ops`: Row ops of one kernel in graph order; `outputs`: those whose values leave the kernel.
RowSchedule scheduleRows(const Values &values, llvm::ArrayRef<mlir::Operation *> ops,
                         const llvm::DenseSet<mlir::Value> &outputs, MaskRanges ranges);
} // namespace nova

#endif
