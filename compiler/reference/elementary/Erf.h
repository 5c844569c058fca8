//===- Erf.h - erf as a fixed sequence ---------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H

#include "compiler/reference/elementary/ExpPair.h"

namespace nova::reference {

/// Constants of erf for one type. Below 1: erf(x) = x + x (inner[0] + inner[1] x^2 + ...). Else, up to `end`, where erf
/// is 1 to the last bit: erf(x) = 1 - e^(-x^2) (outer[0] + outer[1] (x - 2) + ...).
template <class T> struct ErfConstants;

template <> struct ErfConstants<float> {
  static constexpr float inner[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf6p-4f, -0x1.b7f908p-6f,
                                    0x1.540588p-8f, -0x1.a3f5bap-11f, 0x1.49668ap-14f};
  static constexpr float outer[] = {0x1.05866cp-2f,   -0x1.b571a2p-4f, 0x1.5670dep-5f,   -0x1.fa00b4p-7f, 0x1.66d46p-8f,
                                    -0x1.e7bbe4p-10f, 0x1.070a64p-11f, -0x1.a4896ep-13f, 0x1.c5e234p-14f};
  static constexpr float end = 4.0f;
};

template <> struct ErfConstants<double> {
  static constexpr double inner[] = {0.12837916709551257375,    -0.37612638903183747599,     0.11283791670954857198,
                                     -0.0268661706450728361,    0.0052239776247802722684,    -0.00085483269787068977951,
                                     0.00012055331035571067843, -0.000014925593473983483539, 1.6460972273462772023e-6,
                                     -1.6350019295949985053e-7, 1.4657838898532768754e-8,    -1.1365503647742702181e-9,
                                     5.9449805587326789459e-11};
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
  // The exact square takes part: its rounding error would be as large as the result's last bits.
  auto negated = b.neg(square), low = b.neg(b.fma(v, v, negated));
  auto e = expMinusOne<T>(b, negated, &low);
  auto scale = powerOfTwo<T>(b, exponentOf<T>(b, e.biased));
  auto q = polynomial<T>(b, b.sub(v, literal<T>(b, 2)), C::outer);
  auto complement = b.fma(q, e.m.high, q);
  auto outerPart = b.fma(b.neg(scale), complement, one);
  auto result = b.select(b.less(v, one), innerPart, outerPart);
  return keepNaN<T>(b, withSignOf<T>(b, result, x), x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_ERF_H
