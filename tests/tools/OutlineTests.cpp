// Graphs, lines and names of texts that are whole or still in the making.
#include "tools/source/SourceOutline.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace nova::tool;

// `f(%x %y) [%a: %x][return: %a]`, with `...` after a graph without an end.
static std::string show(llvm::StringRef source) {
  std::string text;
  for (const OutlineGraph &graph : outlineSource(source)) {
    text += (text.empty() ? "" : " ") + graph.name.str() + "(" + llvm::join(graph.arguments, " ") + ") ";
    for (const OutlineLine &line : graph.lines)
      text +=
          "[" + (line.isReturn ? "return" : llvm::join(line.defines, " ")) + ": " + llvm::join(line.uses, " ") + "]";
    text += graph.closed ? "" : "...";
  }
  return text;
}

TEST(Outline, WholeGraphs) {
  EXPECT_EQ(
      show("// %no\n/// d\ngraph @a.b<T: float>(%x: T[n], %y: T[n]) -> T[n] where n >= 1 {\n  %s = add %x, %y // %z =\n"
           "  %p, %q = call @f(%s,\n    %x) : T[n], T[n]\n  return %p\n}\ngraph @g() -> f64[] { %c = constant 1.0 "
           "return %c }"),
      "a.b(%x %y) [%s: %x %y][%p %q: %s %x][return: %p] g() [%c: ][return: %c]");
}

TEST(Outline, LinesInTheMaking) {
  llvm::StringRef head = "graph @f(%x: f64[n]) -> f64[n] {\n", tail = "\n  %z = exp %x\n  return %z\n}";
  auto with = [&](llvm::StringRef line) { return show((head + line + tail).str()); };
  std::string rest = "[%z: %x][return: %z]";
  EXPECT_EQ(with("  %a"), "f(%x) [%a: ]" + rest);
  EXPECT_EQ(with("  %a ="), "f(%x) [%a: ]" + rest);
  EXPECT_EQ(with("  %a = add %x,"), "f(%x) [%a: %x]" + rest);
  EXPECT_EQ(with("  %a, %b ="), "f(%x) [%a %b: ]" + rest);
  EXPECT_EQ(with("  %a = call @f(%x"), "f(%x) [%a: %x]" + rest);
  EXPECT_EQ(with("  %a = constant [[1.0,"), "f(%x) [%a: ]" + rest);
  EXPECT_EQ(with("  add %x, %x"), "f(%x) [%x %x: ]" + rest);
}

TEST(Outline, GraphsInTheMaking) {
  EXPECT_EQ(show("graph"), "");
  EXPECT_EQ(show("graph @f"), "f() ...");
  EXPECT_EQ(show("graph @f(%x: f64[n]"), "f(%x) ...");
  EXPECT_EQ(show("graph @f(%x: f64[n]) -> f64[n] {\n  %y = exp %x\n\ngraph @g() -> f64[] {\n  return %c\n}"),
            "f(%x) [%y: %x]... g() [return: %c]");
  EXPECT_EQ(show("} } graph @f() -> f64[] { return %c } graph @g() -> f64[] { return %d }"),
            "f() [return: %c] g() [return: %d]");
}

TEST(Outline, PlacesFindTheirGraphAndLine) {
  llvm::StringRef source =
      "graph @f(%x: f64[n]) -> f64[n] {\n  %y = exp %x\n  return %y\n}\n\ngraph @g() -> f64[] {\n}\n";
  std::vector<OutlineGraph> outline = outlineSource(source);
  ASSERT_EQ(outline.size(), 2u);
  EXPECT_EQ(graphAt(outline, source.find("exp")), &outline[0]);
  EXPECT_EQ(graphAt(outline, source.find("@g")), &outline[1]);
  EXPECT_EQ(graphAt(outline, source.find("\n\n") + 1), nullptr);
  EXPECT_EQ(outline[0].lineAt(source.find("exp")), &outline[0].lines[0]);
  EXPECT_EQ(outline[0].lineAt(source.find("return")), &outline[0].lines[1]);
  EXPECT_EQ(outline[0].lineAt(source.find("{")), nullptr);
}

TEST(Outline, AnyBytesAreSafe) {
  std::mt19937 random(1);
  static constexpr llvm::StringLiteral pieces[] = {"%a", "@f", "graph ", "\ngraph @g", "{",    "}", "(",
                                                   ")",  "[",  "]",      ":",          "=",    ",", "return ",
                                                   "\n", "1",  "x",      "#",          "\xff", " "};
  for (int round = 0; round < 20000; round++) {
    std::string text;
    for (unsigned i = random() % 30; i > 0; i--)
      text += pieces[random() % std::size(pieces)];
    for (const OutlineGraph &graph : outlineSource(text)) {
      ASSERT_LE(graph.begin, graph.body);
      ASSERT_LE(graph.body, graph.end);
      ASSERT_LE(graph.end, text.size());
      for (const OutlineLine &line : graph.lines) {
        ASSERT_LE(graph.body, line.begin);
        ASSERT_LT(line.begin, line.end);
        ASSERT_LE(line.end, graph.end);
      }
    }
  }
}
