//===- Log.h - log as a fixed sequence ---------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_LOG_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_LOG_H

#include "compiler/reference/elementary/Builder.h"

namespace nova::reference {

/// Constants of log for one type. With x = 2^k m, m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f) and z = s^2:
/// log(m) = f - (f^2/2 - s (f^2/2 + z (c[0] + c[1] z + ...))).
template <class T> struct LogConstants;

template <> struct LogConstants<float> : FloatFormat<float> {
  /// The bits of the float next to sqrt(1/2).
  static constexpr int64_t sqrtHalf = 0x3F3504F3;
  /// k * ln2High is exact: ln2High has 15 bits.
  static constexpr float ln2High = 0x1.62e4p-1f, ln2Low = 0x1.7f7d1cp-20f;
  static constexpr float c[] = {0x1.555554p-1f, 0x1.999a7ap-2f, 0x1.2438d2p-2f, 0x1.e2f724p-3f};
  static constexpr float smallestNormal = 0x1p-126f;
  /// Makes subnormal numbers normal.
  static constexpr float scale = 0x1p24f, scaleExponent = 24;
};

template <> struct LogConstants<double> : FloatFormat<double> {
  static constexpr int64_t sqrtHalf = 0x3FE6A09E667F3BCD;
  /// 38 bits.
  static constexpr double ln2High = 0x1.62e42fefa4p-1, ln2Low = -0x1.8432a1b0e2634p-43;
  static constexpr double c[] = {0.66666666666667344563, 0.39999999999414340985, 0.28571428742471671754,
                                 0.22222198563723442824, 0.18183564857741189922, 0.15314035997704590194,
                                 0.14796104334450338768};
  static constexpr double smallestNormal = 0x1p-1022;
  static constexpr double scale = 0x1p54, scaleExponent = 54;
};

/// x = 2^k m, m in [sqrt(1/2), sqrt(2)).
template <class B> struct ScaledNumber {
  typename B::Float k, m;
};

/// For x > 0 and finite, subnormal numbers included.
template <class T, class B> ScaledNumber<B> scaled(B &b, typename B::Float x) {
  using C = LogConstants<T>;
  auto small = b.less(x, literal<T>(b, C::smallestNormal));
  auto bits = b.toBits(b.select(small, b.mul(x, literal<T>(b, C::scale)), x));
  auto exponent = b.ashr(b.isub(bits, b.intConstant(C::sqrtHalf)), C::mantissaBits);
  auto m = b.fromBits(b.isub(bits, b.shl(exponent, C::mantissaBits)));
  // The integer as a float: exact, through the low bits of `magic`.
  auto magic = b.intConstant(static_cast<int64_t>(bitsOf(C::magic)));
  auto k = b.sub(b.fromBits(b.iadd(exponent, magic)), literal<T>(b, C::magic));
  return {b.sub(k, b.select(small, literal<T>(b, C::scaleExponent), literal<T>(b, 0))), m};
}

/// The natural logarithm. log(1) = +0, log(+-0) = -inf, log(+inf) = +inf, NaN below 0. Error below B = 1 ulp; figures
/// in docs/elementary.md.
template <class T, class B> typename B::Float log(B &b, typename B::Float x) {
  using C = LogConstants<T>;
  auto zero = literal<T>(b, 0);
  auto [k, m] = scaled<T>(b, x);
  auto f = b.sub(m, literal<T>(b, 1)); // exact
  auto s = b.div(f, b.add(f, literal<T>(b, 2)));
  auto z = b.mul(s, s);
  auto halfSquare = b.mul(b.mul(f, literal<T>(b, T(0.5))), f);
  auto inner = b.fma(z, polynomial<T>(b, z, C::c), halfSquare);
  // k ln2High + f = sum exactly; what is small is collected and added last.
  auto sum = quickSum(b, b.mul(k, literal<T>(b, C::ln2High)), f);
  auto low = b.fma(k, literal<T>(b, C::ln2Low), sum.low);
  low = b.add(low, b.fma(s, inner, b.neg(halfSquare)));
  auto result = b.add(sum.high, low);

  auto infinity = b.floatBits(C::infinity);
  result = b.select(b.less(x, infinity), result, infinity);
  result = b.select(b.less(zero, x), result, b.neg(infinity));
  result = b.select(b.less(x, zero), b.floatBits(C::canonicalNaN), result);
  return keepNaN<T>(b, result, x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_LOG_H
