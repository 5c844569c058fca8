// Maps of tiles against the mask's entries that the interpreter computes; what a row sees in words.
#include "compiler/analysis/TileMap.h"
#include "tests/analysis/RandomMask.h"
#include <limits>

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

/// Counts the visible entries of every tile one by one.
void compare(const TileMap &map, bool exact, const Tensor &entries) {
  ASSERT_EQ(map.down, (map.rows + map.edge - 1) / map.edge);
  ASSERT_EQ(map.across, (map.columns + map.edge - 1) / map.edge);
  int64_t sum = 0;
  for (int64_t i = 0; i < map.down; i++)
    for (int64_t j = 0; j < map.across; j++) {
      int64_t visible = 0, all = 0;
      for (int64_t row = i * map.edge; row < std::min(map.rows, (i + 1) * map.edge); row++)
        for (int64_t column = j * map.edge; column < std::min(map.columns, (j + 1) * map.edge); column++) {
          visible += !entries.data<uint8_t>()[row * map.columns + column];
          all++;
        }
      SCOPED_TRACE("tile " + std::to_string(i) + ", " + std::to_string(j) + " of edge " + std::to_string(map.edge) +
                   " at n " + std::to_string(map.rows) + ", p " + std::to_string(map.columns));
      const Tile &tile = map.at(i, j);
      ASSERT_EQ(map.entriesOf(i, j), all);
      sum += tile.visible;
      if (!exact) {
        ASSERT_LE(visible, tile.visible);
        ASSERT_EQ(tile.kind, tile.visible ? Tile::Undecided : Tile::Empty);
        continue;
      }
      ASSERT_EQ(tile.visible, visible);
      ASSERT_EQ(tile.kind, !visible ? Tile::Empty : visible == all ? Tile::Full : Tile::Partial);
    }
  ASSERT_EQ(map.visible(), sum);
}

TEST(TileMap, OfRandomMasksIsWhatTheirEntriesSay) {
  unsigned found = 0, undecided = 0, kinds[4] = {};
  for (uint64_t seed = 0; seed < 400; seed++) {
    DrawnMask mask(seed);
    SCOPED_TRACE(mask.source);
    const std::optional<VisibleColumns> &visible = mask.visible;
    if (!visible)
      continue;
    bool exact = visible->kind != VisibleColumns::Bounds;
    found++;
    undecided += !exact;
    for (unsigned round = 0; round < 6; round++) {
      int64_t n = below(mask.random, 40), p = below(mask.random, 40), edge = below(mask.random, 9) + 1;
      Bindings sizes;
      sizes["n"] = n, sizes["p"] = p;
      TileMap map = mapTiles(*visible, n, p, edge, *evaluateSizes(*visible, sizes));
      for (const Tile &tile : map.tiles)
        kinds[tile.kind]++;
      ASSERT_NO_FATAL_FAILURE(compare(map, exact, entriesOf(mask.graph, n, p, mask.random)));
    }
  }
  EXPECT_GE(found, 100u);
  EXPECT_GE(undecided, 5u);
  for (unsigned count : kinds)
    EXPECT_GE(count, 100u);
  std::cout << found << " masks, " << undecided << " undecided\n";
}

/// What `%mask` [n, p] of these lines leaves visible.
struct Seen {
  Graph graph;
  std::optional<VisibleColumns> visible;

  explicit Seen(const std::string &lines)
      : graph("graph @g(%x: f64[n, p], %w: i1[w]) -> i1[n, p] {\n %row = iota 0 : [n, 1]\n %col = iota 1 : [1, p]\n"
              " %one = constant 1 : i64[]\n %k = constant 16 : i64[]\n %w1 = dim_value w\n" +
              lines + "\n return %mask\n}"),
        visible(visibleColumns(MaskAnalysis(graph.get()), graph.get().getReturn().getOperand(0))) {}
  std::string text() const {
    std::string text;
    for (const VisibleColumns::Piece &piece : visible->pieces)
      text += (text.empty() ? "" : " or ") + pieceText(*visible, piece);
    return text;
  }
};

TEST(TileMap, RowsInWords) {
  EXPECT_EQ(Seen("%mask = greater %col, %row").text(), "j <= i");
  EXPECT_EQ(Seen("%mask = less %col, %row").text(), "j >= i");
  EXPECT_EQ(Seen("%mask = not_equal %col, %row").text(), "j = i");
  EXPECT_EQ(Seen("%last = subtract %row, %w1\n %a = greater %col, %row\n %b = less_equal %col, %last\n"
                 " %mask = or %a, %b")
                .text(),
            "i - w + 1 <= j <= i");
  EXPECT_EQ(Seen("%r = divide %row, %k\n %c = divide %col, %k\n %mask = not_equal %r, %c").text(),
            "16 * floor(i / 16) <= j <= 16 * floor(i / 16) + 15");
  EXPECT_EQ(Seen("%two = add %col, %col\n %n = negate %row\n %mask = greater %two, %n").text(), "j <= floor(-i / 2)");
  EXPECT_EQ(Seen("%a = greater %col, %row\n %b = less %row, %k\n %mask = or %a, %b").text(),
            "j <= i where i - 16 >= 0");
  EXPECT_EQ(Seen("%a = greater %col, %row\n %b = greater %col, %w1\n %mask = or %a, %b").text(), "j <= min(i, w)");
}

TEST(TileMap, NumbersOfAnyLength) {
  mlir::MLIRContext context;
  constexpr int64_t large = std::numeric_limits<int64_t>::max();
  mlir::AffineExpr far = mlir::getAffineDimExpr(0, &context) * large;
  auto map = [&](mlir::AffineExpr bound) { return mlir::AffineMap::get(1, 0, bound); };
  VisibleColumns visible{{{map(far * -1), map(far), map(far)}}, {}, VisibleColumns::Interval};
  llvm::SmallVector<ColumnSpan> spans = spansOf(visible, large, 1000, {});
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].begin, 0);
  EXPECT_EQ(spans[0].end, 1000);
  visible.pieces[0].guard = map(far * -1);
  EXPECT_TRUE(spansOf(visible, large, 1000, {}).empty());
}
} // namespace
} // namespace nova::test
