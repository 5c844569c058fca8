// The order of work inside one fused kernel: contractions and passes over a block of rows.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWSCHEDULE_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWSCHEDULE_H

#include "compiler/conversion/GraphToTiles/Values.h"
#include <optional>
#include <vector>

namespace nova {
/// Columns of a value that anyone looks at: none, those <= row + limit, or all.
struct ColumnNeed {
  enum Kind { None, Limited, All } kind = None;
  int64_t limit = 0;
  void add(const ColumnNeed &other);
  std::optional<int64_t> asLimit() const { return kind == Limited ? std::optional<int64_t>(limit) : std::nullopt; }
};

/// One contraction, or one pass over the columns.
struct RowEvent {
  mlir::Operation *contraction = nullptr; // else a pass
  unsigned time = 0;
  DimAttr width;
  std::optional<int64_t> limit;
  std::vector<mlir::Value> stores;           // computed in this pass and kept
  std::vector<mlir::Operation *> reductions; // done by this pass
  std::vector<mlir::Value> loads;            // kept values that this event reads
  std::vector<mlir::Operation *> inlined;    // a pass: elementwise ops computed in it, in graph order
};

/// True for the operands of a contraction that it reads packed, from memory: the second factor and, where both factors
/// are masked, the second mask.
bool isPackedOperand(mlir::Operation *op, unsigned index);

/// What a mask hides for the row at absolute position p: exactly the columns > p + limit; or something else.
using UpperLimit = llvm::function_ref<std::optional<int64_t>(mlir::Value mask)>;

struct RowSchedule {
  std::vector<RowEvent> events;
  /// Values that live in a buffer of the kernel: stored, contracted or reduced ones.
  llvm::DenseSet<mlir::Value> kept;
  llvm::DenseMap<mlir::Value, ColumnNeed> needs;
};

/// `ops`: Row ops of one kernel in graph order; `outputs`: those whose values leave the kernel.
RowSchedule scheduleRows(const Values &values, llvm::ArrayRef<mlir::Operation *> ops,
                         const llvm::DenseSet<mlir::Value> &outputs, UpperLimit upperLimit);
} // namespace nova

#endif
