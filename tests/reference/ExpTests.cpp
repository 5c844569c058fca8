//===- ExpTests.cpp - exp: bounds, special values, cheaper forms -------------===//
#include "tests/reference/ExpMeasure.h"

#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <vector>

using namespace nova::reference;

namespace {

TEST(Exp, FloatsStrided) {
  // A prime stride visits every residue of the mantissa's low bits in every binade.
  ExpErrors errors = measureFloats(0, 0x7FFFFFFF, 1009);
  errors.merge(measureFloats(0x80000000, 0xFFFFFFFF, 1009));
  std::cout << errors.summary() << "\n";
  EXPECT_LE(errors.worst, expBoundFloat);
  EXPECT_EQ(errors.filterFaults, 0);
  EXPECT_EQ(errors.firstFault, "");
  EXPECT_EQ(errors.descents, 0);
  EXPECT_GT(errors.measured, 2'000'000);
}

TEST(Exp, FloatsAroundEveryBreakpoint) {
  // The power of two changes at (k + 1/2) ln 2; neighbours there come from different polynomials' ends.
  ExpErrors errors;
  for (int k = -152; k <= 129; ++k) {
    uint32_t centre = static_cast<uint32_t>(bitsOf(static_cast<float>((k + 0.5) * 0.6931471805599453)));
    errors.merge(measureFloats(centre - 2000, centre + 2000, 1));
  }
  EXPECT_LE(errors.worst, expBoundFloat);
  EXPECT_LE(errors.deepestDescent, 1.0);
  EXPECT_EQ(errors.firstFault, "");
}

/// Every double that is special to exp, with its neighbours on both sides.
std::vector<double> edgesOfDouble() {
  using L = std::numeric_limits<double>;
  std::vector<double> centres = {0.0,
                                 L::denorm_min(),
                                 L::min(),
                                 0x1p-1000,
                                 0x1p-54,
                                 0x1p-53,
                                 0x1p-52,
                                 0x1p-30,
                                 1.0,
                                 2.0,
                                 0x1.62e42fefa39efp+9 /* overflow */,
                                 709.0,
                                 800.0,
                                 1000.0,
                                 L::max(),
                                 L::infinity(),
                                 708.3964185322641 /* subnormal results begin */,
                                 745.1332191019411 /* 2^-1075 */,
                                 744.4400719213812 /* 2^-1074 */,
                                 745.2,
                                 746.0};
  for (int k = 0; k <= 1080; ++k)
    for (double half : {0.0, 0.5})
      centres.push_back((k + half) * 0.69314718055994530942); // breakpoints and exact powers of two
  for (int k = 1; k <= 746; ++k)
    centres.push_back(k);
  std::vector<double> edges = {L::quiet_NaN(), -L::quiet_NaN(), ScalarBuilder<double>().floatBits(0x7FF0000000000001)};
  for (double centre : centres)
    for (int64_t step = -3; step <= 3; ++step) {
      int64_t bits = static_cast<int64_t>(bitsOf(centre)) + step;
      if (bits < 0)
        continue;
      double x = ScalarBuilder<double>().fromBits(bits);
      edges.push_back(x);
      edges.push_back(-x);
    }
  return edges;
}

TEST(Exp, DoublesOnEdgesAndAMillionInputs) {
  ExpErrors errors;
  std::vector<double> edges = edgesOfDouble();
  for (double x : edges)
    measureDouble(x, errors);
  std::mt19937_64 generator(3);
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); };
  int64_t remaining = 1'000'000 - static_cast<int64_t>(edges.size());
  for (int64_t i = 0; i < remaining; ++i) {
    switch (i % 4) {
    case 0: // the whole range
      measureDouble(uniform(-746, 710), errors);
      break;
    case 1: // the arguments of a softmax
      measureDouble(uniform(-40, 0), errors);
      break;
    case 2: // the ends of the reduced range, where the error is largest
      measureDouble((std::floor(uniform(-1070, 1020)) + uniform(0.49, 0.51)) * 0.69314718055994530942, errors);
      break;
    default: // every magnitude
      measureDouble(std::ldexp(uniform(-1, 1), static_cast<int>(uniform(-60, 10))), errors);
    }
  }
  std::cout << errors.summary() << "\n";
  EXPECT_LE(errors.worst, expBoundDouble);
  EXPECT_EQ(errors.firstFault, "");
  EXPECT_GT(errors.measured, 900'000);
}

TEST(Exp, DoubleNeighboursDescendByAtMostOneUlp) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform(-708, 709);
  int64_t descents = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    double x = uniform(generator), y = canonicalExp(x);
    double next = canonicalExp(std::nextafter(x, std::numeric_limits<double>::infinity()));
    ASSERT_GE(next, std::nextafter(y, 0.0)) << std::hexfloat << x;
    descents += next < y;
  }
  std::cout << descents << " descents in 1,000,000 pairs of neighbours\n";
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
  for (double x : edgesOfDouble())
    compareForms(x);
  for (double end : {C::normalLow, C::normalHigh, C::clampHigh})
    compareForms(end);
  std::mt19937_64 generator(9);
  std::uniform_real_distribution<double> uniform(-800, 800);
  for (int i = 0; i < 1'000'000; ++i)
    compareForms(uniform(generator));
}

} // namespace
