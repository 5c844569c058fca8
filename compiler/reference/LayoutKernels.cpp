//===- LayoutKernels.cpp - Operations that only move or number entries -------===//
#include "compiler/reference/Entries.h"

#include <algorithm>
#include <cstring>

namespace nova::reference {

Tensor iota(const Shape &shape, size_t axis, int64_t from) {
  Tensor result(Element::I64, shape);
  Shape along(shape.size(), 0);
  along[axis] = 1;
  int64_t *out = result.data<int64_t>();
  forEachEntry<1>(shape, {along}, [&](int64_t entry, const auto &at) {
    out[entry] = static_cast<int64_t>(static_cast<uint64_t>(at[0]) + static_cast<uint64_t>(from));
  });
  return result;
}

/// The entries of `x` at `start` and on, by these strides.
static Tensor pick(const Tensor &x, const Shape &shape, const Shape &strides, int64_t start) {
  return visitElement(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Tensor result(x.element, shape);
    const T *in = x.data<T>();
    T *out = result.data<T>();
    forEachEntry<1>(shape, {strides}, [&](int64_t entry, const auto &at) { out[entry] = in[start + at[0]]; });
    return result;
  });
}

Tensor transpose(const Tensor &x, const std::vector<int64_t> &permutation) {
  Shape own = denseStrides(x.shape), shape, strides;
  for (int64_t axis : permutation) {
    shape.push_back(x.shape[axis]);
    strides.push_back(own[axis]);
  }
  return pick(x, shape, strides, 0);
}

Tensor reshape(const Tensor &x, const Shape &shape) {
  Tensor result = x;
  result.shape = shape;
  return result;
}

Tensor broadcast(const Tensor &x, const Shape &shape) { return pick(x, shape, broadcastStrides(x.shape, shape), 0); }

Tensor slice(const Tensor &x, size_t axis, int64_t from, int64_t step, const Shape &shape) {
  Shape strides = denseStrides(x.shape);
  int64_t start = from * strides[axis];
  strides[axis] *= step;
  return pick(x, shape, strides, start);
}

Tensor entryOf(const Tensor &x, int64_t k) {
  Tensor entry(x.element, Shape(x.shape.begin() + 1, x.shape.end()));
  if (!entry.bytes.empty())
    std::memcpy(entry.bytes.data(), x.bytes.data() + k * entry.bytes.size(), entry.bytes.size());
  return entry;
}

void setEntry(Tensor &x, int64_t k, const Tensor &entry) {
  if (!entry.bytes.empty())
    std::memcpy(x.bytes.data() + k * entry.bytes.size(), entry.bytes.data(), entry.bytes.size());
}

static int64_t indexAt(const Tensor &indices, int64_t i) {
  return indices.element == Element::I32 ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
}

std::optional<std::pair<int64_t, Shape>> indexOutside(const Tensor &indices, int64_t size) {
  for (int64_t i = 0; i < indices.size(); ++i)
    if (int64_t index = indexAt(indices, i); index < 0 || index >= size)
      return std::pair(index, placeOf(i, indices.shape));
  return std::nullopt;
}

Tensor gather(const Tensor &x, const Tensor &indices, size_t axis, const Shape &shape) {
  Tensor result(x.element, shape);
  // Everything behind the axis is one contiguous run per index.
  int64_t outer = 1, run = static_cast<int64_t>(byteSize(x.element));
  for (size_t i = 0; i < x.shape.size(); ++i)
    if (i != axis)
      (i < axis ? outer : run) *= x.shape[i];
  char *out = result.bytes.data();
  for (int64_t o = 0; o < outer && !result.bytes.empty(); ++o)
    for (int64_t i = 0; i < indices.size(); ++i)
      out = std::copy_n(x.bytes.data() + (o * x.shape[axis] + indexAt(indices, i)) * run, run, out);
  return result;
}

Tensor concat(const std::vector<const Tensor *> &parts, size_t axis, const Shape &shape) {
  Tensor result(parts.front()->element, shape);
  // Everything from the axis on is one contiguous run per part; the parts' runs alternate.
  int64_t runs = 1;
  for (size_t i = 0; i < axis; ++i)
    runs *= shape[i];
  char *out = result.bytes.data();
  for (int64_t run = 0; run < runs && !result.bytes.empty(); ++run)
    for (const Tensor *part : parts) {
      size_t length = part->bytes.size() / static_cast<size_t>(runs);
      out = std::copy_n(part->bytes.data() + static_cast<size_t>(run) * length, length, out);
    }
  return result;
}

} // namespace nova::reference
