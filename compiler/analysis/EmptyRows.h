// Rows of a reduction or contraction of which a mask may hide every entry: what `nova check` warns about.
#ifndef NOVA_COMPILER_ANALYSIS_EMPTYROWS_H
#define NOVA_COMPILER_ANALYSIS_EMPTYROWS_H

#include "compiler/analysis/Mask.h"
#include <string>
#include <vector>

namespace nova {
/// Such a row: the result there is that of an empty sum, maximum or minimum.
struct EmptyRow {
  mlir::Operation *op; // the first reduction or contraction under this mask
  mlir::Value hidden;
  unsigned axis; // of the masked operand: the one that is reduced
  bool byData;   // true when the mask hides the row only for some values of data
  /// Where the mask is known: the smallest sizes with such a row and its positions along the other axes of the operand;
  /// absent when they involve products of sizes.
  std::optional<Bindings> sizes;
  llvm::SmallVector<int64_t> row;

  /// `%greater may hide all of axis 1: row 0 has nothing visible when n = 1`.
  std::string text() const;
};

/// At most one entry per mask and reduced axis, in the order of the graph. An axis without entries does not count.
std::vector<EmptyRow> findEmptyRows(GraphOp core);
} // namespace nova

#endif
