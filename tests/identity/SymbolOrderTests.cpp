// Numbers of symbols follow from where they occur.
#include "tests/identity/Graphs.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace nova;
using namespace nova::test;

namespace {
// A graph whose signature is `signature`, with the letters of `from` renamed to those of `to`.
std::string renamed(std::string signature, const std::string &from, const std::string &to) {
  for (char &c : signature)
    if (size_t at = from.find(c); at != std::string::npos)
      c = to[at];
  return "graph @G" + signature + " {\n  return %X\n}\n";
}

// Every renaming of the symbols gives the same hash; returns it.
std::string invariant(const std::string &signature, std::string letters) {
  std::string sorted = letters;
  std::string want = pinOf(renamed(signature, letters, sorted));
  while (std::next_permutation(sorted.begin(), sorted.end()))
    EXPECT_EQ(want, pinOf(renamed(signature, letters, sorted))) << signature << " as " << sorted;
  return want;
}
} // namespace

TEST(SymbolOrder, FirstOccurrence) {
  EXPECT_EQ(invariant("(%X: f64[a, b], %Y: f64[b, c]) -> f64[a, b]", "abc"),
            pinOf(renamed("(%X: f64[a, b], %Y: f64[b, c]) -> f64[a, b]", "abc", "pqr")));
  EXPECT_NE(invariant("(%X: f64[a, b], %Y: f64[b, c]) -> f64[a, b]", "abc"),
            invariant("(%X: f64[a, b], %Y: f64[c, b]) -> f64[a, b]", "abc"));
}

TEST(SymbolOrder, ProductsTakenApartByLaterDims) {
  std::string one = invariant("(%X: f64[a * b], %Y: f64[a]) -> f64[a * b]", "ab");
  EXPECT_EQ(one, pinOf(renamed("(%X: f64[a * b], %Y: f64[b]) -> f64[a * b]", "", "")));
  EXPECT_NE(one, invariant("(%X: f64[a * b], %Y: f64[2 * a]) -> f64[a * b]", "ab"));
  invariant("(%X: f64[a * b + c], %Y: f64[b + c]) -> f64[a * b + c]", "abc");
}

TEST(SymbolOrder, ProductsTakenApartByClauses) {
  invariant("(%X: f64[a * b]) -> f64[a * b] where a >= 1", "ab");
  invariant("(%X: f64[a * b * c]) -> f64[a * b * c] where a >= b, c >= 1", "abc");
  EXPECT_NE(invariant("(%X: f64[a * b]) -> f64[a * b] where a >= b", "ab"),
            invariant("(%X: f64[a * b]) -> f64[a * b] where a >= b, b >= a", "ab"));
}

TEST(SymbolOrder, OrderOfClausesDoesNotCount) {
  EXPECT_EQ(pinOf(renamed("(%X: f64[a, b]) -> f64[a, b] where a >= 1, b >= 2, a <= b", "", "")),
            pinOf(renamed("(%X: f64[a, b]) -> f64[a, b] where a <= b, b >= 2, a >= 1", "", "")));
}

TEST(SymbolOrder, SymmetricSymbols) {
  invariant("(%X: f64[a * b * c * d * e]) -> f64[a * b * c * d * e]", "abcde");
  // A ring: no symbol differs from another by its own occurrences, yet not every exchange keeps the ring.
  std::string ring = invariant(
      "(%X: f64[a * b + b * c + c * d + d * e + e * a]) -> f64[a * b + b * c + c * d + d * e + e * a]", "abcde");
  std::string two =
      invariant("(%X: f64[a * b + b * c + c * a + 2 * d * e]) -> f64[a * b + b * c + c * a + 2 * d * e]", "abcde");
  EXPECT_NE(ring, two);
}

TEST(SymbolOrder, ManySymmetricSymbols) {
  std::string product = "a0";
  for (int i = 1; i < 40; i++)
    product += " * a" + std::to_string(i);
  std::string text = "graph @G(%X: f64[" + product + "]) -> f64[" + product + "] {\n  return %X\n}\n";
  EXPECT_EQ(pinOf(text).size(), 64u);
}
