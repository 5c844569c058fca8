#include "compiler/transforms/Scalar.h"
#include "compiler/reference/Arguments.h"
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Entries.h"
#include "compiler/reference/Kernels.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace nova {
using namespace reference;

bool Scalar::isFloat() const { return isa<FloatType>(type); }
bool Scalar::isInfinite() const { return isFloat() && std::isinf(real); }
bool Scalar::operator==(const Scalar &other) const {
  return type == other.type && integer == other.integer && std::memcmp(&real, &other.real, sizeof real) == 0;
}

// The interpreter's tensor of one entry, and back.
static Tensor toTensor(const Scalar &value) {
  Tensor tensor(*elementOf(value.type), {});
  visitElement(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    *tensor.data<T>() = value.isFloat() ? castTo<T>(value.real) : castTo<T>(value.integer);
  });
  return tensor;
}

static Scalar toScalar(const Tensor &tensor, Type type) {
  return visitElement(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T value = *tensor.data<T>();
    return isFloat(tensor.element) ? Scalar{type, castTo<double>(value), 0} : Scalar{type, 0, castTo<int64_t>(value)};
  });
}

Scalar castScalar(const Scalar &value, Type type) {
  if (type.isInteger(1))
    return {type, 0, !value.isZero()};
  return toScalar(reference::cast(toTensor(value), *elementOf(type)), type);
}

std::optional<Scalar> foldScalar(StringRef op, ArrayRef<Scalar> operands) {
  std::vector<Tensor> tensors;
  for (const Scalar &operand : operands)
    tensors.push_back(toTensor(operand));
  std::vector<const Tensor *> pointers;
  for (const Tensor &tensor : tensors)
    pointers.push_back(&tensor);
  op.consume_front("nova.");
  if (op == "divide" && zeroDivisor(tensors.back(), {}))
    return std::nullopt;
  std::optional<Tensor> result = elementwise(op, pointers, {});
  if (!result)
    return std::nullopt;
  Type type = operands[0].type;
  return toScalar(*result, result->element == Element::I1 ? IntegerType::get(type.getContext(), 1) : type);
}

std::optional<Scalar> absorb(StringRef op, unsigned side, const Scalar &fill) {
  if (op == "nova.multiply" && fill.isZero())
    return Scalar{fill.type, 0, 0};
  if (op == "nova.divide" && side == 0 && fill.isZero())
    return Scalar{fill.type, 0, 0};
  if (op == "nova.add" && fill.isInfinite())
    return fill;
  if (op == "nova.subtract" && fill.isInfinite())
    return side == 0 ? fill : Scalar{fill.type, -fill.real, 0};
  // x^0 and 1^x are 1 for every x, NaN too.
  Scalar one{fill.type, 1, 0};
  if (op == "nova.power" && (side == 1 ? fill.isZero() : fill == one))
    return one;
  if (op == "nova.and" && !fill.isTrue())
    return fill;
  if (op == "nova.or" && fill.isTrue())
    return fill;
  return std::nullopt;
}
} // namespace nova
