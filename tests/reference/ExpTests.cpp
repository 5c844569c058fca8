//===- ExpTests.cpp - exp: breakpoints and cheaper forms ---------------------===//
#include "tests/reference/ElementaryMeasure.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace nova::reference;

namespace {

TEST(Exp, FloatsAroundEveryBreakpoint) {
  // The power of two changes at (k + 1/2) ln 2; neighbours there come from different polynomials' ends.
  const ElementaryFunction &function = elementaryFunction("exp");
  Errors errors;
  for (int k = -152; k <= 129; ++k) {
    uint32_t centre = static_cast<uint32_t>(bitsOf(static_cast<float>((k + 0.5) * 0.6931471805599453)));
    errors.merge(measureFloats(function, centre - 2000, centre + 2000, 1));
  }
  EXPECT_LE(errors.worst, function.boundFloat);
  EXPECT_LE(errors.deepestDescent, 1.0);
  EXPECT_EQ(errors.firstFault, "");
}

/// The cheaper forms have the bits of exp wherever their preconditions hold.
template <class T> void compareForms(T x) {
  using C = ExpConstants<T>;
  ScalarBuilder<T> b;
  uint64_t expected = bitsOf(exp<T>(b, x));
  if (x >= C::normalLow && x <= C::normalHigh) {
    ASSERT_EQ(bitsOf(expNormal<T>(b, x)), expected) << x;
  }
  if (!(x > C::clampHigh)) {
    ASSERT_EQ(bitsOf(expNonPositive<T>(b, x)), expected) << x;
  }
}

TEST(Exp, CheaperFormsHaveTheSameBitsFloat) {
  ScalarBuilder<float> b;
  for (uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 977)
    compareForms(b.floatBits(bits));
  for (float end : {ExpConstants<float>::normalLow, ExpConstants<float>::normalHigh, ExpConstants<float>::clampHigh})
    compareForms(end);
}

TEST(Exp, CheaperFormsHaveTheSameBitsDouble) {
  using C = ExpConstants<double>;
  for (double x : elementaryFunction("exp").edges) {
    compareForms(x);
    compareForms(-x);
  }
  for (double x : {0.0, -0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    compareForms(x);
  for (double end : {C::normalLow, C::normalHigh, C::clampHigh})
    compareForms(end);
  std::mt19937_64 generator(9);
  std::uniform_real_distribution<double> uniform(-800, 800);
  for (int i = 0; i < 1'000'000; ++i)
    compareForms(uniform(generator));
}

} // namespace
