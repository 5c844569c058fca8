#include "compiler/analysis/TileMap.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::DynamicAPInt;

namespace nova {
std::optional<SmallVector<int64_t>> evaluateSizes(const VisibleColumns &visible, const Bindings &bindings) {
  SmallVector<int64_t> sizes;
  for (DimAttr size : visible.sizes) {
    std::optional<int64_t> value = evaluateDim(size, bindings);
    if (!value)
      return std::nullopt;
    sizes.push_back(*value);
  }
  return sizes;
}

// Numbers of any length: coefficients come from constants of the graph.
static DynamicAPInt evaluate(AffineExpr expression, int64_t position, ArrayRef<int64_t> sizes) {
  if (isa<AffineDimExpr>(expression))
    return DynamicAPInt(position);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return DynamicAPInt(sizes[symbol.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return DynamicAPInt(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  DynamicAPInt a = evaluate(binary.getLHS(), position, sizes), b = evaluate(binary.getRHS(), position, sizes);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return floorDiv(a, b);
  default:
    llvm_unreachable("a bound is made of sums, products and quotients");
  }
}

SmallVector<ColumnSpan> spansOf(const VisibleColumns &visible, int64_t position, int64_t columns,
                                ArrayRef<int64_t> sizes) {
  SmallVector<ColumnSpan> spans;
  for (const VisibleColumns::Piece &piece : visible.pieces) {
    DynamicAPInt begin(0), end(columns);
    for (AffineExpr low : piece.low.getResults())
      begin = std::max(begin, evaluate(low, position, sizes));
    for (AffineExpr high : piece.high.getResults())
      end = std::min(end, evaluate(high, position, sizes));
    if (begin < end &&
        llvm::all_of(piece.guard.getResults(), [&](AffineExpr guard) { return evaluate(guard, position, sizes) >= 0; }))
      spans.push_back({int64fromDynamicAPInt(begin), int64fromDynamicAPInt(end)});
  }
  llvm::sort(spans, [](ColumnSpan a, ColumnSpan b) { return a.begin < b.begin; });
  SmallVector<ColumnSpan> apart;
  for (ColumnSpan span : spans) {
    if (apart.empty() || span.begin > apart.back().end)
      apart.push_back(span);
    else
      apart.back().end = std::max(apart.back().end, span.end);
  }
  return apart;
}

// Of the tile with index `i` along an axis.
static int64_t extent(int64_t i, int64_t edge, int64_t size) { return std::min(edge, size - i * edge); }

int64_t TileMap::entriesOf(int64_t i, int64_t j) const { return extent(i, edge, rows) * extent(j, edge, columns); }

int64_t TileMap::visible() const {
  int64_t sum = 0;
  for (const Tile &tile : tiles)
    sum += tile.visible;
  return sum;
}

TileMap mapTiles(const VisibleColumns &visible, int64_t rows, int64_t columns, int64_t edge, ArrayRef<int64_t> sizes) {
  TileMap map{rows, columns, edge, llvm::divideCeilSigned(rows, edge), llvm::divideCeilSigned(columns, edge), {}};
  map.tiles.assign(map.down * map.across, Tile{Tile::Empty, 0});
  for (int64_t row = 0; row < rows; ++row)
    for (ColumnSpan span : spansOf(visible, row, columns, sizes))
      for (int64_t j = span.begin / edge; j * edge < span.end; ++j)
        map.tiles[row / edge * map.across + j].visible +=
            std::min(span.end, (j + 1) * edge) - std::max(span.begin, j * edge);
  for (int64_t i = 0; i < map.down; ++i)
    for (int64_t j = 0; j < map.across; ++j) {
      Tile &tile = map.tiles[i * map.across + j];
      if (tile.visible)
        tile.kind = visible.kind == VisibleColumns::Bounds ? Tile::Undecided
                    : tile.visible == map.entriesOf(i, j)  ? Tile::Full
                                                           : Tile::Partial;
    }
  return map;
}
} // namespace nova
