// Two tensors, entry by entry.
#ifndef NOVA_TOOLS_NOVA_COMPARE_H
#define NOVA_TOOLS_NOVA_COMPARE_H

#include "compiler/reference/Tensor.h"
#include <cstdint>
#include <string>

namespace nova::tool {
/// The distance of two entries of which one is NaN and the other is not; larger than all others.
constexpr uint64_t nanDistance = UINT64_MAX;

struct Difference {
  uint64_t largest = 0;   // distance, over all entries
  int64_t largestAt = -1; // the first entry with it; -1 where none differs
  int64_t firstAt = -1;   // the first entry beyond the tolerance; -1 for none
  uint64_t firstDistance = 0;
  int64_t beyond = 0; // entries beyond the tolerance
};

/// Compares tensors of one element type and shape. The distance of floats is the number of steps of their type from one
/// to the other, in units in the last place therefore; zeros of different sign are one step apart, NaNs are all the
/// same. Of integers and i1 it is the absolute difference.
Difference compare(const reference::Tensor &a, const reference::Tensor &b, uint64_t tolerance);

/// `[2, 0]`: where the entry at a row-major position is.
std::string placeOf(const reference::Tensor &tensor, int64_t entry);
} // namespace nova::tool

#endif
