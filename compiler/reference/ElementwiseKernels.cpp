//===- ElementwiseKernels.cpp - Rules 1 and 5 on whole tensors ---------------===//
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Entries.h"

namespace nova::reference {
namespace {

/// result[i] = f(x[i]).
template <class To, class From, class F> Tensor map(const Tensor &x, Element to, F f) {
  Tensor result(to, x.shape);
  const From *in = x.data<From>();
  To *out = result.data<To>();
  for (int64_t i = 0, count = x.size(); i < count; ++i)
    out[i] = f(in[i]);
  return result;
}

/// result = f(a, b), both broadcast to `shape`.
template <class To, class From, class F>
Tensor combine(const Tensor &a, const Tensor &b, Element to, const Shape &shape, F f) {
  Tensor result(to, shape);
  const From *left = a.data<From>(), *right = b.data<From>();
  To *out = result.data<To>();
  forEachEntry<2>(shape, {broadcastStrides(a.shape, shape), broadcastStrides(b.shape, shape)},
                  [&](int64_t entry, const auto &at) { out[entry] = f(left[at[0]], right[at[1]]); });
  return result;
}

// Element types that an operation takes.
struct Numbers {
  template <class T> static constexpr bool take = std::is_floating_point_v<T> || sizeof(T) >= 4;
};
struct Floats {
  template <class T> static constexpr bool take = std::is_floating_point_v<T>;
};
struct Flags {
  template <class T> static constexpr bool take = std::is_same_v<T, uint8_t>;
};
struct Computed {
  template <class T> static constexpr bool take = Numbers::take<T> || Flags::take<T>;
};

/// Calls `f(types, function)` with the meaning of an operation: a function of one or two entries of one type, whose
/// result is of that type, or bool, which is stored as i1.
template <class F> std::optional<Tensor> meaning(std::string_view op, F f) {
  std::optional<Tensor> result;
  forEachFunction([&](std::string_view name, auto sequence) {
    if (op == name)
      result = f(Floats(), [&](auto x) {
        ScalarBuilder<decltype(x)> builder;
        return sequence(builder, x, x);
      });
  });
  if (result)
    return result;
  if (op == "negate")
    return f(Numbers(), [](auto x) { return negate(x); });
  if (op == "abs")
    return f(Numbers(), [](auto x) { return magnitude(x); });
  if (op == "floor")
    return f(Floats(), [](auto x) { return roundDown(x); });
  if (op == "sqrt")
    return f(Floats(), [](auto x) { return squareRoot(x); });
  if (op == "not")
    return f(Flags(), [](auto x) { return !x; });
  if (op == "add")
    return f(Numbers(), [](auto x, auto y) { return add(x, y); });
  if (op == "subtract")
    return f(Numbers(), [](auto x, auto y) { return subtract(x, y); });
  if (op == "multiply")
    return f(Numbers(), [](auto x, auto y) { return multiply(x, y); });
  if (op == "max")
    return f(Numbers(), [](auto x, auto y) { return maximum(x, y); });
  if (op == "min")
    return f(Numbers(), [](auto x, auto y) { return minimum(x, y); });
  if (op == "divide")
    return f(Numbers(), [](auto x, auto y) { return divide(x, y); });
  if (op == "power")
    return f(Floats(), [](auto x, auto y) { return canonicalPower(x, y); });
  if (op == "and")
    return f(Flags(), [](auto x, auto y) { return x && y; });
  if (op == "or")
    return f(Flags(), [](auto x, auto y) { return x || y; });
  if (op == "equal")
    return f(Computed(), [](auto x, auto y) { return x == y; });
  if (op == "not_equal")
    return f(Computed(), [](auto x, auto y) { return x != y; });
  if (op == "less")
    return f(Computed(), [](auto x, auto y) { return x < y; });
  if (op == "less_equal")
    return f(Computed(), [](auto x, auto y) { return x <= y; });
  if (op == "greater")
    return f(Computed(), [](auto x, auto y) { return x > y; });
  if (op == "greater_equal")
    return f(Computed(), [](auto x, auto y) { return x >= y; });
  return std::nullopt;
}

/// The type in which a result of a function is stored.
template <class T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

} // namespace

std::optional<Tensor> elementwise(std::string_view op, const std::vector<const Tensor *> &operands,
                                  const Shape &shape) {
  const Tensor &first = *operands.front();
  return meaning(op, [&](auto types, auto function) {
    return visitElement(first.element, [&](auto tag) -> std::optional<Tensor> {
      using T = typename decltype(tag)::Type;
      using F = decltype(function);
      if constexpr (!decltype(types)::template take<T>) {
        return std::nullopt;
      } else if constexpr (std::is_invocable_v<F, T>) {
        using To = std::invoke_result_t<F, T>;
        return map<Stored<To>, T>(first, std::is_same_v<To, bool> ? Element::I1 : first.element, function);
      } else {
        using To = std::invoke_result_t<F, T, T>;
        Element element = std::is_same_v<To, bool> ? Element::I1 : first.element;
        return combine<Stored<To>, T>(first, *operands.back(), element, shape, function);
      }
    });
  });
}

std::optional<Shape> zeroDivisor(const Tensor &divisor, const Shape &shape) {
  return visitNumber(divisor.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    std::optional<int64_t> found;
    forEachEntry<1>(shape, {broadcastStrides(divisor.shape, shape)}, [&](int64_t entry, const auto &at) {
      if (!found && !divisorIsValid(divisor.data<T>()[at[0]]))
        found = entry;
    });
    return found ? std::optional<Shape>(placeOf(*found, shape)) : std::nullopt;
  });
}

Tensor select(const Tensor &condition, const Tensor &onTrue, const Tensor &onFalse, const Shape &shape) {
  return visitElement(onTrue.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Tensor result(onTrue.element, shape);
    const uint8_t *chosen = condition.data<uint8_t>();
    const T *yes = onTrue.data<T>(), *no = onFalse.data<T>();
    T *out = result.data<T>();
    forEachEntry<3>(shape,
                    {broadcastStrides(condition.shape, shape), broadcastStrides(onTrue.shape, shape),
                     broadcastStrides(onFalse.shape, shape)},
                    [&](int64_t entry, const auto &at) { out[entry] = chosen[at[0]] ? yes[at[1]] : no[at[2]]; });
    return result;
  });
}

Tensor cast(const Tensor &x, Element to) {
  return visitElement(x.element, [&](auto from) {
    using From = typename decltype(from)::Type;
    return visitElement(to, [&](auto tag) {
      using To = typename decltype(tag)::Type;
      return map<To, From>(x, to, castTo<To, From>);
    });
  });
}

void canonicalize(Tensor &x) {
  visitElement(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T *entries = x.data<T>();
    for (int64_t i = 0, count = x.size(); i < count; ++i) {
      if constexpr (std::is_same_v<T, uint8_t>)
        entries[i] = entries[i] != 0;
      else
        entries[i] = canonicalize(entries[i]);
    }
  });
}

} // namespace nova::reference
