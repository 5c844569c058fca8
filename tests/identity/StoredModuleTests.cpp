// The stored form as graphs: read back it is itself, and has the hashes that it came from.
#include "compiler/identity/StoredModule.h"
#include "mlir/IR/Verifier.h"
#include "tests/identity/Graphs.h"
#include "tests/identity/RandomGraph.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nova;
using namespace nova::test;

namespace {
std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printGraphs(module, os);
  return text;
}

std::string build(const std::string &text, StoredNames names, std::vector<std::string> kept = {}) {
  Graphs graphs(text);
  GraphHashes hashes(graphs.module());
  auto module = buildStoredModule(hashes, graphs.graph(), names, kept);
  EXPECT_TRUE(succeeded(verify(**module)));
  return print(**module);
}

const char *kCalls = R"(
graph @helper<S: float = f32>(%X: S[a * b, c]) -> (S[a * b, c], S[a * b, c]) where b >= 1 {
  %e = exp %X
  %q = sqrt %X
  return %e, %q
}
graph @unused(%X: f64[k]) -> f64[k] {
  return %X
}
graph @top(%M: f32[u * v, w]) -> f32[u * v, w] where u >= 1 {
  %first, %second = call @helper(%M) : f32[u * v, w], f32[u * v, w]
  %sum = add %first, %second
  return %sum
}
)";
} // namespace

TEST(StoredModule, ReadBackIsItself) {
  for (unsigned seed = 1; seed <= 50; seed++) {
    std::string text = RandomGraph(seed).text(seed), stored = storedText(text);
    EXPECT_EQ(pinOf(text), pinOf(stored)) << stored;
    EXPECT_EQ(semanticOf(text), semanticOf(stored)) << stored;
    EXPECT_EQ(stored, storedText(stored));
  }
}

TEST(StoredModule, OwnNamesKeepHashesAndNames) {
  for (unsigned seed = 1; seed <= 50; seed++) {
    std::string text = RandomGraph(seed).text(seed), own = build(text, StoredNames::Own);
    EXPECT_EQ(semanticOf(text), semanticOf(own)) << own;
    EXPECT_EQ(own, build(own, StoredNames::Own));
  }
}

TEST(StoredModule, HoldsWhatIsReached) {
  std::string own = build(kCalls, StoredNames::Own);
  EXPECT_NE(own.find("graph @helper<S: float = f32>"), std::string::npos) << own;
  EXPECT_EQ(own.find("@unused"), std::string::npos) << own;
  EXPECT_LT(own.find("@helper"), own.find("graph @top")) << own;
  EXPECT_EQ(semanticOf(kCalls), semanticOf(own));
}

TEST(StoredModule, TwoTextsOfOneGraphGiveOneModule) {
  const char *one = "graph @f(%A: f64[n]) -> f64[n] where n >= 1, n <= 9 {\n  %a = exp %A\n  %b = sqrt %A\n  %c = add "
                    "%a, %b\n  return %c\n}\n";
  const char *two = "graph @f(%A: f64[n]) -> f64[n] where n <= 9, n >= 1 {\n  %b = sqrt %A\n  %a = exp %A\n  %x = "
                    "negate %b\n  %c = add %a, %b\n  return %c\n}\n";
  EXPECT_EQ(build(one, StoredNames::Own), build(two, StoredNames::Own));
}

TEST(StoredModule, KeepsNamesOfProbes) {
  const char *text =
      "graph @f(%A: f64[n]) -> f64[n] {\n  %a = exp %A\n  %same = exp %A\n  %dead = sqrt %A\n  return %a\n}\n";
  std::string plain = build(text, StoredNames::Own);
  EXPECT_EQ(plain.find("%same"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("%dead"), std::string::npos) << plain;
  Graphs kept(build(text, StoredNames::Own, {"same", "a", "dead", "A", "nowhere"}));
  for (const char *name : {"same", "a", "dead", "A"})
    EXPECT_TRUE(findValue(kept.graph(), name)) << name;
  EXPECT_FALSE(findValue(kept.graph(), "nowhere"));
  EXPECT_EQ(semanticOf(text), kept.semantic().hex());
}

TEST(StoredModule, KeepsNamesOfSeveralResults) {
  Graphs graphs(build(kCalls, StoredNames::Own, {"second"}));
  Value second = findValue(graphs.graph(), "second");
  ASSERT_TRUE(second);
  EXPECT_EQ(cast<OpResult>(second).getResultNumber(), 1u);
  EXPECT_TRUE(findValue(graphs.graph(), "first"));
  EXPECT_EQ(storedText(kCalls), storedText(storedText(kCalls)));
}

TEST(StoredModule, ProbesChangeSemanticHash) {
  Graphs graphs("graph @f(%A: f64[n]) -> f64[n] {\n  %a = exp %A\n  %b = sqrt %a\n  %dead = sqrt %A\n  return %b\n}\n");
  GraphHashes hashes(graphs.module());
  GraphOp graph = graphs.graph();
  auto with = [&](const char *name) { return *hashes.semanticHash(graph, findValue(graph, name)); };
  EXPECT_NE(*hashes.semanticHash(graph), with("a"));
  EXPECT_NE(with("a"), with("b"));
  EXPECT_NE(with("a"), with("dead"));
}
