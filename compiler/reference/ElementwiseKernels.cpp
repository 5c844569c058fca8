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

} // namespace

Tensor unary(Unary kind, const Tensor &x) {
  if (kind == Unary::Not)
    return map<uint8_t, uint8_t>(x, Element::I1, [](uint8_t v) { return uint8_t(!v); });
  return visitNumber(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>) {
      if (kind == Unary::Exp)
        return map<T, T>(x, x.element, canonicalExp<T>);
      if (kind == Unary::Sqrt)
        return map<T, T>(x, x.element, squareRoot<T>);
    }
    return map<T, T>(x, x.element, negate<T>);
  });
}

Tensor binary(Binary kind, const Tensor &a, const Tensor &b, const Shape &shape) {
  if (kind == Binary::And || kind == Binary::Or)
    return combine<uint8_t, uint8_t>(a, b, Element::I1, shape, [&](uint8_t x, uint8_t y) {
      return kind == Binary::And ? uint8_t(x & y) : uint8_t(x | y);
    });
  return visitNumber(a.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto with = [&](auto f) { return combine<T, T>(a, b, a.element, shape, f); };
    switch (kind) {
    case Binary::Add:
      return with(add<T>);
    case Binary::Subtract:
      return with(subtract<T>);
    case Binary::Multiply:
      return with(multiply<T>);
    default:
      return with(divide<T>);
    }
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
    if (!found)
      return std::optional<Shape>();
    Shape index = denseStrides(shape);
    int64_t rest = *found;
    for (int64_t &axis : index) {
      int64_t step = axis;
      axis = rest / step;
      rest %= step;
    }
    return std::optional<Shape>(index);
  });
}

Tensor compare(Compare kind, const Tensor &a, const Tensor &b, const Shape &shape) {
  return visitElement(a.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto with = [&](auto f) { return combine<uint8_t, T>(a, b, Element::I1, shape, f); };
    switch (kind) {
    case Compare::Equal:
      return with([](T x, T y) { return uint8_t(x == y); });
    case Compare::NotEqual:
      return with([](T x, T y) { return uint8_t(x != y); });
    case Compare::Less:
      return with([](T x, T y) { return uint8_t(x < y); });
    case Compare::LessEqual:
      return with([](T x, T y) { return uint8_t(x <= y); });
    case Compare::Greater:
      return with([](T x, T y) { return uint8_t(x > y); });
    default:
      return with([](T x, T y) { return uint8_t(x >= y); });
    }
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
    return visitNumber(to, [&](auto tag) {
      using To = typename decltype(tag)::Type;
      return map<To, From>(x, to, castTo<To, From>);
    });
  });
}

void canonicalize(Tensor &x) {
  visitElement(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T *entries = x.data<T>();
    for (int64_t i = 0, count = x.size(); i < count; ++i)
      entries[i] = std::is_same_v<T, uint8_t> ? T(entries[i] != 0) : canonicalize(entries[i]);
  });
}

} // namespace nova::reference
