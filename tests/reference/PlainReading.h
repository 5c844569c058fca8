//===- PlainReading.h - Graphs read without masks ----------------------------===//
#ifndef NOVA_TESTS_REFERENCE_PLAINREADING_H
#define NOVA_TESTS_REFERENCE_PLAINREADING_H

#include "compiler/reference/Tensor.h"
#include "dialects/graph/NovaDialect.h"

#include <vector>

namespace nova::reference {

/// What a stored graph computes when every operation is applied to every entry and `where` only selects: the reading
/// that masks refine.
struct PlainReading {
  std::vector<Tensor> results;
  /// Some value held a NaN.
  bool sawNaN = false;
  /// Something was divided by a zero, whose sign a mask may change.
  bool sawZeroDivisor = false;
};

/// Reads a graph without type parameters and calls. The arguments must fit. An integer other than 0 divided by 0 is
/// `poison`, and 0 is 0.
PlainReading readPlainly(GraphOp stored, const std::vector<Tensor> &arguments, int32_t poison = 0);

} // namespace nova::reference

#endif // NOVA_TESTS_REFERENCE_PLAINREADING_H
