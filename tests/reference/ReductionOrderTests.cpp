//===- ReductionOrderTests.cpp - The order of contractions and sums ----------===//
//
// Restates rules 2 and 3 from their words, over whole arrays, and compares bits with the incremental forms.
//
//===----------------------------------------------------------------------===//
#include "compiler/reference/Canonical.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nova::reference;

namespace {

template <class T> struct Terms {
  std::vector<T> a, b;
  std::vector<bool> visible;
};

/// Random terms whose magnitudes differ so much that another order gives other bits.
template <class T> Terms<T> randomTerms(size_t count, unsigned seed, double share) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-20, 20);
  Terms<T> terms;
  for (size_t i = 0; i < count; ++i) {
    terms.a.push_back(static_cast<T>(std::ldexp(mantissa(generator), exponent(generator))));
    terms.b.push_back(static_cast<T>(std::ldexp(mantissa(generator), exponent(generator))));
    terms.visible.push_back(std::generate_canonical<double, 20>(generator) < share);
  }
  return terms;
}

template <class T> T contractionByChunks(const Terms<T> &terms) {
  T total = 0;
  for (size_t start = 0; start < terms.a.size(); start += 256) {
    T acc = 0;
    for (size_t k = start; k < std::min(start + 256, terms.a.size()); ++k)
      if (terms.visible[k])
        acc = std::fma(terms.a[k], terms.b[k], acc);
    total = total + acc;
  }
  return total;
}

template <class T> T sumByLanes(const Terms<T> &terms) {
  T total = 0;
  for (size_t start = 0; start < terms.a.size(); start += 256) {
    std::vector<T> lanes(16, T(0));
    for (size_t lane = 0; lane < 16; ++lane)
      for (size_t k = start + lane; k < std::min(start + 256, terms.a.size()); k += 16)
        if (terms.visible[k])
          lanes[lane] = lanes[lane] + terms.a[k];
    auto l = [&](int i) { return lanes[i] + lanes[i + 8]; };
    auto m = [&](int i) { return l(i) + l(i + 4); };
    total = total + ((m(0) + m(2)) + (m(1) + m(3)));
  }
  return total;
}

template <class T> class ReductionOrder : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ReductionOrder, FloatTypes);

TYPED_TEST(ReductionOrder, IncrementalFormsHaveTheBitsOfTheRules) {
  unsigned seed = 0;
  for (size_t count : {0, 1, 2, 15, 16, 17, 31, 100, 255, 256, 257, 271, 272, 511, 512, 513, 1000, 5000})
    for (double share : {1.0, 0.5, 0.01}) {
      auto terms = randomTerms<TypeParam>(count, ++seed, share);
      Contraction<TypeParam> contraction;
      Sum<TypeParam> sum;
      for (size_t k = 0; k < count; ++k)
        if (terms.visible[k]) {
          contraction.term(k, terms.a[k], terms.b[k]);
          sum.term(k, terms.a[k]);
        }
      EXPECT_EQ(bitsOf(contraction.result()), bitsOf(contractionByChunks(terms))) << count << " terms";
      EXPECT_EQ(bitsOf(sum.result()), bitsOf(sumByLanes(terms))) << count << " terms";
    }
}

TYPED_TEST(ReductionOrder, NothingVisibleIsPositiveZero) {
  EXPECT_EQ(bitsOf(Contraction<TypeParam>().result()), 0u);
  EXPECT_EQ(bitsOf(Sum<TypeParam>().result()), 0u);
}

TYPED_TEST(ReductionOrder, UnderflowLeavesNoNegativeZero) {
  TypeParam tiny = std::numeric_limits<TypeParam>::min();
  Contraction<TypeParam> contraction;
  contraction.term(0, -tiny, tiny);
  EXPECT_EQ(bitsOf(contraction.result()), 0u);
  Sum<TypeParam> sum;
  sum.term(3, -TypeParam(0));
  EXPECT_EQ(bitsOf(sum.result()), 0u);
}

TYPED_TEST(ReductionOrder, PositionsNotCountsChooseTheChunk) {
  // 1 and 2^-p meet in one chunk of fused steps and are lost; in two chunks likewise, but 2^-p + 2^-p survives
  // together.
  TypeParam small = std::numeric_limits<TypeParam>::epsilon() / 2;
  Contraction<TypeParam> together, apart;
  together.term(0, 1, 1);
  together.term(1, small, 1);
  together.term(2, small, 1);
  EXPECT_EQ(together.result(), TypeParam(1));
  apart.term(0, 1, 1);
  apart.term(256, small, 1);
  apart.term(257, small, 1);
  EXPECT_EQ(apart.result(), TypeParam(1) + 2 * small);
}

TYPED_TEST(ReductionOrder, NaNAndInfinityPropagate) {
  Sum<TypeParam> sum;
  sum.term(0, std::numeric_limits<TypeParam>::infinity());
  sum.term(300, -std::numeric_limits<TypeParam>::infinity());
  EXPECT_EQ(bitsOf(sum.result()), ExpConstants<TypeParam>::canonicalNaN);
}

TEST(ReductionOrderInteger, Wraps) {
  Sum<int32_t> sum;
  sum.term(0, INT32_MAX);
  sum.term(1, 1);
  EXPECT_EQ(sum.result(), INT32_MIN);
  Contraction<int64_t> contraction;
  contraction.term(0, INT64_MAX, 2);
  contraction.term(400, 1, 5);
  EXPECT_EQ(contraction.result(), 3);
}

} // namespace
