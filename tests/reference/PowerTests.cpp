//===- PowerTests.cpp - power: bound, special values, exact results ----------===//
#include "compiler/reference/ElementaryScalar.h"
#include "tests/SlowTests.h"

#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <mpfr.h>
#include <random>

using namespace nova::reference;

namespace {

/// What docs/elementary.md argues, in ulp, for both types.
constexpr double bound = 0.9;

template <class T> class Power : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Power, Types);

/// The error of x^y, in ulps of the exact result's binade; 0 for an infinity or a zero that is due.
template <class T> double errorOf(T x, T y) {
  using L = std::numeric_limits<T>;
  T result = canonicalPower(x, y);
  mpfr_t exact, exponent;
  mpfr_inits2(200, exact, exponent, nullptr);
  mpfr_set_d(exact, x, MPFR_RNDN);
  mpfr_set_d(exponent, y, MPFR_RNDN);
  mpfr_pow(exact, exact, exponent, MPFR_RNDN);
  // Half an ulp above the largest number everything is infinite; there the ulp is that of the last binade.
  int binade = std::min<int>(std::max<int>(mpfr_get_exp(exact) - 1, L::min_exponent - 1), L::max_exponent - 1);
  double error;
  if (std::isinf(result)) {
    mpfr_abs(exact, exact, MPFR_RNDN);
    mpfr_sub_d(exact, exact, L::max(), MPFR_RNDN);
    mpfr_mul_2si(exact, exact, L::digits - 1 - binade, MPFR_RNDN);
    double above = mpfr_get_d(exact, MPFR_RNDN);
    error = above >= 0.5 ? 0 : 1 - above;
  } else {
    mpfr_sub_d(exact, exact, result, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, L::digits - 1 - binade, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
  }
  mpfr_clears(exact, exponent, nullptr);
  return error;
}

template <class T> struct Worst {
  double error = 0;
  T x = 0, y = 0;
  void add(T newX, T newY) {
    double e = errorOf(newX, newY);
    if (!(e <= error)) {
      error = e;
      x = newX;
      y = newY;
    }
  }
};

TYPED_TEST(Power, Bound) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  // A million pairs with NOVA_SLOW=1.
  int count = nova::test::slowTests() ? 1'000'000 : 60'000;
  const double range = L::max_exponent, bottom = L::min_exponent - L::digits;
  std::mt19937_64 generator(17);
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); };
  Worst<T> worst;
  for (int i = 0; i < count; ++i) {
    T x, y;
    switch (i % 6) {
    case 0: // everyday numbers
      x = static_cast<T>(uniform(0, 4));
      y = static_cast<T>(uniform(-20, 20));
      break;
    case 1: // every magnitude of x, results over the whole range
      x = static_cast<T>(std::exp2(uniform(bottom, range)));
      y = static_cast<T>(uniform(bottom, range) / std::log2(static_cast<double>(x)));
      break;
    case 2: // x near 1 and a large y: the logarithm's last bits count most
      x = static_cast<T>(1 + std::ldexp(uniform(-1, 1), -static_cast<int>(uniform(1, L::digits - 2))));
      if (x == 1)
        continue;
      y = static_cast<T>(uniform(0.9, 1) * (generator() & 1 ? range : bottom) / std::log2(static_cast<double>(x)));
      break;
    case 3: // the ends of the logarithm's reduced range
      x = static_cast<T>(std::ldexp(uniform(1.40, 1.43), static_cast<int>(uniform(-20, 20))));
      y = static_cast<T>(uniform(bottom, range) / std::log2(static_cast<double>(x)));
      break;
    case 4: // subnormal results
      x = static_cast<T>(uniform(0.01, 0.99));
      y = static_cast<T>(uniform(bottom - 2, L::min_exponent + 1) / std::log2(static_cast<double>(x)));
      break;
    default: // whole powers, of negative numbers too
      x = static_cast<T>(uniform(-30, 30));
      y = static_cast<T>(std::floor(uniform(-30, 30)));
    }
    worst.add(x, y);
  }
  std::cout << "largest error " << worst.error << " ulp at " << std::hexfloat << worst.x << "^" << worst.y
            << std::defaultfloat << "\n";
  EXPECT_LE(worst.error, bound);
}

TYPED_TEST(Power, ExactResultsAreExact) {
  using T = TypeParam;
  std::mt19937_64 generator(23);
  for (int i = 0; i < 100'000; ++i) {
    T x = ScalarBuilder<T>().floatBits(generator());
    if (!std::isfinite(x))
      continue;
    ASSERT_EQ(bitsOf(canonicalPower(x, T(1))), bitsOf(x)) << x;
    T root = static_cast<T>(generator() % (1 << (std::numeric_limits<T>::digits / 2)));
    ASSERT_EQ(canonicalPower(root, T(2)), root * root) << root;
    ASSERT_EQ(canonicalPower(root * root, T(0.5)), root) << root;
  }
  for (int k = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
       k < std::numeric_limits<T>::max_exponent; ++k)
    ASSERT_EQ(canonicalPower(T(2), static_cast<T>(k)), std::ldexp(T(1), k)) << k;
  T ten = 1;
  for (int k = 0; k <= (sizeof(T) == 4 ? 10 : 22); ++k, ten *= 10)
    ASSERT_EQ(canonicalPower(T(10), static_cast<T>(k)), ten) << k;
}

TYPED_TEST(Power, SpecialValuesAreThoseOfTheStandard) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  const T inf = L::infinity(), nan = L::quiet_NaN(), odd = std::ldexp(T(1), L::digits) - 1, half = T(0.5);
  const T bases[] = {
      T(0), T(1), T(2), half, T(1) - L::epsilon(), T(1) + L::epsilon(), L::max(), L::min(), L::denorm_min(), inf, nan};
  const T powers[] = {T(0),    half,    T(1),    T(1.5),   T(2),     T(3), odd,
                      odd - 1, odd + 1, odd / 4, L::max(), L::min(), inf,  nan};
  for (T base : bases)
    for (T power : powers)
      for (T x : {base, -base})
        for (T y : {power, -power}) {
          T expected = std::pow(x, y), found = canonicalPower(x, y);
          // The standard's function fixes NaN, infinities, zeros and ones; other values are the bound's business.
          if (expected != expected) {
            ASSERT_EQ(bitsOf(found), FloatFormat<T>::canonicalNaN) << x << "^" << y;
          } else if (std::isinf(expected) || expected == 0 || std::fabs(expected) == 1) {
            ASSERT_EQ(bitsOf(found), bitsOf(expected)) << x << "^" << y;
          } else {
            ASSERT_LE(errorOf(x, y), bound) << x << "^" << y;
          }
        }
}

} // namespace
