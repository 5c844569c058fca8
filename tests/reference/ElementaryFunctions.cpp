//===- ElementaryFunctions.cpp - The functions that are measured -------------===//
#include "tests/reference/ElementaryMeasure.h"

#include <limits>
#include <stdexcept>

namespace nova::reference {
namespace {

// Expressions rather than library calls where the library has no such function.
double sigmoidInDouble(double x) {
  double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

void exactSigmoid(mpfr_t x) {
  mpfr_neg(x, x, MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  mpfr_ui_div(x, 1, x, MPFR_RNDN);
}

/// Multiples of ln 2 / `divisor`, where the power of two of exp(divisor * x) changes, and where that is 2^k.
std::vector<double> breakpoints(int first, int last, double divisor) {
  std::vector<double> points;
  for (int k = first; k <= last; ++k)
    for (double half : {0.0, 0.5})
      points.push_back((k + half) * 0.69314718055994530942 / divisor);
  return points;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ElementaryFunction expEntry() {
  ElementaryFunction f{"exp", canonicalExp<float>, canonicalExp<double>};
  f.exact = [](mpfr_t x) { mpfr_exp(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::exp(x); };
  f.boundFloat = 0.90;
  f.boundDouble = 0.98;
  f.direction = 1;
  f.deepestDescent = 1;
  // Never on the wrong side of 1, and never a negative zero.
  f.law = [](double x, double y) {
    return !(x <= 0 && y > 1) && !(x >= 0 && y < 1) && !(std::signbit(y) && y == y) && (x != 0 || y == 1);
  };
  f.hard = {{-746, 710}, {-40, 0}, {-1, 1}};
  f.edges = joined(breakpoints(-1080, 1030, 1), {0x1.62e42fefa39efp+9 /* overflow */, 708.3964185322641 /* subnormal */,
                                                 745.1332191019411 /* 2^-1075 */, 745.2, 746, 800});
  return f;
}

ElementaryFunction erfEntry() {
  ElementaryFunction f{"erf", canonicalErf<float>, canonicalErf<double>};
  f.exact = [](mpfr_t x) { mpfr_erf(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::erf(x); };
  f.boundFloat = f.boundDouble = 0.95;
  f.direction = 1;
  f.odd = true;
  // What is below a normal number rounds to whole units.
  f.law = [](double x, double y) { return y != y || std::fabs(y) <= std::min(1.0, 1.2 * std::fabs(x) + 0x1p-149); };
  f.hard = {{-6, 6}, {-1.2, 1.2}, {0.7, 1.5}, {0x1p-40, 0x1p-1, true}};
  f.edges = {0.5, 0.75, 0.875, 0.9999, 1.0, 1.5, 2.0, 3.0, 3.9, 4.0, 5.8, 5.9, 6.0, 27.0};
  for (int k = 0; k < 53; ++k) // where the power of two of exp(-x^2) changes
    f.edges.push_back(std::sqrt((k + 0.5) * 0.69314718055994530942));
  return f;
}

ElementaryFunction logEntry() {
  ElementaryFunction f{"log", canonicalLog<float>, canonicalLog<double>};
  f.exact = [](mpfr_t x) { mpfr_log(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::log(x); };
  f.boundFloat = f.boundDouble = 0.90;
  f.direction = 1;
  f.law = [](double x, double y) { return !(x > 0 && x <= 1 && y > 0) && !(x >= 1 && y < 0); };
  f.hard = {{0.4, 2.5}, {0.70, 0.72}, {1.40, 1.42}, {1 - 0x1p-20, 1 + 0x1p-20}};
  for (int k = -1074; k < 1024; ++k)
    for (double m : {1.0, 1.41421356237309504880})
      f.edges.push_back(std::ldexp(m, k));
  return f;
}

ElementaryFunction rsqrtEntry() {
  ElementaryFunction f{"rsqrt", canonicalRsqrt<float>, canonicalRsqrt<double>};
  f.exact = [](mpfr_t x) { mpfr_rec_sqrt(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return 1 / std::sqrt(x); };
  f.boundFloat = f.boundDouble = 0.5001;
  f.direction = -1;
  f.hard = {{0.5, 1}, {1, 4}};
  for (int k = -1074; k < 1024; ++k)
    f.edges.push_back(std::ldexp(1.0, k));
  return f;
}

ElementaryFunction sigmoidEntry() {
  ElementaryFunction f{"sigmoid", canonicalSigmoid<float>, canonicalSigmoid<double>};
  f.exact = exactSigmoid;
  f.filter = sigmoidInDouble;
  f.boundFloat = f.boundDouble = 0.88;
  f.direction = 1;
  f.law = [](double x, double y) {
    return y != y || (!std::signbit(y) && y <= 1 && !(x <= 0 && y > 0.5) && !(x >= 0 && y < 0.5));
  };
  f.hard = {{-746, 40}, {-20, 20}, {-1, 1}, {-746, -708}};
  f.edges = joined(breakpoints(-1080, 60, 1),
                   {-800, -746, -745.1332191019411, -708.3964185322641, 0x1p-53, -0x1p-54, 36.7368005696771});
  return f;
}

ElementaryFunction tanhEntry() {
  ElementaryFunction f{"tanh", canonicalTanh<float>, canonicalTanh<double>};
  f.exact = [](mpfr_t x) { mpfr_tanh(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::tanh(x); };
  f.boundFloat = f.boundDouble = 0.80;
  f.direction = 1;
  f.odd = true;
  f.law = [](double x, double y) { return y != y || std::fabs(y) <= std::min(1.0, std::fabs(x)); };
  f.hard = {{-20, 20}, {-1, 1}, {0x1p-30, 0x1p-1, true}, {0.1, 0.6}};
  f.edges = joined(breakpoints(0, 64, 2), {9.0, 9.010913, 19.0, 22.0, 44.0, 0x1p-27, 0x1p-26});
  return f;
}

// Neighbours of multiples of pi/2: the hardest arguments are among them.
std::vector<double> quarterTurns() {
  std::vector<double> points = {0x1p17, 0x1p30, 0x1p22, 0x1p53, 0x1p100, 0x1.fffffep127,
                                // Closest of all to a multiple of pi/2, f32 and f64.
                                0x1.f37c8ap95, 0x1.6ac5b262ca1ffp849};
  for (int k = 1; k < 1000; ++k)
    points.push_back(k * 1.57079632679489661923);
  for (int k = 10; k < 53; ++k)
    points.push_back(std::ldexp(1.57079632679489661923, k));
  return points;
}

ElementaryFunction sinEntry() {
  ElementaryFunction f{"sin", canonicalSin<float>, canonicalSin<double>};
  f.exact = [](mpfr_t x) { mpfr_sin(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::sin(x); };
  f.boundFloat = f.boundDouble = 0.80;
  f.odd = true;
  f.law = [](double x, double y) { return y != y || std::fabs(y) <= std::min(1.0, std::fabs(x)); };
  f.hard = {{-7, 7}, {-0.8, 0.8}, {0, 1000}, {0, 0x1p31}, {0x1p17, 0x1p1023, true}};
  f.edges = quarterTurns();
  return f;
}

ElementaryFunction cosEntry() {
  ElementaryFunction f = sinEntry();
  f.name = "cos";
  f.single = canonicalCos<float>;
  f.twice = canonicalCos<double>;
  f.exact = [](mpfr_t x) { mpfr_cos(x, x, MPFR_RNDN); };
  f.filter = [](double x) { return std::cos(x); };
  f.odd = false;
  f.law = [](double, double y) { return y != y || std::fabs(y) <= 1; };
  return f;
}

} // namespace

const std::vector<ElementaryFunction> &elementaryFunctions() {
  static const std::vector<ElementaryFunction> functions = {cosEntry(),   erfEntry(),     expEntry(), logEntry(),
                                                            rsqrtEntry(), sigmoidEntry(), sinEntry(), tanhEntry()};
  return functions;
}

const ElementaryFunction &elementaryFunction(const std::string &name) {
  for (const ElementaryFunction &function : elementaryFunctions())
    if (function.name == name)
      return function;
  throw std::invalid_argument("no elementary function is called " + name);
}

} // namespace nova::reference
