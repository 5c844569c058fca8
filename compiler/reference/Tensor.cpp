//===- Tensor.cpp ------------------------------------------------------------===//
#include "compiler/reference/Tensor.h"

#include <algorithm>
#include <stdexcept>

namespace nova::reference {

size_t byteSize(Element element) {
  switch (element) {
  case Element::F64:
  case Element::I64:
    return 8;
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::I1:
    return 1;
  }
  return 0;
}

const char *toString(Element element) {
  switch (element) {
  case Element::F64:
    return "f64";
  case Element::F32:
    return "f32";
  case Element::I64:
    return "i64";
  case Element::I32:
    return "i32";
  case Element::I1:
    return "i1";
  }
  return "";
}

Tensor::Tensor(Element element, Shape shape) : element(element), shape(std::move(shape)) {
  int64_t count = static_cast<int64_t>(byteSize(element));
  // An axis of size 0 makes the product 0 whatever the others are.
  if (std::find(this->shape.begin(), this->shape.end(), 0) != this->shape.end())
    count = 0;
  for (int64_t size : this->shape)
    if (count != 0 && __builtin_mul_overflow(count, size, &count))
      throw std::length_error("a size in bytes is more than 63 bits hold");
  bytes.resize(static_cast<size_t>(count));
}

} // namespace nova::reference
