//===- Nibbles.cpp -----------------------------------------------------------===//
#include "compiler/reference/Nibbles.h"

namespace nova::reference {

// Calls f(entry, byte, low) for every entry: where it lies, and in which half.
template <class F> static void forEachNibble(const Tensor &tensor, F f) {
  int64_t width = tensor.shape.empty() ? 1 : tensor.shape.back(), rowBytes = width / 2 + width % 2;
  for (int64_t i = 0, count = tensor.size(); i < count; ++i)
    f(i, i / width * rowBytes + i % width / 2, i % width % 2 == 0);
}

std::vector<char, TensorAllocator<char>> packNibbles(const Tensor &tensor) {
  int64_t width = tensor.shape.empty() ? 1 : tensor.shape.back();
  int64_t rows = tensor.bytes.empty() ? 0 : tensor.size() / width;
  std::vector<char, TensorAllocator<char>> packed(static_cast<size_t>(rows * (width / 2 + width % 2)));
  forEachNibble(tensor, [&](int64_t entry, int64_t byte, bool low) {
    packed[byte] = static_cast<char>(packed[byte] | (tensor.bytes[entry] & 15) << (low ? 0 : 4));
  });
  return packed;
}

void unpackNibbles(const char *packed, Tensor &tensor) {
  forEachNibble(tensor, [&](int64_t entry, int64_t byte, bool low) {
    int8_t half = static_cast<int8_t>(static_cast<uint8_t>(packed[byte]) << (low ? 4 : 0));
    tensor.bytes[entry] = static_cast<char>(half >> 4);
  });
}

} // namespace nova::reference
