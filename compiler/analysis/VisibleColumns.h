// What a mask leaves visible of every row: columns between bounds that are affine in the row's position.
#ifndef NOVA_COMPILER_ANALYSIS_VISIBLECOLUMNS_H
#define NOVA_COMPILER_ANALYSIS_VISIBLECOLUMNS_H

#include "compiler/analysis/Mask.h"
#include "mlir/IR/AffineMap.h"
#include <string>

namespace nova {
/// A row at absolute position p sees, of each piece whose guards are all >= 0, columns from the greatest of `low` up to
/// below the least of `high`. Maps take p, and the sizes as symbols; one without results bounds nothing.
struct VisibleColumns {
  struct Piece {
    mlir::AffineMap low, high, guard;
  };
  llvm::SmallVector<Piece> pieces;
  llvm::SmallVector<DimAttr> sizes;
  /// What the pieces say of the mask.
  enum {
    Bounds,   ///< visible columns lie in the pieces, but some columns of these are hidden, by data for example
    Union,    ///< the visible columns are those of the pieces
    Interval, ///< Union, and every column between two visible ones is visible
    InOrder,  ///< Union, and no column of a piece lies in, or before one of, an earlier piece
  } kind;

  /// Whether nobody who runs over the pieces, or from the first column to the last of an interval, needs the mask.
  bool sayAll() const { return kind == Interval || kind == InOrder; }
};

/// The columns that `hidden`, an i1 value, leaves visible along its last axis, for positions along the axis before it
/// that begin at `firstRow` (null: at 0). Axes before those must have size 1. None where nothing is known that would
/// leave a column out. Not fast: integer programs are solved; the answer is worth keeping.
std::optional<VisibleColumns> visibleColumns(const MaskAnalysis &masks, mlir::Value hidden, DimAttr firstRow = {});

/// The columns j of a piece of row i in words, sizes by their names: `i - w + 1 <= j <= i`, `j >= 0 where i - 4 >= 0`.
std::string pieceText(const VisibleColumns &visible, const VisibleColumns::Piece &piece);
} // namespace nova

#endif
