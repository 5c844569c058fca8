//===- ColumnRange.h - The columns of a row that a step runs over ------------===//
//
// A tile.range at run time: exactly, for one row, and bounds for several rows at once. The latter are found from the
// ends of an interval of positions, so they may be wider or narrower than the rows', never wrong.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_COLUMNRANGE_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_COLUMNRANGE_H

#include "compiler/conversion/TilesToVector/Frame.h"

namespace nova::codegen {

/// Columns low .. high, high excluded; 0 <= low <= high.
struct Columns {
  Value low, high;
};

class ColumnRange {
public:
  /// Columns of `range` (null: all) among `count`.
  ColumnRange(Frame &f, tile::RangeAttr range, Value count);

  Value count() const { return all; }
  /// Whether rows may begin after column 0.
  bool mayBeginLater() const { return range && range.mayBeginLater(); }
  /// Whether later rows see every column that an earlier one sees.
  bool isNested() const { return !range || range.isNested(); }

  /// The columns of a row are those of `spans()` spans, each behind the one before.
  size_t spans() const { return range && range.getInOrder() ? range.getLows().size() : 1; }
  Columns of(size_t span, Value row) { return combine(piecesOf(span), row, row, /*outside=*/true); }
  /// All of these rows of the block see every column inside, of the span.
  Columns shared(size_t span, Value firstRow, Value lastRow) {
    return combine(piecesOf(span), firstRow, lastRow, /*outside=*/false);
  }
  /// Whether there may be columns between the pieces that no row sees.
  bool mayHaveGaps() const { return range && range.getLows().size() > 1; }
  /// Every column that one of these rows of the block sees lies inside.
  Columns around(Value firstRow, Value lastRow) { return combine(range, firstRow, lastRow, /*outside=*/true); }
  /// An i1: whether a piece of one of these rows of the block may reach into `columns`.
  Value touches(Value firstRow, Value lastRow, Columns columns);

private:
  struct Piece {
    Value low, high, present; // null: always present
  };
  tile::RangeAttr piecesOf(size_t span) const;
  Piece pieceOf(tile::RangeAttr range, size_t i, Value firstRow, Value lastRow, bool outside);
  Columns combine(tile::RangeAttr range, Value firstRow, Value lastRow, bool outside);
  Value bound(mlir::AffineExpr expression, Value first, Value last, bool upper);
  Value floorDivided(Value x, int64_t by);

  Frame &f;
  Emit &e;
  tile::RangeAttr range;
  Value all;
  Values sizes;
};

} // namespace nova::codegen

#endif
