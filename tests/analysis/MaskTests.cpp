// Masks as integer sets against the values that the interpreter computes.
#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/Mask.h"
#include "tests/analysis/RandomMask.h"

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

std::vector<int64_t> point(const MaskAnalysis &masks, int64_t row, int64_t col, int64_t n, int64_t p) {
  std::vector<int64_t> values{row, col};
  for (unsigned c = 0; c < masks.getColumns().count(); c++)
    values.push_back(masks.getColumns().symbol(c).getValue() == "n" ? n : p);
  return values;
}

TEST(Mask, SetsHoldTheEntriesOfRandomMasks) {
  unsigned exact = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    Random random(seed);
    MaskText text{random, seed % 3 == 0, "", 0};
    std::string source = text.graph();
    SCOPED_TRACE(source);
    Graph graph(source);
    MaskAnalysis masks(graph.get());
    Mask mask = masks.get(graph.get().getReturn().getOperand(0));
    exact += mask.exact;
    for (int64_t n = 0; n < 5; n++)
      for (int64_t p = 0; p < 5; p++) {
        Tensor entries = entriesOf(graph, n, p, random);
        for (int64_t i = 0; i < n; i++)
          for (int64_t j = 0; j < p; j++) {
            bool holds = entries.data<uint8_t>()[i * p + j];
            bool mayHold = mask.mayHold.containsPoint(point(masks, i, j, n, p));
            bool mayFail = mask.mayFail.containsPoint(point(masks, i, j, n, p));
            ASSERT_TRUE(holds ? mayHold : mayFail) << "entry " << i << ", " << j << " at n = " << n << ", p = " << p;
            if (mask.exact) {
              ASSERT_NE(mayHold, mayFail);
            }
          }
      }
  }
  EXPECT_GE(exact, 150u);
}

TEST(Mask, EmptyRowsAreFoundWithTheSmallestSizes) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    Random random(seed);
    MaskText text{random, false, "", 0};
    std::string source = text.graph();
    SCOPED_TRACE(source);
    Graph graph(source);
    std::vector<EmptyRow> rows = findEmptyRows(graph.get());
    MaskAnalysis masks(graph.get());
    if (!masks.get(graph.get().getReturn().getOperand(0)).exact)
      continue;
    auto isEmpty = [&](int64_t n, int64_t p, int64_t row) {
      Tensor entries = entriesOf(graph, n, p, random);
      for (int64_t j = 0; j < p; j++)
        if (!entries.data<uint8_t>()[row * p + j])
          return false;
      return true;
    };
    if (!rows.empty()) {
      ASSERT_EQ(rows.size(), 1u);
      ASSERT_TRUE(rows[0].sizes.has_value());
      EXPECT_TRUE(isEmpty((*rows[0].sizes)["n"], (*rows[0].sizes)["p"], rows[0].row[0])) << rows[0].text();
      found++;
      continue;
    }
    for (int64_t n = 1; n < 6; n++)
      for (int64_t p = 1; p < 6; p++)
        for (int64_t row = 0; row < n; row++)
          ASSERT_FALSE(isEmpty(n, p, row)) << "row " << row << " at n = " << n << ", p = " << p;
  }
  EXPECT_GE(found, 50u);
}

TEST(Mask, ThirtyTwoBitPositionsNeedABound) {
  auto exact = [](const std::string &clause) {
    Graph graph("graph @g(%x: f64[n, p]) -> i1[n, p] " + clause +
                " {\n  %r = iota 0 : [n, 1]\n  %row = cast %r : i32\n  %c = iota 1 : [1, p]\n  %col = cast %c : i32\n"
                "  %mask = greater %col, %row\n  return %mask\n}");
    MaskAnalysis masks(graph.get());
    return masks.get(graph.get().getReturn().getOperand(0)).exact;
  };
  EXPECT_FALSE(exact(""));
  EXPECT_FALSE(exact("where n <= 4096"));
  EXPECT_TRUE(exact("where n <= 4096, p <= 4096"));
}
} // namespace
} // namespace nova::test
