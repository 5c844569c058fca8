//===- StorageTests.cpp - Casts of bf16, f16, i8 and i4 -----------------------===//
//
// Against what defines them: the number of a bit pattern is read off by ldexp, and the nearest number is found among
// all 65536 patterns, ordered, with long double (64 bits of mantissa, which hold every f64 and every sum of two
// neighbours).
//
//===----------------------------------------------------------------------===//
#include "compiler/reference/Canonical.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nova::reference;

namespace {

template <class T> class SmallFloat : public testing::Test {
public:
  static constexpr int bias = (1 << (T::exponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << T::exponentBits) - 1) << T::mantissaBits;

  /// The number that a pattern from 0 to infinity stands for; infinity as the one after the last.
  static long double numberOf(uint16_t bits) {
    int exponent = bits >> T::mantissaBits, mantissa = bits & ((1 << T::mantissaBits) - 1);
    if (exponent)
      mantissa += 1 << T::mantissaBits;
    return std::ldexp(static_cast<long double>(mantissa), std::max(exponent, 1) - bias - T::mantissaBits);
  }

  /// The pattern of the nearest number to x >= 0, of two the even one.
  static uint16_t nearest(long double x) {
    uint16_t low = 0, high = infinity;
    if (x >= numberOf(infinity))
      return infinity;
    while (high - low > 1) {
      uint16_t middle = low + (high - low) / 2;
      (numberOf(middle) <= x ? low : high) = middle;
    }
    long double below = x - numberOf(low), above = numberOf(high) - x;
    return below < above || (below == above && low % 2 == 0) ? low : high;
  }

  static void expectNearest(double x) {
    auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
    ASSERT_EQ(castTo<T>(x).bits, sign | nearest(std::fabs(static_cast<long double>(x)))) << x;
    if (static_cast<double>(static_cast<float>(x)) == x) {
      ASSERT_EQ(castTo<T>(static_cast<float>(x)).bits, castTo<T>(x).bits) << x;
    }
  }
  static void expectNearestOnBothSides(double x) {
    for (double y : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e300)}) {
      expectNearest(y);
      expectNearest(-y);
    }
    auto single = static_cast<float>(x);
    for (float y : {single, std::nextafter(single, 0.0f), std::nextafter(single, HUGE_VALF)}) {
      expectNearest(y);
      expectNearest(-y);
    }
  }
};
using SmallFloats = testing::Types<BFloat16, Float16>;
TYPED_TEST_SUITE(SmallFloat, SmallFloats);

TYPED_TEST(SmallFloat, EveryPatternIsWidenedExactly) {
  using S = SmallFloat<TypeParam>;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    TypeParam x{static_cast<uint16_t>(bits)};
    uint16_t magnitude = bits & 0x7FFF;
    auto single = castTo<float>(x);
    auto wide = castTo<double>(x);
    if (magnitude > S::infinity) {
      ASSERT_EQ(bitsOf(single), ExpConstants<float>::canonicalNaN);
      ASSERT_EQ(bitsOf(wide), ExpConstants<double>::canonicalNaN);
      ASSERT_EQ(canonicalize(x).bits, +TypeParam::canonicalNaN);
      ASSERT_EQ(castTo<TypeParam>(single).bits, +TypeParam::canonicalNaN);
      continue;
    }
    double number = magnitude == S::infinity ? HUGE_VAL : static_cast<double>(S::numberOf(magnitude));
    ASSERT_EQ(bitsOf(wide), bitsOf(bits & 0x8000 ? -number : number)) << bits;
    ASSERT_EQ(bitsOf(single), bitsOf(static_cast<float>(wide))) << bits;
    ASSERT_EQ(castTo<TypeParam>(single).bits, bits);
    ASSERT_EQ(castTo<TypeParam>(wide).bits, bits);
    ASSERT_EQ(canonicalize(x).bits, bits);
  }
}

// Every number and every tie between neighbours, with the f32 and the f64 on both sides of each.
TYPED_TEST(SmallFloat, NarrowingAtEveryNumberAndTie) {
  using S = SmallFloat<TypeParam>;
  for (uint16_t bits = 0; bits < S::infinity; ++bits) {
    long double x = S::numberOf(bits), next = S::numberOf(bits + 1);
    S::expectNearestOnBothSides(static_cast<double>(x));
    S::expectNearestOnBothSides(static_cast<double>((x + next) / 2));
  }
  for (double x : {HUGE_VAL, 1e300, 0x1p-149, 0x1p-1074, 0x1p-1022, 3.5e38, 65519.999, 65520.0})
    S::expectNearestOnBothSides(x);
}

TYPED_TEST(SmallFloat, NarrowingOfRandomNumbers) {
  using S = SmallFloat<TypeParam>;
  std::mt19937_64 random(7);
  for (int i = 0; i < 400000; ++i) {
    double any,
        near = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 50) - 28);
    uint64_t bits = random();
    std::memcpy(&any, &bits, sizeof any);
    if (any == any)
      S::expectNearest(any);
    S::expectNearest(near);
  }
}

// f64 to f32 and then on would round twice.
TEST(SmallFloats, DoublesRoundOnce) {
  EXPECT_EQ(castTo<Float16>(1 + 0x1p-11 + 0x1p-40).bits, 0x3C01);
  EXPECT_EQ(castTo<Float16>(1 + 0x1p-11).bits, 0x3C00);
  EXPECT_EQ(castTo<BFloat16>(1 + 0x1p-8 + 0x1p-40).bits, 0x3F81);
  EXPECT_EQ(castTo<BFloat16>(1 + 0x1p-8).bits, 0x3F80);
}

TEST(SmallFloats, IntegersRoundOnce) {
  EXPECT_EQ(castTo<BFloat16>((int64_t(1) << 62) + (int64_t(1) << 54) + 1).bits, 0x5E81);
  EXPECT_EQ(castTo<BFloat16>((int64_t(1) << 62) + (int64_t(1) << 54)).bits, 0x5E80);
  EXPECT_EQ(castTo<BFloat16>(-(int64_t(1) << 62) - (int64_t(1) << 54) - 1).bits, 0xDE81);
  EXPECT_EQ(castTo<BFloat16>(-(int64_t(1) << 62) - (int64_t(1) << 54) + 1).bits, 0xDE80);
  EXPECT_EQ(castTo<BFloat16>(INT64_MIN).bits, 0xDF00);
  EXPECT_EQ(castTo<BFloat16>(INT64_MAX).bits, 0x5F00);
  EXPECT_EQ(castTo<Float16>(int32_t(65519)).bits, 0x7BFF);
  EXPECT_EQ(castTo<Float16>(int32_t(65520)).bits, 0x7C00);
  EXPECT_EQ(castTo<Float16>(INT64_MIN).bits, 0xFC00);
  EXPECT_EQ(castTo<Float16>(uint8_t(1)).bits, 0x3C00);
  std::mt19937_64 random(11);
  for (int i = 0; i < 200000; ++i) {
    auto x = static_cast<int64_t>(random()) >> (random() % 64);
    auto sign = static_cast<uint16_t>(x < 0 ? 0x8000 : 0);
    auto size = std::fabs(static_cast<long double>(x));
    ASSERT_EQ(castTo<BFloat16>(x).bits, (sign | SmallFloat<BFloat16>::nearest(size))) << x;
    ASSERT_EQ(castTo<Float16>(x).bits, (sign | SmallFloat<Float16>::nearest(size))) << x;
  }
}

TEST(SmallInteger, FloatsSaturate) {
  EXPECT_EQ(castTo<int8_t>(127.9f), 127);
  EXPECT_EQ(castTo<int8_t>(128.0f), 127);
  EXPECT_EQ(castTo<int8_t>(-128.9), -128);
  EXPECT_EQ(castTo<int8_t>(-HUGE_VAL), -128);
  EXPECT_EQ(castTo<int8_t>(std::nan("")), 0);
  EXPECT_EQ(castTo<int8_t>(-2.9f), -2);
  EXPECT_EQ(castTo<Int4>(7.9f).value, 7);
  EXPECT_EQ(castTo<Int4>(300.0).value, 7);
  EXPECT_EQ(castTo<Int4>(-8.9).value, -8);
  EXPECT_EQ(castTo<Int4>(-1e30f).value, -8);
  EXPECT_EQ(castTo<Int4>(std::nanf("")).value, 0);
  EXPECT_EQ(castTo<int8_t>(castTo<BFloat16>(-300.0f)), -128);
  EXPECT_EQ(castTo<Int4>(castTo<Float16>(3.5f)).value, 3);
}

TEST(SmallInteger, IntegersKeepTheirLowBits) {
  EXPECT_EQ(castTo<int8_t>(int64_t(0x1234567890ABCD80)), -128);
  EXPECT_EQ(castTo<int8_t>(int32_t(255)), -1);
  EXPECT_EQ(castTo<Int4>(int64_t(0x1238)).value, -8);
  EXPECT_EQ(castTo<Int4>(int32_t(-9)).value, 7);
  EXPECT_EQ(castTo<Int4>(int8_t(23)).value, 7);
  EXPECT_EQ(castTo<Int4>(uint8_t(1)).value, 1);
  for (int value = -8; value < 8; ++value) {
    EXPECT_EQ(castTo<int64_t>(Int4{static_cast<int8_t>(value)}), value);
    EXPECT_EQ(castTo<float>(Int4{static_cast<int8_t>(value)}), static_cast<float>(value));
    EXPECT_EQ(castTo<Int4>(static_cast<double>(value)).value, value);
  }
}

} // namespace
