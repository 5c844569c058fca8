//===- ExpPair.h - e^x as a pair of floats -----------------------------------===//
//
// The exponential inside sigmoid, tanh and erf: unevaluated, with a few bits more than its type has.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_EXPPAIR_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_EXPPAIR_H

#include "compiler/reference/elementary/Exp.h"

namespace nova::reference {

/// Coefficients of (e^r - 1 - r) / r^2 for one type, where the polynomial's error shall not be seen.
template <class T> struct ExpPairConstants;

template <> struct ExpPairConstants<float> {
  static constexpr float c[] = {0x1p-1f,       0x1.555554p-3f,  0x1.55548ep-5f,
                                0x1.11127p-7f, 0x1.6d8d06p-10f, 0x1.9f08bp-13f};
};

template <> struct ExpPairConstants<double> {
  static constexpr double c[] = {0.50000000000000000439,     0.16666666666666683419,   0.041666666666666094292,
                                 0.0083333333333170348006,   0.0013888888889115628155, 0.00019841269896383000808,
                                 0.000024801586926639460482, 2.7557234862267135304e-6, 2.7557581835295309288e-7,
                                 2.5112036847952911859e-8,   2.0826633081854368364e-9};
};

/// e^x = 2^n (1 + m), n = `biased` - magic.
template <class B> struct ExpMinusOne {
  typename B::Float biased;
  Pair<B> m;
};

/// e^(x + *low), low being nothing if null, to about four bits more than T has; x in [clampLow, clampHigh], not NaN,
/// and |*low| at most two ulps of x.
template <class T, class B>
ExpMinusOne<B> expMinusOne(B &b, typename B::Float x, const typename B::Float *low = nullptr) {
  using C = ExpConstants<T>;
  auto biased = b.fma(x, literal<T>(b, C::log2e), literal<T>(b, C::magic));
  auto n = b.sub(biased, literal<T>(b, C::magic));
  auto first = b.fma(n, literal<T>(b, -C::ln2High), x); // exact
  auto r = b.fma(n, literal<T>(b, -C::ln2Low), first);
  auto lost = b.sub(first, r);
  auto rLow = b.fma(n, literal<T>(b, -C::ln2Low), low ? b.add(lost, *low) : lost);
  auto square = b.mul(r, r), p = polynomial<T>(b, r, ExpPairConstants<T>::c);
  // e^r rLow is added: as (1 + r) rLow where that is enough.
  auto growth = low ? b.fma(square, p, r) : r;
  return {biased, quickSum(b, r, b.fma(square, p, b.fma(rLow, growth, rLow)))};
}

/// 2^power for an exponent within the normal range.
template <class T, class B> typename B::Float powerOfTwo(B &b, typename B::Int power) {
  return b.fromBits(b.shl(b.iadd(power, b.intConstant(FloatFormat<T>::exponentBias)), FloatFormat<T>::mantissaBits));
}

/// n of ExpMinusOne and of ExpReduced, as an integer.
template <class T, class B> typename B::Int exponentOf(B &b, typename B::Float biased) {
  return b.isub(b.toBits(biased), b.intConstant(static_cast<int64_t>(bitsOf(FloatFormat<T>::magic))));
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_EXPPAIR_H
