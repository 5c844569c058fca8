//===- Rsqrt.h - rsqrt as a fixed sequence -----------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_RSQRT_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_RSQRT_H

#include "compiler/reference/elementary/Builder.h"

namespace nova::reference {

/// 1 / sqrt(x): y = 1 / sqrt(x) with two roundings, then one Newton step whose residual 1 - x y^2 is computed from the
/// exact product x y, so that only the last addition rounds visibly. No intermediate result of the step underflows,
/// also for subnormal x. rsqrt(+-0) = +-inf, rsqrt(+inf) = +0, NaN below 0. Error below B = 1 ulp; figures in
/// docs/elementary.md.
template <class T, class B> typename B::Float rsqrt(B &b, typename B::Float x) {
  using F = FloatFormat<T>;
  auto zero = literal<T>(b, 0), one = literal<T>(b, 1);
  auto y = b.div(one, b.sqrt(x));
  auto product = b.mul(x, y), negatedProduct = b.neg(product);
  auto rest = b.fma(x, y, negatedProduct);
  auto residual = b.fma(negatedProduct, y, one);
  residual = b.fma(b.neg(rest), y, residual);
  auto refined = b.fma(b.mul(y, literal<T>(b, T(0.5))), residual, y);
  // At 0 and infinity y is exact, and the step would make it NaN. Below 0 both are NaN.
  auto infinity = b.floatBits(F::infinity);
  refined = b.select(b.less(zero, x), refined, y);
  refined = b.select(b.less(x, infinity), refined, y);
  return keepNaN<T>(b, refined, refined);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_RSQRT_H
