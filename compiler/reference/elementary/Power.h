//===- Power.h - power as a fixed sequence -----------------------------------===//
//
// x^y = e^(y ln x), with the logarithm and its product with y as pairs of floats: an error of the exponent is one of
// the result, a thousand times larger.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_POWER_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_POWER_H

#include "compiler/reference/elementary/ExpPair.h"
#include "compiler/reference/elementary/Log.h"

namespace nova::reference {

/// Constants of the logarithm as a pair: log(m) = s (2 + z (2/3 + z (q[0] + q[1] z + ...))), names as in LogConstants.
template <class T> struct LogPairConstants;

template <> struct LogPairConstants<float> {
  static constexpr float twoThirds = 0x1.555556p-1f, twoThirdsLow = -0x1.555556p-26f;
  static constexpr float q[] = {0x1.999998p-2f, 0x1.249374p-2f, 0x1.c65956p-3f, 0x1.8eb42p-3f};
};

template <> struct LogPairConstants<double> {
  static constexpr double twoThirds = 0x1.5555555555555p-1, twoThirdsLow = 0x1.5555555555555p-55;
  static constexpr double q[] = {0.3999999999999997749,  0.28571428571445113556, 0.22222222217535871279,
                                 0.18181818870390793228, 0.15384556865896540422, 0.13336317606842893798,
                                 0.11674814893752505834, 0.11989041650448956401};
};

/// log(x) to more than 34 (f32) or 65 (f64) bits, for x > 0 and finite.
template <class T, class B> Pair<B> logPair(B &b, typename B::Float x) {
  using C = LogConstants<T>;
  using L = LogPairConstants<T>;
  auto two = literal<T>(b, 2);
  auto [k, m] = scaled<T>(b, x);
  auto f = b.sub(m, literal<T>(b, 1)); // exact
  // s = f / (2 + f)
  auto denominator = quickSum(b, two, f);
  auto reciprocal = b.div(literal<T>(b, 1), denominator.high);
  auto first = b.mul(f, reciprocal), negated = b.neg(first);
  auto rest = b.fma(negated, denominator.low, b.fma(negated, denominator.high, f));
  auto s = quickSum(b, first, b.mul(rest, reciprocal));
  // z = s^2
  auto z = b.mul(s.high, s.high);
  auto zLow = b.fma(b.add(s.high, s.high), s.low, b.fma(s.high, s.high, b.neg(z)));
  // p = 2/3 + z q, w = z p, u = 2 + w
  auto p = quickSum(b, literal<T>(b, L::twoThirds), b.mul(z, polynomial<T>(b, z, L::q)));
  p.low = b.add(p.low, literal<T>(b, L::twoThirdsLow));
  auto w = b.mul(z, p.high);
  auto wLow = b.fma(zLow, p.high, b.fma(z, p.low, b.fma(z, p.high, b.neg(w))));
  auto u = quickSum(b, two, w);
  u.low = b.add(u.low, wLow);
  auto product = b.mul(s.high, u.high);
  auto productLow = b.fma(s.low, u.high, b.fma(s.high, u.low, b.fma(s.high, u.high, b.neg(product))));
  // k ln 2
  auto sum = quickSum(b, b.mul(k, literal<T>(b, C::ln2High)), product);
  auto low = b.add(sum.low, b.fma(k, literal<T>(b, C::ln2Low), productLow));
  return quickSum(b, sum.high, low);
}

/// 1 where a number that is not negative is whole, else 0.
template <class T, class B> typename B::Float isWhole(B &b, typename B::Float x) {
  auto zero = literal<T>(b, 0), one = literal<T>(b, 1);
  // Above 2^mantissaBits every number is whole; below, adding it rounds to one.
  auto end = literal<T>(b, T(int64_t(1) << FloatFormat<T>::mantissaBits));
  auto rounded = b.sub(b.add(x, end), end);
  auto below = b.select(b.less(rounded, x), zero, b.select(b.less(x, rounded), zero, one));
  return b.select(b.less(x, end), below, one);
}

/// x to the power y, as IEEE 754's pow: x^0 and 1^y are 1, also for NaN; (-1)^(+-inf) is 1; a negative x needs a whole
/// y, else the result is NaN; zeros and infinities to the power of an odd number keep their sign. Error below B = 1
/// ulp; figures in docs/elementary.md.
template <class T, class B> typename B::Float power(B &b, typename B::Float x, typename B::Float y) {
  using C = ExpConstants<T>;
  using F = FloatFormat<T>;
  auto zero = literal<T>(b, 0), one = literal<T>(b, 1);
  auto infinity = b.floatBits(F::infinity), nan = b.floatBits(F::canonicalNaN);
  auto base = magnitude<T>(b, x), size = magnitude<T>(b, y);

  auto logarithm = logPair<T>(b, base);
  logarithm.high = b.select(b.less(base, infinity), logarithm.high, infinity);
  logarithm.high = b.select(b.less(zero, base), logarithm.high, b.neg(infinity));
  auto exponent = b.mul(y, logarithm.high);
  auto low = b.fma(y, logarithm.low, b.fma(y, logarithm.high, b.neg(exponent)));
  // Where the exponent is cut, or was no number, the low part means nothing.
  low = b.select(b.less(magnitude<T>(b, exponent), literal<T>(b, C::clampHigh)), low, zero);
  auto cut = expClamp<T>(b, exponent);
  auto e = expMinusOne<T>(b, cut, &low);
  auto p = quickSum(b, one, e.m.high);
  auto result = expScale<T>(b, b.add(p.high, b.add(p.low, e.m.low)), e.biased, exponent);

  // A negative x.
  auto whole = isWhole<T>(b, size), wholeHalf = isWhole<T>(b, b.mul(size, literal<T>(b, T(0.5))));
  auto signOfX = b.fromBits(b.iand(b.toBits(x), b.intConstant(F::signMask)));
  auto sign = b.select(b.less(wholeHalf, whole), signOfX, zero);
  result = b.fromBits(b.ixor(b.toBits(result), b.toBits(sign)));
  auto domain = b.select(b.less(x, zero), b.select(b.less(whole, one), nan, one), one);
  domain = b.select(b.less(base, infinity), domain, one); // infinities are no error
  // NaN of either operand, or of the domain.
  result = b.select(b.unordered(x, y), nan, result);
  result = b.select(b.unordered(domain, domain), nan, result);
  // 1 of |x| = 1 with an infinite y, of y = 0 and of x = 1.
  auto isUnit =
      b.select(b.less(base, one), zero, b.select(b.less(one, base), zero, b.select(b.unordered(x, x), zero, one)));
  auto unbounded = b.select(b.less(size, infinity), zero, b.select(b.unordered(y, y), zero, one));
  auto isOne = b.select(b.less(zero, b.mul(isUnit, unbounded)), one, zero);
  isOne = b.select(b.less(zero, x), b.select(b.less(zero, isUnit), one, isOne), isOne);
  isOne = b.select(b.less(zero, size), isOne, b.select(b.unordered(y, y), isOne, one));
  return b.select(b.less(zero, isOne), one, result);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_POWER_H
