// The scan before MLIR's parser: doc comments, and what never reaches that parser.
#include "compiler/pipeline/SourceScan.h"
#include "gtest/gtest.h"

using namespace nova;

namespace {
std::string fault(llvm::StringRef text) {
  SourceScan scan = scanSource(text);
  return scan.fault ? std::to_string(scan.fault->offset) + " " + scan.fault->message : "";
}
const std::string graph = "graph @f(%x: f64[n]) -> f64[n] { return %x }\n";
std::string repeat(const std::string &text, int count) {
  std::string all;
  while (count--)
    all += text;
  return all;
}
} // namespace

TEST(SourceScan, DocComments) {
  SourceScan scan = scanSource("/// First line.\n///   indented\n" + graph + graph + "// plain\n" + graph +
                               "/// far\n\n" + graph + "/// far\n// between\n" + graph + "///no space\r\n" + graph);
  ASSERT_FALSE(scan.fault);
  EXPECT_EQ(scan.docs, (std::vector<std::string>{"First line.\n  indented", "", "", "", "", "no space"}));
}

TEST(SourceScan, CommentsInsideABodyDocumentNothing) {
  SourceScan scan = scanSource("graph @f(%x: f64[n]) -> f64[n] {\n/// inner\nreturn %x\n/// last\n}\n" + graph);
  EXPECT_EQ(scan.docs, (std::vector<std::string>{"", ""}));
}

TEST(SourceScan, NestingUpToTheLimit) {
  // The braces of the graph are one level.
  std::string head = "graph @f(%x: f64[n]) -> f64[n] {";
  EXPECT_EQ(fault(head + repeat("[", 255)), "");
  EXPECT_EQ(fault(head + repeat("[", 256)), std::to_string(head.size() + 255) + " brackets are nested deeper than 256");
  EXPECT_EQ(fault(head + repeat("[]()", 1000)), "");
  EXPECT_EQ(fault(repeat(graph, 1000)), "");
}

TEST(SourceScan, ComparisonsAreNoBrackets) {
  std::string clauses = "n < m";
  for (int i = 0; i < 1000; i++)
    clauses += ", n < m";
  EXPECT_EQ(fault("graph @f(%x: f64[n], %y: f64[m]) -> f64[n] where " + clauses + " { return %x }"), "");
  // `where` as an operation begins no clauses.
  EXPECT_NE(fault("graph @f(%x: f64[n]) -> f64[n] { %y = where %x, %x, %x" + repeat(" tuple<", 300)), "");
}

TEST(SourceScan, OnlyTheAlphabetOfGraphs) {
  for (char c : std::string("\"#!^?;&|~`'\\"))
    EXPECT_EQ(fault("graph " + std::string(1, c)), std::string("6 unexpected character '") + c + "' in a graph");
  EXPECT_EQ(fault("graph @f \x01"), "9 unexpected character 0x01 in a graph");
  EXPECT_EQ(fault("// \"#!^?\n" + graph), "");
  EXPECT_EQ(fault("graph @f /"), "9 unexpected character '/' in a graph");
}

TEST(SourceScan, OnlyGraphsAtTheTop) {
  EXPECT_EQ(fault("module {}"), "0 expected graph, found 'module'");
  EXPECT_EQ(fault(graph + "graphs @f"), std::to_string(graph.size()) + " expected graph, found 'graphs'");
  EXPECT_EQ(fault("graph @f() -> f64[] { %x = arith.constant 1 }"), "27 unknown operation 'arith.constant'");
}
