//===- ElementaryTests.cpp - Bounds, special values and monotony -------------===//
#include "tests/SlowTests.h"
#include "tests/reference/ElementaryMeasure.h"

#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <random>

using namespace nova::reference;

namespace {

class Elementary : public testing::TestWithParam<std::string> {
protected:
  const ElementaryFunction &function = elementaryFunction(GetParam());

  void expectBound(const Errors &errors, double bound) {
    std::cout << errors.summary() << "\n";
    EXPECT_LE(errors.worst, bound) << "at " << std::hexfloat << errors.worstInput;
    EXPECT_EQ(errors.filterFaults, 0);
    EXPECT_EQ(errors.firstFault, "");
    EXPECT_LE(errors.deepestDescent, function.deepestDescent);
  }
};

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const ElementaryFunction &function : elementaryFunctions())
    names.push_back(function.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Functions, Elementary, testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

TEST_P(Elementary, FloatsStrided) {
  // A prime stride visits every residue of the mantissa's low bits in every binade.
  Errors errors = measureFloats(function, 0, 0x7FFFFFFF, 4001);
  errors.merge(measureFloats(function, 0x80000000, 0xFFFFFFFF, 4001));
  expectBound(errors, function.boundFloat);
  EXPECT_GT(errors.measured, 450'000);
}

TEST_P(Elementary, FloatNeighboursAtEdges) {
  Errors errors;
  for (double edge : function.edges) {
    float centre = static_cast<float>(edge);
    uint32_t bits = static_cast<uint32_t>(bitsOf(std::isfinite(centre) ? centre : 1.0f));
    uint32_t magnitude = bits & 0x7FFFFFFF, first = (bits & 0x80000000) | (magnitude > 64 ? magnitude - 64 : 0);
    errors.merge(measureFloats(function, first, first + 128, 1));
  }
  expectBound(errors, function.boundFloat);
}

TEST_P(Elementary, DoublesOnEdges) {
  using L = std::numeric_limits<double>;
  std::vector<double> centres = {0.0,     L::denorm_min(), L::min(), 0x1p-1000,     0x1p-54,
                                 0x1p-53, 0x1p-52,         0x1p-30,  0.5,           1.0,
                                 2.0,     1000.0,          L::max(), L::infinity(), L::quiet_NaN()};
  centres.insert(centres.end(), function.edges.begin(), function.edges.end());
  Errors errors;
  ScalarBuilder<double> b;
  for (double centre : centres)
    for (int64_t step = -3; step <= 3; ++step) {
      int64_t bits = b.toBits(std::fabs(centre)) + step;
      if (bits < 0)
        continue;
      measureDouble(function, b.fromBits(bits), errors);
      measureDouble(function, -b.fromBits(bits), errors);
    }
  expectBound(errors, function.boundDouble);
}

TEST_P(Elementary, DoublesSampled) {
  // A hundred thousand inputs; a million with NOVA_SLOW=1. One half of every magnitude and sign, one of hard regions.
  int count = nova::test::slowTests() ? 1'000'000 : 100'000;
  std::mt19937_64 generator(3);
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); };
  Errors errors;
  for (int i = 0; i < count; ++i) {
    const Arguments &hard = function.hard[i / 2 % function.hard.size()];
    double x;
    if (i % 2 == 0)
      x = std::ldexp(uniform(1, 2), static_cast<int>(i % 4 == 0 ? uniform(-60, 11) : uniform(-1074, 1024))) *
          (generator() & 1 ? -1 : 1);
    else if (hard.wide)
      x = std::exp2(uniform(std::log2(hard.low), std::log2(hard.high)));
    else
      x = uniform(hard.low, hard.high);
    measureDouble(function, x, errors);
  }
  expectBound(errors, function.boundDouble);
  EXPECT_GT(errors.measured, count / 2);
}

// Prescribed values, for both types.
struct Prescribed {
  const char *name;
  double x, y;
};
const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
const Prescribed prescribed[] = {
    {"sin", 0, 0},         {"sin", -0.0, -0.0},    {"sin", inf, nan},
    {"sin", -inf, nan},    {"sin", nan, nan},      {"sin", 0x1p-140, 0x1p-140},
    {"cos", 0, 1},         {"cos", -0.0, 1},       {"cos", inf, nan},
    {"cos", -inf, nan},    {"cos", nan, nan},      {"cos", 0x1p-140, 1},
    {"erf", 0, 0},         {"erf", -0.0, -0.0},    {"erf", inf, 1},
    {"erf", -inf, -1},     {"erf", 7, 1},          {"erf", nan, nan},
    {"exp", 0, 1},         {"exp", -0.0, 1},       {"exp", -inf, 0},
    {"exp", inf, inf},     {"exp", nan, nan},      {"log", 1, 0},
    {"log", 0, -inf},      {"log", -0.0, -inf},    {"log", inf, inf},
    {"log", -inf, nan},    {"log", -1e-40, nan},   {"log", -1, nan},
    {"log", nan, nan},     {"rsqrt", 4, 0.5},      {"rsqrt", 0.25, 2},
    {"rsqrt", 0, inf},     {"rsqrt", -0.0, -inf},  {"rsqrt", inf, 0},
    {"rsqrt", -inf, nan},  {"rsqrt", -1e-40, nan}, {"rsqrt", nan, nan},
    {"sigmoid", 0, 0.5},   {"sigmoid", -0.0, 0.5}, {"sigmoid", inf, 1},
    {"sigmoid", -inf, 0},  {"sigmoid", -800, 0},   {"sigmoid", 800, 1},
    {"sigmoid", nan, nan}, {"tanh", 0, 0},         {"tanh", -0.0, -0.0},
    {"tanh", inf, 1},      {"tanh", -inf, -1},     {"tanh", 0x1p-140, 0x1p-140},
    {"tanh", -30, -1},     {"tanh", nan, nan},
};

TEST(ElementaryValues, Prescribed) {
  for (const Prescribed &entry : prescribed) {
    const ElementaryFunction &function = elementaryFunction(entry.name);
    double y = function.twice(entry.x);
    float single = function.single(static_cast<float>(entry.x));
    EXPECT_EQ(bitsOf(y), bitsOf(entry.y)) << entry.name << "(" << entry.x << ") = " << y;
    EXPECT_EQ(bitsOf(single), bitsOf(static_cast<float>(entry.y))) << entry.name << "(" << entry.x << ") = " << single;
  }
}

} // namespace
