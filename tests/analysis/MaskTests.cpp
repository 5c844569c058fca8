// Masks as integer sets against the values that the interpreter computes.
#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/Mask.h"
#include "tests/analysis/RandomGraph.h"
#include "tests/reference/Graphs.h"

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

int64_t below(Random &random, int64_t bound) { return int64_t(random() % uint64_t(bound)); }

/// Lines that compute a random i1 value [n, p] from positions, sizes and, where asked, data; the name of the value.
struct MaskText {
  Random &random;
  bool withData;
  std::string body;
  unsigned next = 0;

  std::string line(const std::string &expression) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + expression + "\n";
    return name;
  }
  std::string number(int64_t value) { return line("constant " + std::to_string(value) + " : i64[]"); }

  std::string integer(unsigned depth) {
    int64_t kind = below(random, depth ? 8 : 4);
    switch (kind) {
    case 0:
      return line(below(random, 2) ? "iota 0 : [n, 1]" : "iota 0 : [n, 1] from p");
    case 1:
      return line("iota 1 : [1, p]");
    case 2:
      return number(below(random, 7) - 3);
    case 3:
      return line(below(random, 2) ? "dim_value p" : "iota 0 : [n, p]");
    case 4:
      return line("add " + integer(depth - 1) + ", " + integer(depth - 1));
    case 5:
      return line("subtract " + integer(depth - 1) + ", " + integer(depth - 1));
    case 6:
      return line("multiply " + number(below(random, 5) - 2) + ", " + integer(depth - 1));
    default:
      return line("negate " + integer(depth - 1));
    }
  }

  std::string mask(unsigned depth) {
    static const char *comparisons[] = {"equal ", "not_equal ", "less ", "less_equal ", "greater ", "greater_equal "};
    int64_t kind = below(random, depth ? 7 : 2);
    switch (kind) {
    case 0:
    case 1:
      if (withData && below(random, 4) == 0)
        return "%data";
      return line(comparisons[below(random, 6)] + integer(2) + ", " + integer(2));
    case 2:
      return line("not " + mask(depth - 1));
    case 3:
      return line("and " + mask(depth - 1) + ", " + mask(depth - 1));
    case 4:
      return line("or " + mask(depth - 1) + ", " + mask(depth - 1));
    case 5:
      return line("where " + mask(depth - 1) + ", " + mask(depth - 1) + ", " + mask(depth - 1));
    default:
      return line("transpose " + line("transpose " + mask(depth - 1)));
    }
  }

  /// A graph with this mask on a reduction over axis 1, and the mask itself as its result.
  std::string graph() {
    std::string everywhere = line("not_equal " + line("iota 0 : [n, 1]") + ", " + line("iota 1 : [1, p]"));
    std::string hidden = mask(3);
    // Broadcast to [n, p] without a change.
    std::string full = line("and " + hidden + ", " + line("or " + everywhere + ", " + line("not " + everywhere)));
    std::string sum = line("reduce_sum %x, 1 hidden " + full);
    return "graph @g(%x: f64[n, p], %data: i1[n, p]) -> (i1[n, p], f64[n, 1]) {\n" + body + "  return " + full + ", " +
           sum + "\n}\n";
  }
};

/// The mask's entries at these sizes, for random data.
Tensor entriesOf(Graph &graph, int64_t n, int64_t p, Random &random) {
  Bindings sizes;
  sizes["n"] = n, sizes["p"] = p;
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < 2; i++)
    arguments.push_back(randomTensor(graph.get().getArgumentType(i), sizes, random));
  return graph.run(arguments)[0];
}

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

/// The causal offset of the value `%mask` of a graph with these lines.
std::optional<int64_t> limit(const std::string &lines, bool fromPast = false) {
  Graph graph("graph @g(%x: f64[n, p], %y: f64[t, 1]) -> i1[n, p] {\n  %row = iota 0 : [n, 1]" +
              std::string(fromPast ? " from t" : "") + "\n  %col = iota 1 : [1, p]\n  %one = constant 1 : i64[]\n" +
              lines + "\n  return %mask\n}");
  MaskAnalysis masks(graph.get());
  auto *context = graph.get().getContext();
  return asUpperLimit(masks, graph.get().getReturn().getOperand(0), 0, 1,
                      fromPast ? symbolDim(context, "t") : DimAttr());
}

TEST(Mask, UpperLimits) {
  EXPECT_EQ(limit("%mask = greater %col, %row"), 0);
  EXPECT_EQ(limit("%mask = greater_equal %col, %row"), -1);
  EXPECT_EQ(limit("%mask = less %row, %col"), 0);
  EXPECT_EQ(limit("%v = less_equal %col, %row\n %mask = not %v"), 0);
  EXPECT_EQ(limit("%r = add %row, %one\n %mask = greater %col, %r"), 1);
  EXPECT_EQ(limit("%r = subtract %row, %one\n %a = greater %col, %r\n %b = greater %col, %row\n %mask = or %a, %b"),
            -1);
  EXPECT_EQ(limit("%r = subtract %row, %one\n %a = greater %col, %r\n %b = greater %col, %row\n %mask = and %a, %b"),
            0);
  EXPECT_EQ(limit("%z = subtract %col, %row\n %mask = greater_equal %z, %one"), 0);
  EXPECT_EQ(limit("%mask = greater %col, %row", /*fromPast=*/true), 0);
  EXPECT_EQ(limit("%r = subtract %row, %one\n %mask = greater %col, %r", /*fromPast=*/true), -1);
}

TEST(Mask, WhatIsNoUpperLimit) {
  EXPECT_EQ(limit("%mask = less %col, %row"), std::nullopt);
  EXPECT_EQ(limit("%a = equal %col, %row\n %mask = not %a"), std::nullopt);
  EXPECT_EQ(limit("%c = add %col, %col\n %mask = greater %c, %row"), std::nullopt);
  EXPECT_EQ(limit("%s = dim_value p\n %r = add %row, %s\n %mask = greater %col, %r"), std::nullopt);
  EXPECT_EQ(limit("%a = greater %col, %row\n %b = greater %one, %col\n %mask = or %a, %b"), std::nullopt);
  EXPECT_EQ(limit("%mask = greater %x, %x"), std::nullopt);
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
