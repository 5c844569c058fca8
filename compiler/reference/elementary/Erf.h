//===- Erf.h - erf as a fixed sequence ---------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H

#include "compiler/reference/elementary/ExpPair.h"

namespace nova::reference {

/// Constants of erf for one type. Below 3/4: erf(x) = x + x (inner[0] + inner[1] x^2 + ...). Then, below 1, with
/// t = x - 7/8: erf(x) = centre[0] + (centre[1] + t (middle[0] + middle[1] t + ...)). Else, up to `end`, where erf is 1
/// to the last bit: erf(x) = 1 - e^(-x^2) (outer[0] + outer[1] (x - 2) + ...).
template <class T> struct ErfConstants;

template <> struct ErfConstants<float> {
  static constexpr float inner[] = {0x1.06eba8p-3f, -0x1.81273ap-2f, 0x1.ce2ae2p-4f,
                                    -0x1.b7aaap-6f, 0x1.4f3d08p-8f,  -0x1.623bfp-11f};
  static constexpr float centre[] = {0x1.91724ap-1f, -0x1.5c8e08p-26f};
  static constexpr float middle[] = {0x1.0cab62p-1f, -0x1.d62becp-2f, 0x1.7c9acap-4f,
                                     0x1.cc609ap-4f, -0x1.11895ap-4f, -0x1.55232ap-7f};
  static constexpr float outer[] = {0x1.05866cp-2f,   -0x1.b571a2p-4f, 0x1.5670dep-5f,   -0x1.fa00b4p-7f, 0x1.66d46p-8f,
                                    -0x1.e7bbe4p-10f, 0x1.070a64p-11f, -0x1.a4896ep-13f, 0x1.c5e234p-14f};
  static constexpr float end = 4.0f;
};

template <> struct ErfConstants<double> {
  static constexpr double inner[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379ep-2,   0x1.ce2f21a0424c3p-4,
                                     -0x1.b82ce31257412p-6,  0x1.565bcd03657cp-8,    -0x1.c02db1220cfe6p-11,
                                     0x1.f9a2afa3a8f86p-14,  -0x1.f4c5debf1228ap-17, 0x1.b90ecd4aeec12p-20,
                                     -0x1.564f71bbc0d35p-23, 0x1.8a312cb07e6ccp-27};
  static constexpr double centre[] = {0x1.91724951b8fc6p-1, -0x1.27912dd352f8bp-55};
  static constexpr double middle[] = {0x1.0cab61f084b93p-1,  -0x1.d62beb64e8441p-2,  0x1.7c9d756a11577p-4,
                                      0x1.cc60567d78c6fp-4,  -0x1.1350f4b216313p-4,  -0x1.53bb4a5b587ccp-7,
                                      0x1.30ac215e3e32cp-6,  -0x1.e3f4ce2946f9ap-10, -0x1.aae160aa13dabp-9,
                                      0x1.d6e11ae012479p-11, 0x1.9792cf62e415bp-12,  -0x1.91d51170074a9p-13};
  static constexpr double outer[] = {
      0.25539567631050610516,     -0.10679646185348796149,     0.041802752603499233245,   -0.015460637764446630796,
      0.0054407385376048495716,   -0.0018316642737526332955,   0.0005924699970431725362,  -0.00018477837542765647406,
      0.000055728302891272147746, -0.000016293703506650259241, 4.628207170545494058e-6,   -1.2795387882247746281e-6,
      3.4481213210205643491e-7,   -9.0725459086663196148e-8,   2.3374188199677786967e-8,  -5.8870960531307188918e-9,
      1.432153910164140275e-9,    -3.4211128313780315009e-10,  8.6708932098096664303e-11, -2.2497328502189877791e-11,
      4.6953214501852840235e-12,  -6.0550572425270353136e-13,  3.4346464944845190365e-14};
  static constexpr double end = 6.0;
};

/// The error function. erf(+-0) = +-0, erf(+-inf) = +-1. Error below B = 1 ulp; figures in docs/elementary.md.
template <class T, class B> typename B::Float erf(B &b, typename B::Float x) {
  using C = ErfConstants<T>;
  auto one = literal<T>(b, 1), end = literal<T>(b, C::end);
  auto size = magnitude<T>(b, x);
  auto v = b.select(b.less(size, end), size, end); // also for NaN
  auto square = b.mul(v, v);
  auto innerPart = b.fma(v, polynomial<T>(b, square, C::inner), v);
  // Nearer to 1 the rounding errors of the square and of the last steps of P would add up to more than an ulp.
  auto t = b.sub(v, literal<T>(b, T(0.875)));
  auto step = b.fma(t, polynomial<T>(b, t, C::middle), literal<T>(b, C::centre[1]));
  auto middlePart = b.add(literal<T>(b, C::centre[0]), step);
  // The exact square takes part: its rounding error would be as large as the result's last bits.
  auto negated = b.neg(square), low = b.neg(b.fma(v, v, negated));
  auto e = expMinusOne<T>(b, negated, &low);
  auto scale = powerOfTwo<T>(b, exponentOf<T>(b, e.biased));
  auto q = polynomial<T>(b, b.sub(v, literal<T>(b, 2)), C::outer);
  auto complement = b.fma(q, e.m.high, q);
  auto outerPart = b.fma(b.neg(scale), complement, one);
  auto lowPart = b.select(b.less(v, literal<T>(b, T(0.75))), innerPart, middlePart);
  auto result = b.select(b.less(v, one), lowPart, outerPart);
  return keepNaN<T>(b, withSignOf<T>(b, result, x), x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H
