//===- Exp.h - exp as a fixed sequence ---------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_EXP_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_EXP_H

#include "compiler/reference/elementary/Builder.h"

namespace nova::reference {

/// Constants of exp for one type. exp(x) = 2^n e^r with n the integer nearest to x log2(e), r = x - n ln 2, and
/// e^r = 1 + r + r^2 (c[0] + c[1] r + ...).
template <class T> struct ExpConstants;

template <> struct ExpConstants<float> : FloatFormat<float> {
  static constexpr float log2e = 0x1.715476p+0f;
  /// ln 2 = ln2High + ln2Low. n * ln2High is subtracted exactly, so ln2High needs no trailing zeros.
  static constexpr float ln2High = 0x1.62e43p-1f;
  static constexpr float ln2Low = -0x1.05c61p-29f;
  static constexpr int terms = 5;
  static constexpr float c[terms] = {0x1.fffffcp-2f, 0x1.55546ep-3f, 0x1.5558dap-5f, 0x1.124d72p-7f, 0x1.6a243p-10f};
  /// Beyond these the result is 0 or infinity, and the two scale factors still are normal numbers.
  static constexpr float clampLow = -110.0f, clampHigh = 110.0f;
  /// Inside [normalLow, normalHigh] the result is a normal number (with room to spare).
  static constexpr float normalLow = -86.0f, normalHigh = 87.0f;
};

template <> struct ExpConstants<double> : FloatFormat<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2High = 0x1.62e42fefa39efp-1;
  static constexpr double ln2Low = 0x1.abc9e3b39803fp-56;
  static constexpr int terms = 10;
  static constexpr double c[terms] = {0.5000000000000010628,      0.1666666666666641251,    0.041666666666530151992,
                                      0.0083333333334944648676,   0.0013888888943631738967, 0.00019841269506578688702,
                                      0.000024801493097326621006, 2.7557586369735856157e-6, 2.7630248909362259968e-7,
                                      2.5000063809506674646e-8};
  static constexpr double clampLow = -800.0, clampHigh = 800.0;
  static constexpr double normalLow = -700.0, normalHigh = 700.0;
};

/// The reduced argument of exp: n = `biased` - magic is the power of two (also found in the low bits of `biased`),
/// and `r` is in [-ln2/2, ln2/2] up to rounding.
template <class B> struct ExpReduced {
  typename B::Float biased, r;
};

/// Argument reduction of exp; `x` in [clampLow, clampHigh], not NaN.
template <class T, class B> ExpReduced<B> expReduce(B &b, typename B::Float x) {
  using C = ExpConstants<T>;
  auto magic = b.floatBits(bitsOf(C::magic));
  auto biased = b.fma(x, b.floatBits(bitsOf(C::log2e)), magic);
  auto n = b.sub(biased, magic);
  auto r = b.fma(n, b.floatBits(bitsOf(-C::ln2High)), x);
  return {biased, b.fma(n, b.floatBits(bitsOf(-C::ln2Low)), r)};
}

/// e^r for a reduced argument: the polynomial, between 0.70 and 1.42.
template <class T, class B> typename B::Float expPolynomial(B &b, typename B::Float r) {
  using C = ExpConstants<T>;
  auto p = b.floatBits(bitsOf(C::c[C::terms - 1]));
  for (int i = C::terms - 2; i >= 0; --i)
    p = b.fma(p, r, b.floatBits(bitsOf(C::c[i])));
  auto one = b.floatBits(bitsOf(T(1)));
  p = b.fma(p, r, one);
  return b.fma(p, r, one);
}

/// Finishes exp where the result is known to be a normal number: x in [normalLow, normalHigh]. Adding n to the exponent
/// is exact, so the bits are those of expFinishFull at fewer operations.
template <class T, class B> typename B::Float expFinishNormal(B &b, const ExpReduced<B> &reduced) {
  auto p = expPolynomial<T>(b, reduced.r);
  // Only the low bits of `biased` survive the shift; they are n modulo the exponent's range.
  auto exponent = b.shl(b.toBits(reduced.biased), ExpConstants<T>::mantissaBits);
  return b.fromBits(b.iadd(b.toBits(p), exponent));
}

/// Scales p = e^r by 2^n, n as in ExpReduced, for every x: by 2^(n>>1) and 2^(n - (n>>1)). The first product is exact,
/// so that subnormal results are rounded once and overflow gives infinity. `x` is NaN exactly where the argument of exp
/// was.
template <class T, class B>
typename B::Float expScale(B &b, typename B::Float p, typename B::Float biased, typename B::Float x) {
  using C = ExpConstants<T>;
  auto n = b.isub(b.toBits(biased), b.intConstant(static_cast<int64_t>(bitsOf(C::magic))));
  auto half = b.ashr(n, 1);
  auto rest = b.isub(n, half);
  auto bias = b.intConstant(C::exponentBias);
  for (auto power : {half, rest})
    p = b.mul(p, b.fromBits(b.shl(b.iadd(power, bias), C::mantissaBits)));
  return keepNaN<T>(b, p, x);
}

/// Finishes exp for every x. `x` is the argument of exp before clamping (for NaN).
template <class T, class B> typename B::Float expFinishFull(B &b, const ExpReduced<B> &reduced, typename B::Float x) {
  return expScale<T>(b, expPolynomial<T>(b, reduced.r), reduced.biased, x);
}

/// Brings x into [clampLow, clampHigh], where exp is already 0 or infinity at the ends; NaN becomes clampLow.
template <class T, class B> typename B::Float expClamp(B &b, typename B::Float x) {
  auto low = b.floatBits(bitsOf(ExpConstants<T>::clampLow)), high = b.floatBits(bitsOf(ExpConstants<T>::clampHigh));
  x = b.select(b.less(low, x), x, low);
  return b.select(b.less(x, high), x, high);
}

/// exp(x) for every x: the definition. exp(NaN) is the canonical NaN, exp(-inf) = +0, exp(+inf) = +inf,
/// exp(+-0) = 1. Error below B = 1 ulp, also for subnormal results; measured figures in docs/elementary.md.
template <class T, class B> typename B::Float exp(B &b, typename B::Float x) {
  return expFinishFull<T>(b, expReduce<T>(b, expClamp<T>(b, x)), x);
}

/// exp(x), the same bits as exp, for x that is not NaN and not above clampHigh: one clamp and one select fewer.
/// Meant for x - max(x).
template <class T, class B> typename B::Float expNonPositive(B &b, typename B::Float x) {
  auto low = b.floatBits(bitsOf(ExpConstants<T>::clampLow));
  auto clamped = b.select(b.less(low, x), x, low);
  return expFinishFull<T>(b, expReduce<T>(b, clamped), x);
}

/// exp(x), the same bits as exp, for x in [normalLow, normalHigh]: the cheapest form, for loops whose arguments are
/// guarded once per row.
template <class T, class B> typename B::Float expNormal(B &b, typename B::Float x) {
  return expFinishNormal<T>(b, expReduce<T>(b, x));
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_EXP_H
