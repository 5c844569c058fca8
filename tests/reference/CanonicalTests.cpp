//===- CanonicalTests.cpp - Elementwise operations, casts, maximum and minimum -===//
#include "compiler/reference/Canonical.h"

#include <gtest/gtest.h>
#include <vector>

using namespace nova::reference;

namespace {

template <class T> class CanonicalFloat : public testing::Test {
public:
  using Limits = std::numeric_limits<T>;
  static std::vector<T> specials() {
    std::vector<T> values;
    for (T x : {T(0), T(1), T(1.5), Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity()}) {
      values.push_back(x);
      values.push_back(-x);
    }
    values.push_back(canonicalNaN<T>());
    values.push_back(-canonicalNaN<T>());
    values.push_back(ScalarBuilder<T>().floatBits(ExpConstants<T>::canonicalNaN + 7)); // a payload
    return values;
  }
  static bool isNaN(T x) { return x != x; }
  /// A key that orders floats as integers: -0 just below +0.
  static int64_t rank(T x) {
    int64_t bits = ScalarBuilder<T>().toBits(x);
    int64_t magnitude = bits & int64_t(sizeof(T) == 4 ? 0x7FFFFFFF : INT64_MAX);
    return std::signbit(x) ? -1 - magnitude : magnitude;
  }
};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CanonicalFloat, FloatTypes);

TYPED_TEST(CanonicalFloat, MaximumAndMinimumOnAllPairsOfSpecials) {
  using F = CanonicalFloat<TypeParam>;
  for (TypeParam a : F::specials())
    for (TypeParam b : F::specials()) {
      uint64_t high = bitsOf(maximum(a, b)), low = bitsOf(minimum(a, b));
      if (F::isNaN(a) || F::isNaN(b)) {
        EXPECT_EQ(high, ExpConstants<TypeParam>::canonicalNaN);
        EXPECT_EQ(low, ExpConstants<TypeParam>::canonicalNaN);
        continue;
      }
      EXPECT_EQ(high, bitsOf(F::rank(a) > F::rank(b) ? a : b)) << a << ", " << b;
      EXPECT_EQ(low, bitsOf(F::rank(a) < F::rank(b) ? a : b)) << a << ", " << b;
    }
}

TYPED_TEST(CanonicalFloat, EveryNaNResultIsTheCanonicalOne) {
  using F = CanonicalFloat<TypeParam>;
  auto check = [](TypeParam result) {
    if (result != result) {
      EXPECT_EQ(bitsOf(result), ExpConstants<TypeParam>::canonicalNaN);
    }
  };
  for (TypeParam a : F::specials()) {
    check(negate(a));
    check(squareRoot(a));
    check(canonicalExp(a));
    check(canonicalize(a));
    for (TypeParam b : F::specials()) {
      check(add(a, b));
      check(subtract(a, b));
      check(multiply(a, b));
      check(divide(a, b));
    }
  }
}

TYPED_TEST(CanonicalFloat, EmptyExtremesAreInfinities) {
  EXPECT_EQ(maximumOfNothing<TypeParam>(), -CanonicalFloat<TypeParam>::Limits::infinity());
  EXPECT_EQ(minimumOfNothing<TypeParam>(), CanonicalFloat<TypeParam>::Limits::infinity());
}

TYPED_TEST(CanonicalFloat, NegateAndRootKeepSignedZeros) {
  EXPECT_TRUE(std::signbit(negate(TypeParam(0))));
  EXPECT_FALSE(std::signbit(negate(-TypeParam(0))));
  EXPECT_TRUE(std::signbit(squareRoot(-TypeParam(0))));
  EXPECT_EQ(squareRoot(TypeParam(2.25)), TypeParam(1.5));
}

TYPED_TEST(CanonicalFloat, CastToIntegerSaturates) {
  using L = std::numeric_limits<TypeParam>;
  EXPECT_EQ(castTo<int32_t>(L::quiet_NaN()), 0);
  EXPECT_EQ(castTo<int64_t>(L::quiet_NaN()), 0);
  EXPECT_EQ(castTo<int32_t>(L::infinity()), INT32_MAX);
  EXPECT_EQ(castTo<int64_t>(-L::infinity()), INT64_MIN);
  EXPECT_EQ(castTo<int32_t>(TypeParam(0x1p31)), INT32_MAX);
  EXPECT_EQ(castTo<int32_t>(TypeParam(-0x1p31)), INT32_MIN);
  EXPECT_EQ(castTo<int64_t>(TypeParam(0x1p63)), INT64_MAX);
  EXPECT_EQ(castTo<int64_t>(std::nextafter(TypeParam(0x1p63), TypeParam(0))),
            static_cast<int64_t>(std::nextafter(TypeParam(0x1p63), TypeParam(0))));
  EXPECT_EQ(castTo<int32_t>(TypeParam(-2.75)), -2);
  EXPECT_EQ(castTo<int32_t>(TypeParam(2.75)), 2);
}

TEST(Canonical, CastOfDoublesJustBeyondInt32) {
  EXPECT_EQ(castTo<int32_t>(2147483647.5), INT32_MAX);
  EXPECT_EQ(castTo<int32_t>(-2147483648.5), INT32_MIN);
}

TEST(Canonical, CastRoundsOnceToNearestEven) {
  EXPECT_EQ(castTo<float>((int64_t(1) << 24) + 1), 0x1p24f);
  EXPECT_EQ(castTo<float>((int64_t(1) << 24) + 3), 0x1.000004p24f);
  // Through f64 this would be a tie and round down; a single rounding sees the last bit and rounds up.
  EXPECT_EQ(castTo<float>((int64_t(1) << 54) + (int64_t(1) << 30) + 1), 0x1.000002p54f);
  EXPECT_EQ(castTo<float>(0x1.000001p0), 1.0f);
  EXPECT_EQ(castTo<float>(0x1.0000010000001p0), 0x1.000002p0f);
  EXPECT_EQ(castTo<float>(0x1p-150), 0.0f);
  EXPECT_EQ(castTo<float>(1e300), std::numeric_limits<float>::infinity());
  EXPECT_EQ(castTo<double>(true), 1.0);
  EXPECT_EQ(castTo<int32_t>((int64_t(1) << 32) + 5), 5);
}

template <class T> class CanonicalInteger : public testing::Test {};
using IntegerTypes = testing::Types<int32_t, int64_t>;
TYPED_TEST_SUITE(CanonicalInteger, IntegerTypes);

TYPED_TEST(CanonicalInteger, ArithmeticWraps) {
  using T = TypeParam;
  T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  EXPECT_EQ(add(highest, T(1)), lowest);
  EXPECT_EQ(subtract(lowest, T(1)), highest);
  EXPECT_EQ(multiply(highest, T(2)), T(-2));
  EXPECT_EQ(multiply(lowest, T(-1)), lowest);
  EXPECT_EQ(negate(lowest), lowest);
  EXPECT_EQ(multiplyAdd(highest, T(2), T(3)), T(1));
}

TYPED_TEST(CanonicalInteger, DivisionTruncatesAndWraps) {
  using T = TypeParam;
  EXPECT_EQ(divide(T(-7), T(2)), T(-3));
  EXPECT_EQ(divide(T(7), T(-2)), T(-3));
  EXPECT_EQ(divide(std::numeric_limits<T>::min(), T(-1)), std::numeric_limits<T>::min());
  EXPECT_FALSE(divisorIsValid(T(0)));
  EXPECT_TRUE(divisorIsValid(T(-1)));
  EXPECT_TRUE(divisorIsValid(0.0));
}

TYPED_TEST(CanonicalInteger, Extremes) {
  using T = TypeParam;
  EXPECT_EQ(maximum(T(-3), T(4)), T(4));
  EXPECT_EQ(minimum(T(-3), T(4)), T(-3));
  EXPECT_EQ(maximumOfNothing<T>(), std::numeric_limits<T>::min());
  EXPECT_EQ(minimumOfNothing<T>(), std::numeric_limits<T>::max());
}

} // namespace
