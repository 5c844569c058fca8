//===- Entries.h - Walks over the entries of tensors -------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ENTRIES_H
#define NOVA_COMPILER_REFERENCE_ENTRIES_H

#include "compiler/reference/Kernels.h"
#include "compiler/reference/Storage.h"

#include <array>

namespace nova::reference {

/// Steps in entries per axis of a dense tensor.
inline Shape denseStrides(const Shape &shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

/// Steps per axis of `to` through a tensor of `shape` that is broadcast to it: 0 along repeated axes.
inline Shape broadcastStrides(const Shape &shape, const Shape &to) {
  Shape own = denseStrides(shape), strides(to.size(), 0);
  size_t added = to.size() - shape.size();
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1)
      strides[added + axis] = own[axis];
  return strides;
}

/// Calls f(entry, offsets) for every entry of `shape` in row-major order; offsets[i] follows strides[i].
template <size_t N, class F> void forEachEntry(const Shape &shape, const std::array<Shape, N> &strides, F f) {
  int64_t rows = 1, columns = shape.empty() ? 1 : shape.back();
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    rows *= shape[axis];
  Shape index(shape.size(), 0);
  std::array<int64_t, N> start = {};
  int64_t entry = 0;
  for (int64_t row = 0; row < rows; ++row) {
    std::array<int64_t, N> at = start;
    for (int64_t column = 0; column < columns; ++column, ++entry) {
      f(entry, at);
      if (!shape.empty())
        for (size_t i = 0; i < N; ++i)
          at[i] += strides[i].back();
    }
    // Advance all axes but the last like an odometer.
    for (size_t axis = shape.size() < 2 ? 0 : shape.size() - 1; axis-- > 0;) {
      for (size_t i = 0; i < N; ++i)
        start[i] += strides[i][axis];
      if (++index[axis] < shape[axis])
        break;
      for (size_t i = 0; i < N; ++i)
        start[i] -= index[axis] * strides[i][axis];
      index[axis] = 0;
    }
  }
}

/// The index of entry number `entry`, in row-major order.
inline Shape placeOf(int64_t entry, const Shape &shape) {
  Shape place = denseStrides(shape);
  for (int64_t &axis : place) {
    int64_t step = axis;
    axis = entry / step;
    entry %= step;
  }
  return place;
}

/// A type as a value, for generic lambdas.
template <class T> struct TypeTag {
  using Type = T;
};

/// Calls f with the C++ type of the entries of a number that is computed with.
template <class F> auto visitNumber(Element element, F f) {
  switch (element) {
  case Element::F64:
    return f(TypeTag<double>());
  case Element::F32:
    return f(TypeTag<float>());
  case Element::I64:
    return f(TypeTag<int64_t>());
  default:
    return f(TypeTag<int32_t>());
  }
}

/// Calls f with the C++ type of any entries.
template <class F> auto visitElement(Element element, F f) {
  switch (element) {
  case Element::I1:
    return f(TypeTag<uint8_t>());
  case Element::BF16:
    return f(TypeTag<BFloat16>());
  case Element::F16:
    return f(TypeTag<Float16>());
  case Element::I8:
    return f(TypeTag<int8_t>());
  case Element::I4:
    return f(TypeTag<Int4>());
  default:
    return visitNumber(element, f);
  }
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ENTRIES_H
