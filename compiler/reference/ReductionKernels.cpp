//===- ReductionKernels.cpp - Rules 2, 3, 4 and 6 on whole tensors -----------===//
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Entries.h"

namespace nova::reference {
namespace {

/// Largest or smallest of the terms so far.
template <class T, Reduction kind> class Extreme {
public:
  void term(int64_t, T x) { value = kind == Reduction::Max ? maximum(value, x) : minimum(value, x); }
  T result() const { return value; }

private:
  T value = kind == Reduction::Max ? maximumOfNothing<T>() : minimumOfNothing<T>();
};

/// The position of the greatest term so far, or of the first NaN.
template <class T> class Greatest {
public:
  void term(int64_t position, T x) {
    if (!any || x > value || (x != x && value == value)) {
      value = x;
      at = position;
      any = true;
    }
  }
  int64_t result() const { return at; }

private:
  T value = T(0);
  int64_t at = 0;
  bool any = false;
};

/// Calls `line(entry, start, term)` for every line of `x` along `axis`: `entry` numbers them, `start` is the place of
/// the first term, and `term(position)` points to a term, or is null where that is hidden.
template <class T, class F> void forEachLine(const Tensor &x, const Tensor *hidden, size_t axis, F line) {
  Shape kept = x.shape, steps = denseStrides(x.shape);
  kept[axis] = 1;
  Shape maskSteps = hidden ? broadcastStrides(hidden->shape, x.shape) : Shape(x.shape.size(), 0);
  const T *in = x.data<T>();
  const uint8_t *mask = hidden ? hidden->data<uint8_t>() : nullptr;
  forEachEntry<2>(kept, {steps, maskSteps}, [&](int64_t entry, const auto &at) {
    line(entry, at[0], [&](int64_t position) {
      bool skipped = mask && mask[at[1] + position * maskSteps[axis]];
      return skipped ? nullptr : in + at[0] + position * steps[axis];
    });
  });
}

/// Feeds the visible entries along `axis`, in order, to one accumulator per entry of the result.
template <class Accumulator, class T>
Tensor accumulate(const Tensor &x, const Tensor *hidden, size_t axis, Element element, const Shape &shape) {
  Tensor result(element, shape);
  using Out = decltype(Accumulator().result());
  Out *out = result.data<Out>();
  forEachLine<T>(x, hidden, axis, [&](int64_t entry, int64_t, auto term) {
    Accumulator accumulator;
    for (int64_t position = 0; position < x.shape[axis]; ++position)
      if (const T *visible = term(position))
        accumulator.term(position, *visible);
    out[entry] = accumulator.result();
  });
  return result;
}

} // namespace

Tensor reduce(Reduction kind, const Tensor &x, const Tensor *hidden, size_t axis, const Shape &shape) {
  return visitNumber(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    switch (kind) {
    case Reduction::Sum:
      return accumulate<Sum<T>, T>(x, hidden, axis, x.element, shape);
    case Reduction::Max:
      return accumulate<Extreme<T, Reduction::Max>, T>(x, hidden, axis, x.element, shape);
    default:
      return accumulate<Extreme<T, Reduction::Min>, T>(x, hidden, axis, x.element, shape);
    }
  });
}

Tensor argmax(const Tensor &x, const Tensor *hidden, size_t axis, const Shape &shape) {
  return visitNumber(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    return accumulate<Greatest<T>, T>(x, hidden, axis, Element::I64, shape);
  });
}

Tensor cumulativeSum(const Tensor &x, const Tensor *hidden, size_t axis) {
  return visitNumber(x.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Tensor result(x.element, x.shape);
    T *out = result.data<T>();
    const int64_t step = denseStrides(x.shape)[axis];
    forEachLine<T>(x, hidden, axis, [&](int64_t, int64_t start, auto term) {
      T sum = 0;
      for (int64_t position = 0; position < x.shape[axis]; ++position) {
        if (const T *visible = term(position))
          sum = add(sum, *visible);
        out[start + position * step] = sum;
      }
    });
    return result;
  });
}

Tensor matmul(const Tensor &a, const Tensor &b, const Tensor *hiddenA, const Tensor *hiddenB) {
  int64_t rows = a.shape[0], depth = a.shape[1], columns = b.shape[1];
  // A mask that is absent reads one entry that hides nothing.
  const uint8_t visible = 0;
  const uint8_t *maskA = hiddenA ? hiddenA->data<uint8_t>() : &visible;
  const uint8_t *maskB = hiddenB ? hiddenB->data<uint8_t>() : &visible;
  Shape stepsA = hiddenA ? broadcastStrides(hiddenA->shape, a.shape) : Shape{0, 0};
  Shape stepsB = hiddenB ? broadcastStrides(hiddenB->shape, b.shape) : Shape{0, 0};
  return visitNumber(a.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Tensor result(a.element, {rows, columns});
    const T *left = a.data<T>(), *right = b.data<T>();
    T *out = result.data<T>();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Contraction<T> contraction;
        for (int64_t k = 0; k < depth; ++k)
          if (!maskA[i * stepsA[0] + k * stepsA[1]] && !maskB[k * stepsB[0] + j * stepsB[1]])
            contraction.term(k, left[i * depth + k], right[k * columns + j]);
        out[i * columns + j] = contraction.result();
      }
    return result;
  });
}

} // namespace nova::reference
