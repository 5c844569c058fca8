// Random graphs: a disguise keeps the hash, a change changes it, exactly as a naive definition of equality says.
#include "tests/identity/Graphs.h"
#include "tests/identity/RandomGraph.h"
#include "gtest/gtest.h"

using namespace nova;
using namespace nova::test;

TEST(Mutation, DisguisesKeepHashes) {
  for (unsigned seed = 1; seed <= 100; seed++) {
    RandomGraph graph(seed);
    std::string plain = graph.text();
    for (unsigned disguise = 1; disguise <= 4; disguise++) {
      std::string other = graph.text(1000 * seed + disguise);
      ASSERT_EQ(pinOf(plain), pinOf(other)) << plain << other;
      ASSERT_EQ(semanticOf(plain), semanticOf(other)) << plain << other;
      ASSERT_EQ(storedText(plain), storedText(other)) << plain << other;
    }
  }
}

TEST(Mutation, ChangesChangeHashes) {
  unsigned changed = 0, kept = 0;
  for (unsigned seed = 1; seed <= 150; seed++) {
    RandomGraph graph(seed);
    for (unsigned change = 1; change <= 3; change++) {
      RandomGraph other = graph;
      other.mutate(1000 * seed + change);
      bool same = graph.meaning() == other.meaning();
      std::string a = graph.text(seed), b = other.text(seed + 1);
      ASSERT_EQ(same, pinOf(a) == pinOf(b)) << a << b;
      ASSERT_EQ(same, semanticOf(a) == semanticOf(b)) << a << b;
      ASSERT_EQ(same, storedText(a) == storedText(b)) << a << b;
      (same ? kept : changed)++;
    }
  }
  // Changes of lines that no result needs are in there too.
  EXPECT_GT(changed, 100u);
  EXPECT_GT(kept, 20u);
}

TEST(Mutation, NoTwoRandomGraphsShareAHash) {
  std::map<std::string, std::string> meanings;
  for (unsigned seed = 1; seed <= 500; seed++) {
    RandomGraph graph(seed);
    auto [it, fresh] = meanings.emplace(pinOf(graph.text()), graph.meaning());
    EXPECT_TRUE(fresh || it->second == graph.meaning()) << graph.text();
  }
}
