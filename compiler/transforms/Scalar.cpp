#include "compiler/transforms/Scalar.h"
#include "compiler/reference/Canonical.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
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

template <class T> static T get(const Scalar &s) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(s.real);
  else
    return static_cast<T>(s.integer);
}
template <class T> static Scalar make(Type type, T value) {
  if constexpr (std::is_floating_point_v<T>)
    return {type, static_cast<double>(canonicalize(value)), 0};
  else
    return {type, 0, static_cast<int64_t>(value)};
}

// Calls f with a value of the C++ type that stands for `type`.
template <class F> static auto dispatch(Type type, F f) {
  if (type.isF64())
    return f(double());
  if (type.isF32())
    return f(float());
  if (type.isInteger(32))
    return f(int32_t());
  if (type.isInteger(1))
    return f(bool());
  return f(int64_t());
}

Scalar castScalar(const Scalar &value, Type type) {
  return dispatch(value.type, [&](auto from) {
    return dispatch(type, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      if constexpr (std::is_same_v<From, bool> || std::is_same_v<To, bool>)
        return make<To>(type, get<From>(value) != From(0));
      else
        return make<To>(type, castTo<To>(get<From>(value)));
    });
  });
}

template <class T> static std::optional<Scalar> foldAs(StringRef op, Type type, ArrayRef<Scalar> v) {
  T a = get<T>(v[0]), b = v.size() > 1 ? get<T>(v[1]) : T();
  Type i1 = IntegerType::get(type.getContext(), 1);
  auto flag = [&](bool x) { return make<bool>(i1, x); };
  if (op == "nova.equal")
    return flag(a == b);
  if (op == "nova.not_equal")
    return flag(a != b);
  if (op == "nova.less")
    return flag(a < b);
  if (op == "nova.less_equal")
    return flag(a <= b);
  if (op == "nova.greater")
    return flag(a > b);
  if (op == "nova.greater_equal")
    return flag(a >= b);
  if constexpr (std::is_same_v<T, bool>) {
    if (op == "nova.and")
      return flag(a && b);
    if (op == "nova.or")
      return flag(a || b);
    if (op == "nova.not")
      return flag(!a);
    return std::nullopt;
  } else {
    if (op == "nova.add")
      return make<T>(type, add(a, b));
    if (op == "nova.subtract")
      return make<T>(type, subtract(a, b));
    if (op == "nova.multiply")
      return make<T>(type, multiply(a, b));
    if (op == "nova.divide") {
      if (!divisorIsValid(b))
        return std::nullopt;
      return make<T>(type, divide(a, b));
    }
    if (op == "nova.negate")
      return make<T>(type, negate(a));
    if constexpr (std::is_floating_point_v<T>) {
      if (op == "nova.sqrt")
        return make<T>(type, squareRoot(a));
      if (op == "nova.exp") {
        ScalarBuilder<T> builder;
        return make<T>(type, reference::exp<T>(builder, a));
      }
    }
    return std::nullopt;
  }
}

std::optional<Scalar> foldScalar(StringRef op, ArrayRef<Scalar> operands) {
  Type type = operands[0].type;
  return dispatch(type, [&](auto t) { return foldAs<decltype(t)>(op, type, operands); });
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
  if (op == "nova.and" && !fill.isTrue())
    return fill;
  if (op == "nova.or" && fill.isTrue())
    return fill;
  return std::nullopt;
}
} // namespace nova
