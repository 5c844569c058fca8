//===- Sigmoid.h - sigmoid and tanh as fixed sequences -----------------------===//
//
// Both are quotients of exponentials. The exponential is kept as a pair of floats, and so are numerator and
// denominator, so that only the last step of the division rounds visibly.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_SIGMOID_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_SIGMOID_H

#include "compiler/reference/elementary/ExpPair.h"

namespace nova::reference {

/// 1 / (1 + e^-x). sigmoid(-inf) = +0, sigmoid(+inf) = 1, sigmoid(+-0) = 1/2. Error below B = 1 ulp, also for subnormal
/// results; figures in docs/elementary.md.
template <class T, class B> typename B::Float sigmoid(B &b, typename B::Float x) {
  using C = ExpConstants<T>;
  auto zero = literal<T>(b, 0), one = literal<T>(b, 1);
  auto low = literal<T>(b, C::clampLow);
  auto argument = b.neg(magnitude<T>(b, x));
  argument = b.select(b.less(low, argument), argument, low);
  auto e = expMinusOne<T>(b, argument);
  // e^-|x| = 2^n p; 2^n by two factors, so that a subnormal result is rounded once.
  auto p = quickSum(b, one, e.m.high);
  p.low = b.add(p.low, e.m.low);
  auto n = exponentOf<T>(b, e.biased);
  auto half = b.ashr(n, 1);
  auto firstFactor = powerOfTwo<T>(b, half), secondFactor = powerOfTwo<T>(b, b.isub(n, half));
  auto scale = b.mul(firstFactor, secondFactor);
  auto denominator = quickSum(b, one, b.mul(p.high, scale));
  denominator.low = b.fma(p.low, scale, denominator.low);
  // e^-|x| / (1 + e^-|x|) below 0, else 1 / (1 + e^-|x|).
  auto below = b.less(x, zero);
  Pair<B> numerator{b.select(below, p.high, one), b.select(below, p.low, zero)};
  auto result = quotientOfPairs<T>(b, numerator, denominator);
  result = b.mul(result, b.select(below, firstFactor, one));
  result = b.mul(result, b.select(below, secondFactor, one));
  return keepNaN<T>(b, result, x);
}

/// Where 2|x| is cut for tanh: beyond, it is 1 to the last bit.
template <class T> constexpr T tanhEnd = sizeof(T) == 4 ? T(-22) : T(-44);

/// The hyperbolic tangent, (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x. tanh(+-0) = +-0, tanh(+-inf) = +-1. Error
/// below B = 1 ulp; figures in docs/elementary.md.
template <class T, class B> typename B::Float tanh(B &b, typename B::Float x) {
  auto one = literal<T>(b, 1), two = literal<T>(b, 2);
  auto end = literal<T>(b, tanhEnd<T>);
  auto argument = b.mul(magnitude<T>(b, x), literal<T>(b, -2));
  argument = b.select(b.less(end, argument), argument, end);
  auto e = expMinusOne<T>(b, argument);
  auto scale = powerOfTwo<T>(b, exponentOf<T>(b, e.biased));
  // e^-2|x| - 1 = (2^n - 1) + 2^n m.
  auto whole = b.sub(scale, one);
  auto wholeLow = b.sub(scale, b.add(whole, one));
  auto minusOne = quickSum(b, whole, b.mul(e.m.high, scale));
  minusOne.low = b.add(b.fma(e.m.low, scale, minusOne.low), wholeLow);
  auto denominator = quickSum(b, two, minusOne.high);
  denominator.low = b.add(denominator.low, minusOne.low);
  Pair<B> numerator{b.neg(minusOne.high), b.neg(minusOne.low)};
  auto result = withSignOf<T>(b, magnitude<T>(b, quotientOfPairs<T>(b, numerator, denominator)), x);
  return keepNaN<T>(b, result, x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_SIGMOID_H
