//===- Tensor.cpp ------------------------------------------------------------===//
#include "compiler/reference/Tensor.h"

#include <algorithm>

namespace nova::reference {

size_t byteSize(Element element) {
  switch (element) {
  case Element::F64:
  case Element::I64:
    return 8;
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::BF16:
  case Element::F16:
    return 2;
  case Element::I1:
  case Element::I8:
  case Element::I4:
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
  case Element::BF16:
    return "bf16";
  case Element::F16:
    return "f16";
  case Element::I8:
    return "i8";
  case Element::I4:
    return "i4";
  }
  return "";
}

std::string toString(Element element, const Shape &shape) {
  std::string text = std::string(toString(element)) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::optional<int64_t> byteSize(Element element, const Shape &shape) {
  // An axis of size 0 makes the product 0 whatever the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t bytes = static_cast<int64_t>(byteSize(element));
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  return bytes;
}

Tensor::Tensor(Element element, Shape shape) : element(element), shape(std::move(shape)) {
  std::optional<int64_t> count = byteSize(element, this->shape);
  if (!count)
    throw std::bad_alloc();
  bytes.resize(static_cast<size_t>(*count));
}

} // namespace nova::reference
