//===- Canonical.h - The canonical meaning of the arithmetic ops -------------===//
//
// Scalar forms of the rules of docs/arithmetic.md (rules 0-4), with which the interpreter executes and against which
// tests compare. Plain C++: no state, thread-safe, no errors except where a function says so. Compile with
// -ffp-contract=off; with -march=x86-64-v3 -fno-math-errno no math library is called.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_CANONICAL_H
#define NOVA_COMPILER_REFERENCE_CANONICAL_H

#include "compiler/reference/ElementaryScalar.h"
#include "compiler/reference/Storage.h"

#include <algorithm>
#include <limits>

namespace nova::reference {

//===----------------------------------------------------------------------===//
// Rule 0: one NaN
//===----------------------------------------------------------------------===//

/// The only NaN that is ever stored: 0x7FC00000 or 0x7FF8000000000000 (and of small floats 0x7FC0 or 0x7E00).
template <class T> T canonicalNaN() { return ScalarBuilder<T>().floatBits(ExpConstants<T>::canonicalNaN); }

/// `x`, with every NaN replaced by the canonical one. Integers pass unchanged.
template <class T> T canonicalize(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x != x ? canonicalNaN<T>() : x;
  } else if constexpr (isSmallFloat<T>) {
    constexpr uint16_t infinity = ((1 << T::exponentBits) - 1) << T::mantissaBits;
    return (x.bits & 0x7FFF) > infinity ? T{T::canonicalNaN} : x;
  } else if constexpr (std::is_same_v<T, Int4>) {
    return {static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(x.value) << 4) >> 4)};
  } else {
    return x;
  }
}

//===----------------------------------------------------------------------===//
// Rule 1: elementwise operations, each rounded once; integers wrap
//===----------------------------------------------------------------------===//

/// Applies `f` to the unsigned images of two integers, where overflow is defined.
template <class T, class F> T wrapping(T a, T b, F f) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(f(static_cast<U>(a), static_cast<U>(b))));
}

template <class T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
  else
    return canonicalize(a + b);
}

template <class T> T subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
  else
    return canonicalize(a - b);
}

template <class T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
  else
    return canonicalize(a * b);
}

/// Quotient. Integers truncate towards zero and the lowest integer divided by -1 wraps to itself; the caller reports an
/// integer division by zero as an error before it calls (divisorIsValid).
template <class T> T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b == -1 ? subtract<T>(0, a) : static_cast<T>(a / b);
  else
    return canonicalize(a / b);
}

/// False for an integer zero. Every floating-point divisor is valid.
template <class T> bool divisorIsValid(T b) { return std::is_floating_point_v<T> || b != T(0); }

/// Flips the sign, also of zeros and infinities; the lowest integer negates to itself.
template <class T> T negate(T a) {
  if constexpr (std::is_integral_v<T>)
    return subtract<T>(0, a);
  else
    return canonicalize(-a);
}

/// The sign cleared, also of zeros; the lowest integer is its own magnitude.
template <class T> T magnitude(T a) {
  if constexpr (std::is_integral_v<T>)
    return a < 0 ? subtract<T>(0, a) : a;
  else
    return canonicalize(a > 0 ? a : T(0) - a);
}

/// The greatest whole number that is not above; zeros and infinities are kept.
template <class T> T roundDown(T a) {
  if constexpr (std::is_same_v<T, float>)
    return canonicalize(__builtin_floorf(a));
  else
    return canonicalize(__builtin_floor(a));
}

/// Square root, correctly rounded; -0 for -0, NaN below it.
template <class T> T squareRoot(T a) {
  if constexpr (std::is_same_v<T, float>)
    return canonicalize(__builtin_sqrtf(a));
  else
    return canonicalize(__builtin_sqrt(a));
}

/// a * b + c rounded once, never through a wider type; integers wrap.
template <class T> T multiplyAdd(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>)
    return add(multiply(a, b), c);
  else
    return std::fma(a, b, c);
}

//===----------------------------------------------------------------------===//
// Rule 1: casts
//===----------------------------------------------------------------------===//

/// Casts between all types but to i1, from which 0 or 1 comes. Rounds once to nearest even; float to integer truncates
/// towards zero, saturates and turns NaN into 0; integer to integer wraps.
template <class To, class From> To castTo(From x) {
  static_assert(!std::is_same_v<To, bool>, "a comparison makes an i1, a cast does not");
  if constexpr (isStored<From>) {
    return castTo<To>(widen(x));
  } else if constexpr (isSmallFloat<To>) {
    if constexpr (std::is_floating_point_v<From>)
      return narrow<To>(x);
    else
      return narrow<To>(stickyDouble(x));
  } else if constexpr (std::is_same_v<To, Int4>) {
    // An integer keeps its low bits, signed.
    if constexpr (std::is_floating_point_v<From>)
      return {std::clamp<int8_t>(castTo<int8_t>(x), -8, 7)};
    else
      return {static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(x) << 4) >> 4)};
  } else if constexpr (std::is_floating_point_v<To>) {
    return canonicalize(static_cast<To>(x));
  } else if constexpr (std::is_floating_point_v<From>) {
    // The lowest integer is a power of two and so exact; its negation is the first value that is too large.
    const From lowest = static_cast<From>(std::numeric_limits<To>::min());
    if (x != x)
      return 0;
    if (x < lowest)
      return std::numeric_limits<To>::min();
    return x >= -lowest ? std::numeric_limits<To>::max() : static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

//===----------------------------------------------------------------------===//
// Rule 4: maximum and minimum of IEEE 754-2019
//===----------------------------------------------------------------------===//

/// The greater of two values; NaN if either is NaN, and -0 < +0.
template <class T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return canonicalNaN<T>();
    if (a == b) // equal values differ at most in the sign of zero; -0 has its sign bit set, so `and` keeps +0
      return ScalarBuilder<T>().fromBits(ScalarBuilder<T>().toBits(a) & ScalarBuilder<T>().toBits(b));
  }
  return a > b ? a : b;
}

/// The lesser of two values; NaN if either is NaN, and -0 < +0.
template <class T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return canonicalNaN<T>();
    if (a == b)
      return ScalarBuilder<T>().fromBits(ScalarBuilder<T>().toBits(a) | ScalarBuilder<T>().toBits(b));
  }
  return a < b ? a : b;
}

/// The neutral element of maximum: -inf, or the lowest integer. It is the maximum of nothing.
template <class T> T maximumOfNothing() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

/// The neutral element of minimum: +inf, or the highest integer. It is the minimum of nothing.
template <class T> T minimumOfNothing() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}

//===----------------------------------------------------------------------===//
// Rules 2 and 3: contraction and sum, in chunks by absolute position
//===----------------------------------------------------------------------===//

/// Terms in a chunk and lanes in a sum.
constexpr int64_t chunkLength = 256, sumLanes = 16;

/// A contraction: feed the visible terms with ascending absolute positions, then take the result. A chunk without
/// visible terms may be left out: it would add +0 to a total that never is -0.
template <class T> class Contraction {
public:
  /// Adds the product of `a` and `b`, found at `position` (>= 0) along the contracted axis.
  void term(int64_t position, T a, T b) {
    if (position / chunkLength != chunk)
      close(position / chunkLength);
    sum = multiplyAdd(a, b, sum);
  }

  /// The contraction of the terms so far; +0 if there were none.
  T result() const { return add(total, sum); }

private:
  void close(int64_t next) {
    total = add(total, sum);
    sum = T(0);
    chunk = next;
  }

  T total = 0, sum = 0;
  int64_t chunk = 0;
};

/// A sum: feed the visible terms with ascending absolute positions, then take the result. Chunks without visible terms
/// may be left out, as in Contraction.
template <class T> class Sum {
public:
  /// Adds `x`, found at `position` (>= 0) along the reduced axis.
  void term(int64_t position, T x) {
    if (position / chunkLength != chunk) {
      total = add(total, fold());
      for (T &lane : lanes)
        lane = T(0);
      chunk = position / chunkLength;
    }
    T &lane = lanes[position % sumLanes];
    lane = add(lane, x);
  }

  /// The sum of the terms so far; +0 if there were none.
  T result() const { return add(total, fold()); }

private:
  /// The lanes folded by halves: 8, 4, 2, 1.
  T fold() const {
    T folded[sumLanes];
    for (int64_t i = 0; i < sumLanes; ++i)
      folded[i] = lanes[i];
    for (int64_t half = sumLanes / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        folded[i] = add(folded[i], folded[i + half]);
    return folded[0];
  }

  T total = 0, lanes[sumLanes] = {};
  int64_t chunk = 0;
};

//===----------------------------------------------------------------------===//
// Rule 8: a division by many dividends of one divisor
//===----------------------------------------------------------------------===//

/// Limits within which fastQuotient is exact.
template <class T> struct FastQuotientLimits {
  static constexpr T smallest = sizeof(T) == 4 ? T(0x1p-100) : T(0x1p-960);
  static constexpr T divisorEnd = T(0x1p24);
};

/// Whether fastQuotient(e, t, 1 / t) has the bits of e / t: e is +0 or finite with |e| >= smallest, and
/// 1 <= t < divisorEnd. e = -0 is excluded because the correction turns it into +0.
template <class T> bool fastQuotientIsExact(T e, T t) {
  using L = FastQuotientLimits<T>;
  T magnitude = e < 0 ? -e : e;
  bool dividend =
      magnitude >= L::smallest ? magnitude <= std::numeric_limits<T>::max() : ScalarBuilder<T>().toBits(e) == 0;
  return dividend && t >= T(1) && t < L::divisorEnd;
}

/// e / t from the rounded reciprocal r = 1 / t: a product and one correction. The same bits as the division where
/// fastQuotientIsExact; proof in docs/arithmetic.md.
template <class T> T fastQuotient(T e, T t, T r) {
  T q = e * r;
  return std::fma(std::fma(-q, t, e), r, q);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_CANONICAL_H
