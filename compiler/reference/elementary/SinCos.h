//===- SinCos.h - sin and cos as fixed sequences -----------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_SINCOS_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_SINCOS_H

#include "compiler/reference/elementary/HalfTurns.h"

namespace nova::reference {

/// sin(r) = r + r^3 (sine[0] + sine[1] r^2 + ...), cos(r) = 1 - r^2/2 + r^4 (cosine[0] + ...) for |r| <= pi/4.
template <class T> struct SinCosConstants;

template <> struct SinCosConstants<float> {
  static constexpr float sine[] = {-0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f7ep-13f, 0x1.6cd1cp-19f};
  static constexpr float cosine[] = {0x1.55554ap-5f, -0x1.6c0c32p-10f, 0x1.99eb3p-16f};
};

template <> struct SinCosConstants<double> {
  static constexpr double sine[] = {-0.16666666666666630712,  0.0083333333333221097252,  -0.00019841269829580880182,
                                    2.7557313618029981157e-6, -2.5050747195531954084e-8, 1.5896195295786619528e-10};
  static constexpr double cosine[] = {0.041666666666666592869,   -0.0013888888888873044765, 0.000024801587288843254511,
                                      -2.7557314176587127373e-7, 2.08757004438209576e-9,    -1.1358514609283102508e-11};
};

/// The sine of the reduced argument.
template <class T, class B> typename B::Float reducedSine(B &b, Pair<B> r, typename B::Float square) {
  auto p = polynomial<T>(b, square, SinCosConstants<T>::sine);
  // d sin = cos(r) dr, with cos(r) as 1 - r^2/2.
  auto low = b.fma(b.mul(square, literal<T>(b, T(-0.5))), r.low, r.low);
  return b.add(r.high, b.fma(b.mul(square, r.high), p, low));
}

/// Its cosine; `squareLow` is what r.high^2 lost to rounding.
template <class T, class B>
typename B::Float reducedCosine(B &b, Pair<B> r, typename B::Float square, typename B::Float squareLow) {
  auto halfOne = literal<T>(b, T(0.5));
  auto p = polynomial<T>(b, square, SinCosConstants<T>::cosine);
  auto low = b.fma(r.high, r.low, b.mul(squareLow, halfOne));
  auto sum = quickSum(b, literal<T>(b, 1), b.neg(b.mul(square, halfOne)));
  return b.add(sum.high, b.add(sum.low, b.fma(b.mul(square, square), p, b.neg(low))));
}

/// The sine of x + `turns` pi/2 for x >= 0, but for the sign where `turns` is 1 and 2 is due; NaN for infinity and NaN.
template <class T, class B> typename B::Float sineOf(B &b, typename B::Float x, int64_t turns) {
  auto reduced = halfTurns<T>(b, x);
  auto square = b.mul(reduced.r.high, reduced.r.high);
  auto squareLow = b.fma(reduced.r.high, reduced.r.high, b.neg(square));
  auto sine = reducedSine<T>(b, reduced.r, square), cosine = reducedCosine<T>(b, reduced.r, square, squareLow);
  auto n = b.iadd(b.toBits(reduced.biased), b.intConstant(turns));
  auto even = b.iless(b.iand(n, b.intConstant(1)), b.intConstant(1));
  auto result = b.select(even, sine, cosine);
  auto sign = b.shl(b.iand(n, b.intConstant(2)), HalfTurnConstants<T>::wordBits - 2);
  result = b.fromBits(b.ixor(b.toBits(result), sign));
  auto finite = b.less(x, b.floatBits(FloatFormat<T>::infinity));
  return b.select(finite, result, b.floatBits(FloatFormat<T>::canonicalNaN));
}

/// The sine, x in radians, of any size. sin(+-0) = +-0, NaN of an infinity. Error below B = 1 ulp; figures in
/// docs/elementary.md.
template <class T, class B> typename B::Float sin(B &b, typename B::Float x) {
  auto result = sineOf<T>(b, magnitude<T>(b, x), 0);
  auto sign = b.iand(b.toBits(x), b.intConstant(FloatFormat<T>::signMask));
  return keepNaN<T>(b, b.fromBits(b.ixor(b.toBits(result), sign)), result);
}

/// The cosine, likewise. cos(+-0) = 1, NaN of an infinity. Error below B = 1 ulp.
template <class T, class B> typename B::Float cos(B &b, typename B::Float x) {
  return sineOf<T>(b, magnitude<T>(b, x), 1);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_SINCOS_H
