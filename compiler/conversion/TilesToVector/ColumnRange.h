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

  Columns of(Value row) { return combine(row, row, /*outside=*/true); }
  /// Every column that one of these rows of the block sees lies inside.
  Columns around(Value firstRow, Value lastRow) { return combine(firstRow, lastRow, /*outside=*/true); }
  /// All of these rows of the block see every column inside.
  Columns shared(Value firstRow, Value lastRow) { return combine(firstRow, lastRow, /*outside=*/false); }

  /// Whether there may be hidden columns between visible ones.
  bool mayHaveGaps() const { return range && range.getLows().size() > 1; }
  /// An i1: whether a piece of one of these rows of the block may reach into `columns`.
  Value touches(Value firstRow, Value lastRow, Columns columns);
  /// An i1: whether a piece holds all of `columns` for each of these rows of the block.
  Value covers(Value firstRow, Value lastRow, Columns columns);

private:
  struct Piece {
    Value low, high, present; // null: always present
  };
  Piece pieceOf(size_t i, Value firstRow, Value lastRow, bool outside);
  Columns combine(Value firstRow, Value lastRow, bool outside);
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
