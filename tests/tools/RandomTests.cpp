// Seeded arguments: the distributions they claim, and the same numbers everywhere.
#include "tools/nova/Random.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace nova::tool;
using nova::reference::Element;
using nova::reference::Tensor;

TEST(Random, NormalHasItsMomentsAndTails) {
  Random random(42);
  const int count = 400000;
  double sum = 0, squares = 0, fourth = 0;
  int beyondOne = 0, beyondTwo = 0, beyondThree = 0;
  for (int i = 0; i < count; i++) {
    double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyondOne += std::fabs(x) > 1;
    beyondTwo += std::fabs(x) > 2;
    beyondThree += std::fabs(x) > 3;
  }
  // Five standard errors of each estimate.
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96.0 / count));
  auto share = [&](int hits, double p) { EXPECT_NEAR(hits / double(count), p, 5 * std::sqrt(p * (1 - p) / count)); };
  share(beyondOne, 0.31731050786291);
  share(beyondTwo, 0.04550026389636);
  share(beyondThree, 0.00269979606326);
}

TEST(Random, TheNumbersAreFixed) {
  Random random(1);
  EXPECT_EQ(random.bits(), 0x910a2dec89025cc1u);
  EXPECT_EQ(random.bits(), 0xbeeb8da1658eec67u);
  Random again(1), other(2);
  EXPECT_EQ(again.bits(), 0x910a2dec89025cc1u);
  EXPECT_NE(other.bits(), 0x910a2dec89025cc1u);
}

TEST(Random, FillsByNameAndSeed) {
  Tensor a(Element::F64, {3, 4}), b(Element::F64, {3, 4}), c(Element::F64, {3, 4}), d(Element::F64, {3, 4});
  fillRandom(a, 1, "Q");
  fillRandom(b, 1, "Q");
  fillRandom(c, 1, "K");
  fillRandom(d, 2, "Q");
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, c.bytes);
  EXPECT_NE(a.bytes, d.bytes);
  Tensor integers(Element::I32, {2000}), flags(Element::I1, {200});
  fillRandom(integers, 1, "i");
  fillRandom(flags, 1, "c");
  std::set<int32_t> seen(integers.data<int32_t>(), integers.data<int32_t>() + 2000);
  EXPECT_EQ(*seen.begin(), -8);
  EXPECT_EQ(*seen.rbegin(), 8);
  EXPECT_EQ(seen.size(), 17u);
  std::set<uint8_t> coins(flags.data<uint8_t>(), flags.data<uint8_t>() + 200);
  EXPECT_EQ(coins, (std::set<uint8_t>{0, 1}));
}
