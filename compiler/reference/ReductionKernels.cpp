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

namespace {
/// A factor, or the mask of one, as a batch of matrices: steps along the leading axes of the result and the last two of
/// its own.
struct Matrices {
  Shape batch;
  int64_t row, column;
};

/// `x` is broadcast to its factor's shape `factor`, whose leading axes broadcast to `leading`.
Matrices matrices(const Shape &x, const Shape &factor, const Shape &leading) {
  Shape steps = broadcastStrides(x, factor), batch(leading.size(), 0);
  size_t own = factor.size() - 2;
  for (size_t axis = 0; axis < own; ++axis)
    if (factor[axis] != 1)
      batch[leading.size() - own + axis] = steps[axis];
  return {batch, steps[own], steps[own + 1]};
}
} // namespace

Tensor matmul(const Tensor &a, const Tensor &b, const Tensor *hiddenA, const Tensor *hiddenB, const Shape &shape) {
  const Shape leading(shape.begin(), shape.end() - 2);
  const int64_t rows = a.shape[a.shape.size() - 2], depth = a.shape.back(), columns = b.shape.back();
  // A mask that is absent reads one entry that hides nothing.
  const uint8_t visible = 0;
  const uint8_t *maskA = hiddenA ? hiddenA->data<uint8_t>() : &visible;
  const uint8_t *maskB = hiddenB ? hiddenB->data<uint8_t>() : &visible;
  const Matrices none{Shape(leading.size(), 0), 0, 0};
  const Matrices left = matrices(a.shape, a.shape, leading), right = matrices(b.shape, b.shape, leading);
  const Matrices leftMask = hiddenA ? matrices(hiddenA->shape, a.shape, leading) : none;
  const Matrices rightMask = hiddenB ? matrices(hiddenB->shape, b.shape, leading) : none;
  return visitNumber(a.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Tensor result(a.element, shape);
    T *out = result.data<T>();
    forEachEntry<4>(leading, {left.batch, right.batch, leftMask.batch, rightMask.batch}, [&](int64_t, const auto &at) {
      const T *x = a.data<T>() + at[0], *y = b.data<T>() + at[1];
      const uint8_t *hiddenX = maskA + at[2], *hiddenY = maskB + at[3];
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          Contraction<T> contraction;
          for (int64_t k = 0; k < depth; ++k)
            if (!hiddenX[i * leftMask.row + k * leftMask.column] && !hiddenY[k * rightMask.row + j * rightMask.column])
              contraction.term(k, x[i * left.row + k * left.column], y[k * right.row + j * right.column]);
          *out++ = contraction.result();
        }
    });
    return result;
  });
}

} // namespace nova::reference
