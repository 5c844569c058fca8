//===- ExpMeasure.h - Errors of the canonical exp ----------------------------===//
#ifndef NOVA_TESTS_REFERENCE_EXPMEASURE_H
#define NOVA_TESTS_REFERENCE_EXPMEASURE_H

#include "compiler/reference/ElementaryScalar.h"

#include <cstdint>
#include <string>

namespace nova::reference {

/// The published bound B of exp in ulp, for f32 and f64. docs/arithmetic.md names the same figures.
constexpr double expBoundFloat = 0.90, expBoundDouble = 0.98;

/// What was seen over a set of inputs. Ulps are those of the exact result's binade, subnormal results included.
struct ExpErrors {
  double worst = 0;          ///< largest error in ulp over finite results
  double worstInput = 0;     ///< where
  int64_t measured = 0;      ///< finite results measured
  int64_t notNearest = 0;    ///< of them, results that are not the exact result rounded to nearest even
  int64_t decidedByMPFR = 0; ///< inputs so close to a tie that only MPFR could round them
  int64_t descents = 0;      ///< neighbours x < y in the set with exp(x) > exp(y)
  double deepestDescent = 0; ///< the largest such difference, in ulp
  int64_t filterFaults = 0;  ///< inputs at which the double-precision filter itself was off by more than it may be
  std::string firstFault;    ///< a special value that is wrong; empty if none

  void merge(const ExpErrors &other);
  std::string summary() const;
};

/// Measures exp on every `stride`-th float from the bits `first` up to and including `last` (one sign). The exact
/// result comes from a double-precision exp that is itself checked against MPFR on every 4099th input and at every new
/// worst case; results near a tie are rounded by MPFR.
ExpErrors measureFloats(uint32_t first, uint32_t last, uint32_t stride);

/// Adds one double to `errors`, against MPFR with 128 bits.
void measureDouble(double x, ExpErrors &errors);

} // namespace nova::reference

#endif // NOVA_TESTS_REFERENCE_EXPMEASURE_H
