#include "tools/nova/Compare.h"
#include "compiler/reference/Canonical.h"
#include <cmath>
#include <cstring>
#include <type_traits>

using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
static uint64_t distance(int64_t a, int64_t b) { return a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b); }

// Floats of one type in order of size, as integers one apart.
template <class Float, class Bits> static int64_t place(Float value) {
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  Bits magnitude = bits & std::numeric_limits<Bits>::max();
  return bits < 0 ? -int64_t(magnitude) - 1 : int64_t(magnitude);
}
template <class Float, class Bits> static uint64_t floatDistance(Float a, Float b) {
  auto isNaN = [](Float x) { return std::isnan(reference::castTo<double>(x)); };
  if (isNaN(a) || isNaN(b))
    return isNaN(a) && isNaN(b) ? 0 : nanDistance;
  return distance(place<Float, Bits>(a), place<Float, Bits>(b));
}

template <class T, class Measure>
static Difference compareEntries(const Tensor &a, const Tensor &b, uint64_t tolerance, Measure measure) {
  Difference result;
  const T *left = a.data<T>(), *right = b.data<T>();
  for (int64_t i = 0, size = a.size(); i < size; i++) {
    uint64_t steps = measure(left[i], right[i]);
    if (steps > result.largest) {
      result.largest = steps;
      result.largestAt = i;
    }
    if (steps <= tolerance)
      continue;
    result.beyond++;
    if (result.firstAt < 0) {
      result.firstAt = i;
      result.firstDistance = steps;
    }
  }
  return result;
}

Difference compare(const Tensor &a, const Tensor &b, uint64_t tolerance) {
  switch (a.element) {
  case Element::F64:
    return compareEntries<double>(a, b, tolerance, floatDistance<double, int64_t>);
  case Element::F32:
    return compareEntries<float>(a, b, tolerance, floatDistance<float, int32_t>);
  case Element::I64:
    return compareEntries<int64_t>(a, b, tolerance, distance);
  case Element::I32:
    return compareEntries<int32_t>(a, b, tolerance, distance);
  case Element::I1:
    return compareEntries<uint8_t>(a, b, tolerance, distance);
  case Element::BF16:
    return compareEntries<reference::BFloat16>(a, b, tolerance, floatDistance<reference::BFloat16, int16_t>);
  case Element::F16:
    return compareEntries<reference::Float16>(a, b, tolerance, floatDistance<reference::Float16, int16_t>);
  case Element::I8:
  case Element::I4:
    return compareEntries<int8_t>(a, b, tolerance, distance);
  }
  std::abort(); // all element types are listed
}

std::string placeOf(const Tensor &tensor, int64_t entry) {
  std::string text;
  for (size_t axis = tensor.shape.size(); axis-- > 0; entry /= tensor.shape[axis])
    text = std::to_string(entry % tensor.shape[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}
} // namespace nova::tool
