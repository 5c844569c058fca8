//===- ExpMeasure.cpp - Errors of the canonical exp --------------------------===//
#include "tests/reference/ExpMeasure.h"

#include <algorithm>
#include <limits>
#include <mpfr.h>
#include <sstream>

namespace nova::reference {
namespace {

/// exp(x) to 128 bits.
class ExactExp {
public:
  ExactExp() { mpfr_init2(value, 128); }
  ~ExactExp() { mpfr_clear(value); }
  ExactExp(const ExactExp &) = delete;
  ExactExp &operator=(const ExactExp &) = delete;

  void compute(double x) {
    mpfr_set_d(value, x, MPFR_RNDN);
    mpfr_exp(value, value, MPFR_RNDN);
  }
  double asDouble() const { return mpfr_get_d(value, MPFR_RNDN); }
  float asFloat() const { return mpfr_get_flt(value, MPFR_RNDN); }
  /// |y - exp(x)| in units of 2^-mantissaBits in the binade of exp(x), which is at least 2^lowestExponent.
  double ulps(double y, int mantissaBits, int lowestExponent) {
    int binade = std::max<int>(static_cast<int>(mpfr_get_exp(value)) - 1, lowestExponent);
    mpfr_sub_d(value, value, y, MPFR_RNDN);
    mpfr_mul_2si(value, value, mantissaBits - binade, MPFR_RNDN);
    return std::fabs(mpfr_get_d(value, MPFR_RNDN));
  }

private:
  mpfr_t value;
};

template <class T> bool sameBits(T a, T b) { return bitsOf(a) == bitsOf(b); }

void fault(ExpErrors &errors, double x, double y) {
  if (!errors.firstFault.empty())
    return;
  std::ostringstream text;
  text << "exp(" << std::hexfloat << x << ") = " << y;
  errors.firstFault = text.str();
}

/// Checks the values that are prescribed exactly; true if x is one of them or its result overflows.
template <class T> bool isSpecial(T x, T y, T overflowAbove, ExpErrors &errors) {
  if (x != x) {
    if (bitsOf(y) != ExpConstants<T>::canonicalNaN)
      fault(errors, x, y);
    return true;
  }
  if (x > overflowAbove || x == -std::numeric_limits<T>::infinity()) {
    if (!sameBits(y, x > 0 ? std::numeric_limits<T>::infinity() : T(0)))
      fault(errors, x, y);
    return true;
  }
  // Never on the wrong side of 1, and never a negative zero.
  if ((x <= 0 && y > 1) || (x >= 0 && y < 1) || std::signbit(y) || (x == 0 && y != 1))
    fault(errors, x, y);
  return false;
}

/// 2^k for k in the normal range of double.
double powerOfTwo(int k) {
  ScalarBuilder<double> b;
  return b.fromBits(static_cast<int64_t>(k + 1023) << 52);
}

int binadeOf(double positive) { return static_cast<int>(static_cast<uint64_t>(bitsOf(positive)) >> 52) - 1023; }

} // namespace

void ExpErrors::merge(const ExpErrors &other) {
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

std::string ExpErrors::summary() const {
  std::ostringstream text;
  text.precision(6);
  text << "largest error " << worst << " ulp at " << std::hexfloat << worstInput << std::defaultfloat << "; "
       << notNearest << " of " << measured << " results not the nearest; " << decidedByMPFR << " rounded by MPFR; "
       << descents << " descents, deepest " << deepestDescent << " ulp";
  return text.str();
}

ExpErrors measureFloats(uint32_t first, uint32_t last, uint32_t stride) {
  constexpr float overflowAbove = 0x1.62e42ep+6f; // the last float whose exp is below the largest float
  ExactExp exact;
  ExpErrors errors;
  ScalarBuilder<float> builder;
  float previous = 0;
  bool havePrevious = false;
  for (uint64_t bits = first; bits <= last; bits += stride) {
    float x = builder.floatBits(bits), y = canonicalExp(x);
    if (isSpecial(x, y, overflowAbove, errors)) {
      havePrevious = false;
      continue;
    }
    double reference = std::exp(static_cast<double>(x));
    int binade = std::max(binadeOf(reference), -126);
    double ulp = powerOfTwo(binade - 23);
    double error = std::fabs(y - reference) / ulp;
    ++errors.measured;

    // The filter is trusted to two units of its own last place, and rounds wherever that cannot cross a tie.
    double slack = reference * 0x1p-51;
    float nearest = static_cast<float>(reference);
    if (static_cast<float>(reference - slack) != static_cast<float>(reference + slack)) {
      exact.compute(x);
      nearest = exact.asFloat();
      ++errors.decidedByMPFR;
    }
    errors.notNearest += y != nearest;
    if (error > std::max(errors.worst, 0.5) || bits % 4099 == 0) {
      exact.compute(x);
      errors.filterFaults += !(std::fabs(exact.asDouble() - reference) <= slack);
      error = exact.ulps(y, 23, -126);
    }
    if (error > errors.worst) {
      errors.worst = error;
      errors.worstInput = x;
    }
    // Bits ascend with |x|: for negative x the results descend.
    if (havePrevious) {
      double descent = (x < 0 ? double(y) - previous : double(previous) - y) / ulp;
      errors.descents += descent > 0;
      errors.deepestDescent = std::max(errors.deepestDescent, descent);
    }
    previous = y;
    havePrevious = true;
  }
  return errors;
}

void measureDouble(double x, ExpErrors &errors) {
  constexpr double overflowAbove = 0x1.62e42fefa39efp+9;
  static thread_local ExactExp exact;
  double y = canonicalExp(x);
  if (isSpecial(x, y, overflowAbove, errors))
    return;
  exact.compute(x);
  ++errors.measured;
  // Below the normal range MPFR would round twice; there only the error counts.
  double nearest = exact.asDouble();
  errors.notNearest += nearest >= std::numeric_limits<double>::min() && y != nearest;
  double error = exact.ulps(y, 52, -1022);
  if (error > errors.worst) {
    errors.worst = error;
    errors.worstInput = x;
  }
}

} // namespace nova::reference
