// A mask at given sizes as a map of tiles: those of which every entry is visible, none, or a part.
#ifndef NOVA_COMPILER_ANALYSIS_TILEMAP_H
#define NOVA_COMPILER_ANALYSIS_TILEMAP_H

#include "compiler/analysis/VisibleColumns.h"
#include <vector>

namespace nova {
/// Columns from `begin` up to below `end`.
struct ColumnSpan {
  int64_t begin, end;
};

/// The values of `visible.sizes`; none where a symbol is unbound or a value leaves int64_t.
std::optional<llvm::SmallVector<int64_t>> evaluateSizes(const VisibleColumns &visible, const Bindings &bindings);

/// The columns below `columns` that lie in a piece for the row at `position`: in order, apart, none of them empty.
/// Exact for all numbers.
llvm::SmallVector<ColumnSpan> spansOf(const VisibleColumns &visible, int64_t position, int64_t columns,
                                      llvm::ArrayRef<int64_t> sizes);

struct Tile {
  enum Kind {
    Empty,
    Partial,
    Full,
    Undecided, ///< in the pieces, of which only some entries are visible
  } kind;
  int64_t visible; // entries; where undecided at most so many
};

/// Tiles of `edge` rows and columns from the first of both on; the last ones may be smaller.
struct TileMap {
  int64_t rows, columns, edge;
  int64_t down, across; // tiles
  std::vector<Tile> tiles;

  const Tile &at(int64_t i, int64_t j) const { return tiles[i * across + j]; }
  int64_t entriesOf(int64_t i, int64_t j) const;
  /// The sum over all tiles.
  int64_t visible() const;
};

/// The map of a mask of that many rows and columns. The time grows with the rows, not with the entries. `edge` >= 1.
TileMap mapTiles(const VisibleColumns &visible, int64_t rows, int64_t columns, int64_t edge,
                 llvm::ArrayRef<int64_t> sizes);
} // namespace nova

#endif
