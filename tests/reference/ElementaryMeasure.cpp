//===- ElementaryMeasure.cpp - Errors of the elementary functions ------------===//
#include "tests/reference/ElementaryMeasure.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace nova::reference {
namespace {

/// f(x) to 160 bits.
class Exact {
public:
  Exact() { mpfr_init2(value, 160); }
  ~Exact() { mpfr_clear(value); }
  Exact(const Exact &) = delete;
  Exact &operator=(const Exact &) = delete;

  void compute(const ElementaryFunction &function, double x) {
    mpfr_set_d(value, x, MPFR_RNDN);
    function.exact(value);
  }
  double asDouble() const { return mpfr_get_d(value, MPFR_RNDN); }
  float asFloat() const { return mpfr_get_flt(value, MPFR_RNDN); }
  /// |y - f(x)| in units of 2^-mantissaBits in the binade of f(x), which is at least 2^lowestExponent.
  double ulps(double y, int mantissaBits, int lowestExponent) {
    int binade = std::max<int>(static_cast<int>(mpfr_get_exp(value)) - 1, lowestExponent);
    mpfr_sub_d(value, value, y, MPFR_RNDN);
    mpfr_mul_2si(value, value, mantissaBits - binade, MPFR_RNDN);
    return std::fabs(mpfr_get_d(value, MPFR_RNDN));
  }

private:
  mpfr_t value;
};

template <class T> void fault(const ElementaryFunction &function, T x, T y, Errors &errors) {
  if (!errors.firstFault.empty())
    return;
  std::ostringstream text;
  text << function.name << "(" << std::hexfloat << x << ") = " << y << ", bits " << std::hex << bitsOf(y);
  errors.firstFault = text.str();
}

/// Checks laws and the values that are prescribed exactly: NaN, infinities and zeros. True if y is one of them.
template <class T> bool isSpecial(const ElementaryFunction &function, T x, T y, double reference, Errors &errors) {
  if (function.law && !function.law(x, y))
    fault(function, x, y, errors);
  if (reference != reference) {
    if (bitsOf(y) != FloatFormat<T>::canonicalNaN)
      fault(function, x, y, errors);
    return true;
  }
  // Infinite, or beyond half an ulp above the largest number.
  constexpr double largest = std::numeric_limits<T>::max();
  T rounded = static_cast<T>(reference);
  if (reference == 0 || std::isinf(rounded)) {
    if (bitsOf(y) != bitsOf(rounded))
      fault(function, x, y, errors);
    return true;
  }
  if (std::fabs(static_cast<double>(y)) > largest) {
    fault(function, x, y, errors);
    return true;
  }
  return false;
}

/// 2^k for k in the normal range of double.
double twoTo(int k) { return ScalarBuilder<double>().fromBits(static_cast<int64_t>(k + 1023) << 52); }

int binadeOf(double x) { return static_cast<int>(bitsOf(std::fabs(x)) >> 52) - 1023; }

} // namespace

void Errors::merge(const Errors &other) {
  if (other.worst > worst) {
    worst = other.worst;
    worstInput = other.worstInput;
  }
  measured += other.measured;
  notNearest += other.notNearest;
  decidedByMPFR += other.decidedByMPFR;
  descents += other.descents;
  deepestDescent = std::max(deepestDescent, other.deepestDescent);
  filterFaults += other.filterFaults;
  if (firstFault.empty())
    firstFault = other.firstFault;
}

std::string Errors::summary() const {
  std::ostringstream text;
  text.precision(6);
  text << "largest error " << worst << " ulp at " << std::hexfloat << worstInput << std::defaultfloat << "; "
       << notNearest << " of " << measured << " results not the nearest; " << decidedByMPFR << " rounded by MPFR; "
       << descents << " descents, deepest " << deepestDescent << " ulp";
  return text.str();
}

Errors measureFloats(const ElementaryFunction &function, uint32_t first, uint32_t last, uint32_t stride) {
  Exact exact;
  Errors errors;
  ScalarBuilder<float> builder;
  float previous = 0;
  bool havePrevious = false;
  for (uint64_t bits = first; bits <= last; bits += stride) {
    float x = builder.floatBits(bits), y = function.single(x);
    if (function.odd && y == y && bitsOf(function.single(-x)) != bitsOf(-y))
      fault(function, -x, function.single(-x), errors);
    double reference = function.filter(static_cast<double>(x));
    if (isSpecial(function, x, y, reference, errors)) {
      havePrevious = false;
      continue;
    }
    double ulp = twoTo(std::max(binadeOf(reference), -126) - 23);
    double error = std::fabs(y - reference) / ulp;
    ++errors.measured;

    // The filter is trusted to four units of its own last place, and rounds wherever that cannot cross a tie.
    double slack = std::fabs(reference) * 0x1p-50;
    float nearest = static_cast<float>(reference);
    if (static_cast<float>(reference - slack) != static_cast<float>(reference + slack)) {
      exact.compute(function, x);
      nearest = exact.asFloat();
      ++errors.decidedByMPFR;
    }
    errors.notNearest += y != nearest;
    if (error > std::max(errors.worst, 0.5) || bits % 4099 == 0) {
      exact.compute(function, x);
      errors.filterFaults += !(std::fabs(exact.asDouble() - reference) <= slack);
      error = exact.ulps(y, 23, -126);
    }
    if (error > errors.worst) {
      errors.worst = error;
      errors.worstInput = x;
    }
    // Bits ascend with |x|.
    if (havePrevious) {
      double rise = x < 0 ? static_cast<double>(previous) - y : static_cast<double>(y) - previous;
      double descent = -rise * function.direction / ulp;
      errors.descents += descent > 0;
      errors.deepestDescent = std::max(errors.deepestDescent, descent);
    }
    previous = y;
    havePrevious = true;
  }
  return errors;
}

void measureDouble(const ElementaryFunction &function, double x, Errors &errors) {
  static thread_local Exact exact;
  double y = function.twice(x);
  if (function.odd && y == y && bitsOf(function.twice(-x)) != bitsOf(-y))
    fault(function, -x, function.twice(-x), errors);
  if (isSpecial(function, x, y, function.filter(x), errors))
    return;
  exact.compute(function, x);
  ++errors.measured;
  // Below the normal range MPFR would round twice; there only the error counts.
  double nearest = exact.asDouble();
  errors.notNearest += std::fabs(nearest) >= std::numeric_limits<double>::min() && y != nearest;
  double error = exact.ulps(y, 52, -1022);
  if (error > errors.worst) {
    errors.worst = error;
    errors.worstInput = x;
  }
  double next = function.twice(std::nextafter(x, std::numeric_limits<double>::infinity()));
  if (std::isfinite(next)) {
    double ulp = std::ldexp(1.0, std::max(binadeOf(y), -1022) - 52);
    double descent = (y - next) * function.direction / ulp;
    errors.descents += descent > 0;
    errors.deepestDescent = std::max(errors.deepestDescent, descent);
  }
}

} // namespace nova::reference
