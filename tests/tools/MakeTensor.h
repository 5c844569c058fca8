// Tensors with given entries, for the tests of tensor files.
#ifndef NOVA_TESTS_TOOLS_MAKETENSOR_H
#define NOVA_TESTS_TOOLS_MAKETENSOR_H

#include "compiler/reference/Tensor.h"
#include <cstring>
#include <vector>

namespace nova::tool {
/// A tensor of these entries in row-major order; T is the C++ type of `element`, and there are as many as `shape` has.
template <class T> reference::Tensor tensor(reference::Element element, reference::Shape shape, std::vector<T> values) {
  reference::Tensor result(element, std::move(shape));
  if (!values.empty())
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}
} // namespace nova::tool

#endif
