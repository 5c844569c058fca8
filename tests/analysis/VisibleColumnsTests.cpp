// What a row sees, by its bounds, against the mask's entries that the interpreter computes.
#include "compiler/analysis/VisibleColumns.h"
#include "tests/analysis/RandomMask.h"
#include "llvm/Support/MathExtras.h"

namespace nova::test {
namespace {
using mlir::AffineExpr;
using mlir::cast;
using mlir::dyn_cast;
using mlir::isa;
using reference::Graph;
using reference::Tensor;

int64_t evaluate(AffineExpr expression, int64_t position, const std::vector<int64_t> &sizes) {
  if (isa<mlir::AffineDimExpr>(expression))
    return position;
  if (auto symbol = dyn_cast<mlir::AffineSymbolExpr>(expression))
    return sizes[symbol.getPosition()];
  if (auto constant = dyn_cast<mlir::AffineConstantExpr>(expression))
    return constant.getValue();
  auto binary = cast<mlir::AffineBinaryOpExpr>(expression);
  int64_t a = evaluate(binary.getLHS(), position, sizes), b = evaluate(binary.getRHS(), position, sizes);
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Add:
    return a + b;
  case mlir::AffineExprKind::Mul:
    return a * b;
  default:
    EXPECT_EQ(binary.getKind(), mlir::AffineExprKind::FloorDiv);
    return llvm::divideFloorSigned(a, b);
  }
}

struct Span {
  int64_t low, high;
};

/// The columns of every piece that is not empty, for the row at `position` of `width` columns.
std::vector<Span> spansOf(const VisibleColumns &visible, int64_t position, int64_t width,
                          const std::vector<int64_t> &sizes) {
  std::vector<Span> spans;
  for (const VisibleColumns::Piece &piece : visible.pieces) {
    Span span{0, width};
    for (AffineExpr low : piece.low.getResults())
      span.low = std::max(span.low, evaluate(low, position, sizes));
    for (AffineExpr high : piece.high.getResults())
      span.high = std::min(span.high, evaluate(high, position, sizes));
    bool guarded =
        llvm::all_of(piece.guard.getResults(), [&](AffineExpr guard) { return evaluate(guard, position, sizes) >= 0; });
    if (guarded && span.low < span.high)
      spans.push_back(span);
  }
  return spans;
}

bool isInside(const std::vector<Span> &spans, int64_t column) {
  return llvm::any_of(spans, [&](Span span) { return column >= span.low && column < span.high; });
}

TEST(VisibleColumns, BoundsOfRandomMasksAreTheirVisibleEntries) {
  unsigned found = 0, intervals = 0, inOrder = 0, unions = 0;
  for (uint64_t seed = 0; seed < 600; seed++) {
    DrawnMask mask(seed);
    SCOPED_TRACE(mask.source);
    const std::optional<VisibleColumns> &visible = mask.visible;
    if (!visible)
      continue;
    ++found;
    intervals += visible->kind == VisibleColumns::Interval;
    inOrder += visible->kind == VisibleColumns::InOrder;
    unions += visible->kind == VisibleColumns::Union;
    bool exact = visible->kind != VisibleColumns::Bounds;
    ASSERT_TRUE(mask.masks.get(mask.hidden).exact || !exact);
    bool gap = false;
    for (auto [n, p] : {std::pair(4, 7), std::pair(9, 5), std::pair(1, 1), std::pair(12, 12), std::pair(3, 0)}) {
      Tensor entries = entriesOf(mask.graph, n, p, mask.random);
      std::vector<int64_t> sizes;
      for (DimAttr size : visible->sizes)
        sizes.push_back(toString(size) == "n" ? n : p);
      for (int64_t row = 0; row < n; row++) {
        std::vector<Span> spans = spansOf(*visible, row, p, sizes);
        for (size_t i = 1; visible->kind == VisibleColumns::InOrder && i < spans.size(); i++)
          ASSERT_LE(spans[i - 1].high, spans[i].low) << "row " << row << " n " << n << " p " << p;
        bool ended = false, begun = false;
        for (int64_t column = 0; column < p; column++) {
          bool sees = !entries.data<uint8_t>()[row * p + column];
          if (exact) {
            ASSERT_EQ(isInside(spans, column), sees)
                << "row " << row << " column " << column << " n " << n << " p " << p;
          } else if (sees) {
            ASSERT_TRUE(isInside(spans, column)) << "row " << row << " column " << column << " n " << n << " p " << p;
          }
          gap |= ended && sees;
          begun |= sees;
          ended |= begun && !sees;
        }
      }
    }
    ASSERT_FALSE(gap && visible->kind == VisibleColumns::Interval);
  }
  EXPECT_GE(found, 150u);
  EXPECT_GE(intervals, 100u);
  EXPECT_GE(inOrder, 20u);
  std::cout << found << " found, " << intervals << " intervals, " << inOrder << " in order, " << unions
            << " other unions\n";
}

/// The text of what a mask `%mask` [n, p] of these lines leaves visible; rows begin at `t` where asked.
std::string textOf(const std::string &lines, bool fromPast = false) {
  Graph graph("graph @g(%x: f64[n, p], %y: f64[t, 1], %w: i1[w]) -> i1[n, p] where w >= 1 {\n  %row = iota 0 : [n, 1]" +
              std::string(fromPast ? " from t" : "") +
              "\n  %col = iota 1 : [1, p]\n  %one = constant 1 : i64[]\n  %w1 = dim_value w\n" + lines +
              "\n  return %mask\n}");
  MaskAnalysis masks(graph.get());
  DimAttr past = fromPast ? symbolDim(graph.get().getContext(), "t") : DimAttr();
  std::optional<VisibleColumns> visible = visibleColumns(masks, graph.get().getReturn().getOperand(0), past);
  if (!visible)
    return "all";
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const VisibleColumns::Piece &piece : visible->pieces)
    os << (text.empty()                               ? ""
           : visible->kind == VisibleColumns::InOrder ? " then "
                                                      : " or ")
       << piece.low << " to " << piece.high;
  os << (visible->sayAll() ? "" : ", with gaps");
  return text;
}

TEST(VisibleColumns, OfCausalMasks) {
  std::string causal = "(d0) -> () to (d0) -> (d0 + 1)";
  EXPECT_EQ(textOf("%mask = greater %col, %row"), causal);
  EXPECT_EQ(textOf("%mask = less %row, %col"), causal);
  EXPECT_EQ(textOf("%v = less_equal %col, %row\n %mask = not %v"), causal);
  EXPECT_EQ(textOf("%z = subtract %col, %row\n %mask = greater_equal %z, %one"), causal);
  EXPECT_EQ(textOf("%mask = greater %col, %row", /*fromPast=*/true), causal);
  EXPECT_EQ(textOf("%r = subtract %row, %one\n %a = greater %col, %r\n %b = greater %col, %row\n %mask = and %a, %b"),
            causal);
  std::string strict = "(d0) -> () to (d0) -> (d0)";
  EXPECT_EQ(textOf("%mask = greater_equal %col, %row"), strict);
  EXPECT_EQ(textOf("%r = subtract %row, %one\n %a = greater %col, %r\n %b = greater %col, %row\n %mask = or %a, %b"),
            strict);
  EXPECT_EQ(textOf("%r = subtract %row, %one\n %mask = greater %col, %r", /*fromPast=*/true), strict);
}

TEST(VisibleColumns, OfOtherMasks) {
  EXPECT_EQ(textOf("%mask = less %col, %row"), "(d0) -> (d0) to (d0) -> ()");
  EXPECT_EQ(textOf("%a = equal %col, %row\n %mask = not %a"), "(d0) -> (d0) to (d0) -> (d0 + 1)");
  EXPECT_EQ(textOf("%c = add %col, %col\n %mask = greater %c, %row"), "(d0) -> () to (d0) -> (d0 floordiv 2 + 1)");
  EXPECT_EQ(textOf("%last = subtract %row, %w1\n %a = greater %col, %row\n %b = less_equal %col, %last\n"
                   " %mask = or %a, %b",
                   /*fromPast=*/true),
            "(d0)[s0] -> (d0 - s0 + 1) to (d0)[s0] -> (d0 + 1)");
  EXPECT_EQ(textOf("%a = greater %col, %row\n %b = greater_equal %col, %w1\n %mask = and %a, %b"),
            "(d0)[s0] -> () to (d0)[s0] -> (d0 + 1) or (d0)[s0] -> () to (d0)[s0] -> (s0)");
  EXPECT_EQ(textOf("%mask = equal %col, %row"), "(d0) -> () to (d0) -> (d0) then (d0) -> (d0 + 1) to (d0) -> ()");
  EXPECT_EQ(textOf("%mask = greater %x, %x"), "all");
  std::string blocks = "%k = constant 16 : i64[]\n %r = divide %row, %k\n %c = divide %col, %k\n ";
  EXPECT_EQ(textOf(blocks + "%mask = not_equal %r, %c"),
            "(d0) -> ((d0 floordiv 16) * 16) to (d0) -> ((d0 floordiv 16) * 16 + 16)");
  EXPECT_EQ(textOf(blocks + "%a = not_equal %r, %c\n %b = greater %col, %row\n %mask = or %a, %b", /*fromPast=*/true),
            "(d0) -> ((d0 floordiv 16) * 16) to (d0) -> (d0 + 1)");
  EXPECT_EQ(textOf(blocks + "%mask = greater %c, %r"), "(d0) -> () to (d0) -> ((d0 floordiv 16) * 16 + 16)");
  // Data under a causal mask: its bounds hold, other entries may be hidden.
  EXPECT_EQ(textOf("%a = greater %col, %row\n %b = greater %x, %x\n %mask = or %a, %b"),
            "(d0) -> () to (d0) -> (d0 + 1), with gaps");
}
} // namespace
} // namespace nova::test
