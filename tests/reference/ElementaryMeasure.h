//===- ElementaryMeasure.h - Errors of the elementary functions --------------===//
#ifndef NOVA_TESTS_REFERENCE_ELEMENTARYMEASURE_H
#define NOVA_TESTS_REFERENCE_ELEMENTARYMEASURE_H

#include "compiler/reference/ElementaryScalar.h"

#include <cstdint>
#include <mpfr.h>
#include <string>
#include <vector>

namespace nova::reference {

/// An interval of arguments; `wide` if magnitudes are drawn evenly in their exponent.
struct Arguments {
  double low, high;
  bool wide = false;
};

/// An elementary function of one argument, what it is compared with, and what docs/arithmetic.md promises.
struct ElementaryFunction {
  std::string name;
  float (*single)(float);
  double (*twice)(double);
  /// The function in MPFR, in place.
  void (*exact)(mpfr_t) = nullptr;
  /// The C library's, in double: good to 2^-50, and right where the result is NaN, infinite or zero.
  double (*filter)(double) = nullptr;
  double boundFloat = 0, boundDouble = 0; ///< published bounds in ulp
  int direction = 0;                      ///< 1 never falls, -1 never rises, 0 neither
  double deepestDescent = 0;              ///< in ulp, how far neighbours may go against `direction`
  bool odd = false;                       ///< f(-x) is -f(x), bit for bit
  /// Holds for every argument and its result; null if there is nothing to say.
  bool (*law)(double x, double y) = nullptr;
  std::vector<Arguments> hard = {}; ///< where f64 is sampled, apart from every magnitude
  std::vector<double> edges = {};   ///< and with their neighbours
};

/// All of them, in the order of the page.
const std::vector<ElementaryFunction> &elementaryFunctions();
const ElementaryFunction &elementaryFunction(const std::string &name);

/// What was seen over a set of inputs. Ulps are those of the exact result's binade, subnormal results included.
struct Errors {
  double worst = 0;          ///< largest error in ulp over finite results
  double worstInput = 0;     ///< where
  int64_t measured = 0;      ///< finite results measured
  int64_t notNearest = 0;    ///< of them, results that are not the exact result rounded to nearest even
  int64_t decidedByMPFR = 0; ///< inputs so close to a tie that only MPFR could round them
  int64_t descents = 0;      ///< neighbours in the set that go against the function's direction
  double deepestDescent = 0; ///< the largest such difference, in ulp
  int64_t filterFaults = 0;  ///< inputs at which the filter itself was off by more than it may be
  std::string firstFault;    ///< a special value or a law that is wrong; empty if none

  void merge(const Errors &other);
  std::string summary() const;
};

/// Measures every `stride`-th float from the bits `first` up to and including `last` (one sign). The exact result comes
/// from the filter, which is itself checked against MPFR on every 4099th input and at every new worst case; results
/// near a tie are rounded by MPFR.
Errors measureFloats(const ElementaryFunction &function, uint32_t first, uint32_t last, uint32_t stride);

/// Adds one double and the step to its upper neighbour to `errors`, against MPFR with 160 bits.
void measureDouble(const ElementaryFunction &function, double x, Errors &errors);

} // namespace nova::reference

#endif // NOVA_TESTS_REFERENCE_ELEMENTARYMEASURE_H
