// Layouts of one text: whatever spaces and comments it is written with, tokens and comments stay and the layout is one.
#include "tools/source/Layout.h"
#include "tools/source/SourceTokens.h"
#include <gtest/gtest.h>
#include <random>

using namespace nova::tool;

static constexpr const char *graphs[] = {
    R"(graph @f<T: float = f64, I: int>(%x: T[n, d], %k: I[n, 1]) -> (T[n, d], T[d])
    where d >= 1, n - d <= 3, -d - n < 0, n == 2 * d {
  %half   = constant -0.5
  %list   = constant [[1, -2.5], [inf, -inf]] : f64[2, 2]
  %none   = constant [] : f32[0]
  %row    = iota 0 : [n, 2 * d + n - 1]
  %turned = transpose %x, [1, 0]
  %a, %b  = call @g(%x, %turned) : T[n, d], T[d]
  %least  = reduce_min %x, 0 drop
  %12     = add %x, %half
  return %12, %least
}
)",
    R"(graph @nothing.given() -> f64[] {
  %a.long-name_with$all.sorts = constant 1.5e-3
  %x = constant 2.0e+10
  return %x
}
)",
};

static std::vector<std::string> textsOf(llvm::StringRef source) {
  std::vector<std::string> texts;
  for (const SourceToken &token : tokenizeSource(source))
    texts.push_back(token.text.str());
  return texts;
}

namespace {
class Layouts : public ::testing::TestWithParam<const char *> {
protected:
  // The tokens with other spaces, line breaks and, where wanted, comments between them.
  static std::string scatter(llvm::StringRef source, std::mt19937 &random, bool comments) {
    std::string text;
    auto any = [&](int bound) { return static_cast<int>(random() % bound); };
    for (const SourceToken &token : tokenizeSource(source)) {
      static constexpr const char *spaces[] = {" ", "  ", "\t", "\n", "\r\n", "\r", " \n "};
      // Names end at a space; what is one sign must stay one.
      text += spaces[any(comments ? 7 : 3)];
      if (comments && any(4) == 0)
        text += (any(2) ? "// note " : "/// said ") + std::to_string(any(1000)) + (any(2) ? " \t\n" : "\r\n");
      if (comments && any(6) == 0)
        text += "\n\n\n";
      text += token.text;
    }
    return text + (comments ? " // end" : "");
  }
};
} // namespace

TEST_P(Layouts, TheCanonicalTextIsAFixedPoint) { EXPECT_EQ(formatSource(GetParam()), GetParam()); }

TEST_P(Layouts, SpacesDoNotMatter) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; round++) {
    std::string text = scatter(GetParam(), random, /*comments=*/false);
    ASSERT_EQ(formatSource(text), GetParam()) << text;
  }
}

TEST_P(Layouts, TokensAndCommentsStayWhereverTheyAre) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; round++) {
    std::string text = scatter(GetParam(), random, /*comments=*/true), once = formatSource(text);
    ASSERT_EQ(textsOf(once), textsOf(text)) << text;
    ASSERT_EQ(formatSource(once), once) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Format, Layouts, ::testing::ValuesIn(graphs));

TEST(Format, AlignsNeighboursOnly) {
  EXPECT_EQ(
      formatSource("graph @f(%x: f64[n]) -> f64[n] {%a = exp %x\n%bcd = exp %a //c\n\n\n\n%e = exp %bcd return %e }"),
      "graph @f(%x: f64[n]) -> f64[n] {\n"
      "  %a   = exp %x\n"
      "  %bcd = exp %a  //c\n"
      "\n"
      "  %e = exp %bcd\n"
      "  return %e\n"
      "}\n");
}

TEST(Format, DescriptionsStayWithTheirGraphs) {
  EXPECT_EQ(
      formatSource("\n\n// file\n\n\n/// f\ngraph @f()->f64[]{%a=constant 1.0 return %a}/// g\ngraph @g() -> f64[] "
                   "{%a = constant 1.0\nreturn %a\n} // after\n// more"),
      "// file\n"
      "\n"
      "/// f\n"
      "graph @f() -> f64[] {\n"
      "  %a = constant 1.0\n"
      "  return %a\n"
      "}\n"
      "\n"
      "/// g\n"
      "graph @g() -> f64[] {\n"
      "  %a = constant 1.0\n"
      "  return %a\n"
      "}  // after\n"
      "\n"
      "// more\n");
}

TEST(Format, LongLinesBreakAtTheOutermostPlace) {
  std::string arguments, row = "[1", rows;
  for (int i = 0; i < 12; i++)
    arguments += (i ? ", %argument" : "%argument") + std::to_string(i) + ": f64[rows, columns]";
  for (int i = 1; i < 26; i++)
    row += ", " + std::to_string(i);
  row += "]";
  for (int i = 0; i < 3; i++)
    rows += (i ? ", " : "") + row;
  std::string text =
      formatSource("graph @f(" + arguments + ") -> f64[rows, columns] where rows >= 1 {\n%c = constant [" + rows +
                   "] : f64[3, 26]\nreturn %argument0 }");
  EXPECT_EQ(text,
            "graph @f(%argument0: f64[rows, columns], %argument1: f64[rows, columns], %argument2: f64[rows, columns],\n"
            "    %argument3: f64[rows, columns], %argument4: f64[rows, columns], %argument5: f64[rows, columns],\n"
            "    %argument6: f64[rows, columns], %argument7: f64[rows, columns], %argument8: f64[rows, columns],\n"
            "    %argument9: f64[rows, columns], %argument10: f64[rows, columns], %argument11: f64[rows, columns])\n"
            "    -> f64[rows, columns] where rows >= 1 {\n"
            "  %c = constant [" +
                row + ",\n      " + row + ",\n      " + row +
                "] : f64[3, 26]\n"
                "  return %argument0\n"
                "}\n");
}

TEST(Format, AnyBytesAreSafe) {
  std::mt19937 random(3);
  static constexpr char signs[] = "%@{}[]()<>=:,-+*/ \n\tab1.\"#\xff";
  for (int round = 0; round < 20000; round++) {
    std::string text;
    for (unsigned i = random() % 40; i > 0; i--)
      text += signs[random() % (sizeof(signs) - 1)];
    (void)formatSource(text);
  }
}
