// The hashes of std_lib's graphs, committed: a change of one is seen, and meant.
#include "tests/identity/Graphs.h"
#include "gtest/gtest.h"
#include <sstream>

using namespace nova;
using namespace nova::test;

TEST(Golden, HashesOfStdLib) {
  std::istringstream lines(readFile("tests/identity/golden.txt"));
  std::string path, pin, semantic;
  unsigned count = 0;
  while (lines >> path >> pin >> semantic) {
    Graphs graphs(readFile(path));
    EXPECT_EQ(pin, graphs.pin().hex()) << "graph hash of " << path;
    EXPECT_EQ(semantic, graphs.semantic().hex()) << "semantic hash of " << path;
    count++;
  }
  EXPECT_GE(count, 2u);
}

TEST(Golden, StoredFormOfCausalAttention) {
  EXPECT_EQ(readFile("tests/identity/causal_attention.stored"),
            storedText(readFile("std_lib/nn/causal_attention.nova")));
}
