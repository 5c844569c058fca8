//===- QuotientTests.cpp - Division by reciprocal and correction -------------===//
#include "compiler/reference/Canonical.h"

#include <gtest/gtest.h>
#include <random>

using namespace nova::reference;

namespace {

/// Counts the quotients that differ from the hardware's. Every operand must be allowed.
template <class T> struct Comparison {
  int64_t tested = 0, different = 0, refused = 0;
  T firstE = 0, firstT = 0;

  void operator()(T e, T t, T r) {
    if (!fastQuotientIsExact(e, t)) {
      ++refused;
      return;
    }
    ++tested;
    if (bitsOf(fastQuotient(e, t, r)) != bitsOf(e / t) && ++different == 1) {
      firstE = e;
      firstT = t;
    }
  }
  void expectEqual(int64_t atLeast) const {
    EXPECT_EQ(different, 0) << "of " << tested << ", first " << std::hexfloat << firstE << " / " << firstT;
    EXPECT_GE(tested, atLeast);
  }
};

template <class T> T withMantissa(uint64_t mantissa) { return ScalarBuilder<T>().floatBits(bitsOf(T(1)) | mantissa); }

TEST(FastQuotient, EveryDividendMantissaOfHardAndRandomDivisors) {
  Comparison<float> compare;
  std::mt19937 generator(7);
  const uint32_t last = 0x7FFFFF;
  for (int i = 0; i < 40; ++i) {
    // The proof's delicate divisors are close to 2 and to 1; sqrt(2) is where |1/t - r| weighs most against t.
    uint32_t mantissa = i < 8 ? i : i < 16 ? last - (i - 8) : i < 20 ? 0x3504F3 + (i - 18) : generator() & last;
    float t = withMantissa<float>(mantissa), r = 1.0f / t;
    for (uint32_t m = 0; m <= last; m += i < 20 ? 1 : 5)
      compare(withMantissa<float>(m), t, r);
  }
  compare.expectEqual(150'000'000);
}

/// Dividends that make e / t as close to a tie as it can be, and their neighbours, at the ends of the allowed ranges.
template <class T> void nearTies(int divisors, int64_t atLeast) {
  constexpr int precision = std::numeric_limits<T>::digits;
  const int lowest = sizeof(T) == 4 ? -100 : -960, highest = std::numeric_limits<T>::max_exponent - 2;
  Comparison<T> compare;
  std::mt19937_64 generator(11);
  for (int i = 0; i < divisors; ++i) {
    uint64_t mask = (uint64_t(1) << (precision - 1)) - 1;
    uint64_t mantissa = i % 4 == 0 ? mask - generator() % 16 : i % 4 == 1 ? generator() % 16 : generator() & mask;
    T base = withMantissa<T>(mantissa);
    int divisorExponent = static_cast<int>(generator() % 24);
    T t = std::ldexp(base, divisorExponent), r = T(1) / t;
    for (int j = 0; j < 64; ++j) {
      uint64_t odd = ((generator() | (uint64_t(1) << 63)) >> (64 - precision)) * 2 + 1; // a tie: precision + 1 bits
      T middle = std::ldexp(static_cast<T>(odd - 1), -precision), step = std::ldexp(T(1), -precision);
      T e = std::fma(base, middle, base * step);
      e = j % 8 == 0   ? std::ldexp(std::frexp(e, &divisorExponent), lowest + 1)
          : j % 8 == 1 ? std::ldexp(std::frexp(e, &divisorExponent), highest)
                       : e;
      T down = e, up = e;
      for (int k = 0; k < 4; ++k) {
        compare(down, t, r);
        compare(-up, t, r);
        down = std::nextafter(down, T(0));
        up = std::nextafter(up, std::numeric_limits<T>::infinity());
      }
    }
  }
  compare.expectEqual(atLeast);
}

TEST(FastQuotient, NearTiesFloat) { nearTies<float>(4000, 1'900'000); }
TEST(FastQuotient, NearTiesDouble) { nearTies<double>(4000, 1'900'000); }

TEST(FastQuotient, SmallMantissasOfBothOperandsNearTwo) {
  // The proof's last case: both operands a few ulps below a power of two.
  Comparison<float> compare32;
  Comparison<double> compare64;
  for (uint64_t j = 0; j < 300; ++j)
    for (uint64_t k = 0; k < 300; ++k) {
      float t = withMantissa<float>(0x7FFFFF - k);
      compare32(withMantissa<float>(0x7FFFFF - j), t, 1.0f / t);
      double u = withMantissa<double>(0xFFFFFFFFFFFFF - k);
      compare64(withMantissa<double>(0xFFFFFFFFFFFFF - j), u, 1.0 / u);
    }
  compare32.expectEqual(90'000);
  compare64.expectEqual(90'000);
}

/// Where a quotient only feeds exp(q - m), dividends that are too small for the exact form do not matter.
template <class T> void tinyDividendsInsideExp() {
  std::mt19937_64 generator(13);
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits - 1;
  auto number = [&](int from, int to) {
    T mantissa = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(generator));
    return std::ldexp(mantissa, std::uniform_int_distribution<int>(from, to)(generator));
  };
  for (int i = 0; i < 200'000; ++i) {
    T t = std::sqrt(static_cast<T>(1 + generator() % 4096)), r = T(1) / t;
    T x = i % 16 == 0 ? -T(0) : number(lowest, sizeof(T) == 4 ? -90 : -950);
    T other = i % 3 == 0 ? number(lowest, 5) : i % 3 == 1 ? number(-60, 5) : number(lowest, lowest + 60);
    T m = maximum(x / t, other / t);
    ASSERT_EQ(bitsOf(canonicalExp(fastQuotient(x, t, r) - m)), bitsOf(canonicalExp(x / t - m)))
        << std::hexfloat << x << " / " << t << " - " << m;
  }
}

TEST(FastQuotient, TinyDividendsInsideExpFloat) { tinyDividendsInsideExp<float>(); }
TEST(FastQuotient, TinyDividendsInsideExpDouble) { tinyDividendsInsideExp<double>(); }

TEST(FastQuotient, MaximumBeforeDivision) {
  std::mt19937 generator(17);
  for (int i = 0; i < 300'000; ++i) {
    ScalarBuilder<float> b;
    float x = b.floatBits(generator()),
          y = i % 4 ? b.floatBits(bitsOf(x) + generator() % 5 - 2) : b.floatBits(generator());
    float u = std::sqrt(static_cast<float>(1 + generator() % 4096));
    ASSERT_EQ(bitsOf(maximum(divide(x, u), divide(y, u))), bitsOf(divide(maximum(x, y), u)));
    ASSERT_EQ(bitsOf(minimum(divide(x, u), divide(y, u))), bitsOf(divide(minimum(x, y), u)));
  }
}

TEST(FastQuotient, RefusesWhatItCannotDo) {
  EXPECT_TRUE(fastQuotientIsExact(0.0f, 3.0f));
  EXPECT_EQ(bitsOf(fastQuotient(0.0f, 3.0f, 1.0f / 3.0f)), 0u);
  EXPECT_FALSE(fastQuotientIsExact(-0.0f, 3.0f));
  EXPECT_NE(bitsOf(fastQuotient(-0.0f, 3.0f, 1.0f / 3.0f)), bitsOf(-0.0f / 3.0f));
  EXPECT_FALSE(fastQuotientIsExact(0x1p-101f, 3.0f));
  EXPECT_TRUE(fastQuotientIsExact(0x1p-100f, 3.0f));
  EXPECT_FALSE(fastQuotientIsExact(1.0f, 0.5f));
  EXPECT_FALSE(fastQuotientIsExact(1.0f, 0x1p24f));
  EXPECT_FALSE(fastQuotientIsExact(std::numeric_limits<float>::infinity(), 3.0f));
  EXPECT_FALSE(fastQuotientIsExact(std::numeric_limits<double>::quiet_NaN(), 3.0));
  EXPECT_FALSE(fastQuotientIsExact(1.0, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(fastQuotientIsExact(0x1p-961, 3.0));
}

} // namespace
