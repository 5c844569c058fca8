//===- Builder.h - What elementary functions are written over ----------------===//
//
// A sequence is written once, over a Builder. A scalar builder (ElementaryScalar.h) evaluates it; a code generator's
// builder emits it, on vectors or on groups of vectors. All give the same bits because every builder operation is
// exactly defined here.
//
// Builder concept:
//   types   Float, Int, Bool: values of the function's element type, of the integer type as wide, and of a condition.
//           A builder of groups of vectors keeps one element per vector in each and maps every operation over them.
//   Float floatBits(uint64_t bits)        the constant with these bits (the low 32 for f32)
//   Int intConstant(int64_t value)
//   Float add(Float, Float), sub(Float, Float), mul(Float, Float), div(Float, Float), sqrt(Float)
//                                         rounded once, nearest even, subnormals kept
//   Float fma(Float a, Float b, Float c)  a * b + c rounded once
//   Float neg(Float)                      the sign flipped
//   Bool less(Float, Float), unordered(Float, Float)                   IEEE comparisons, less is false on NaN
//   Float select(Bool, Float ifTrue, Float ifFalse)
//   Int toBits(Float); Float fromBits(Int)
//   Int iadd(Int, Int), isub(Int, Int)                                 wrapping
//   Int imul(Int, Int), umulHigh(Int, Int)                             low and high word of the (unsigned) product
//   Int iand(Int, Int), ior(Int, Int), ixor(Int, Int)
//   Int shl(Int, unsigned), ashr(Int, unsigned), lshr(Int, unsigned)   left; arithmetic, logical right
//   Int shlBy(Int, Int), lshrBy(Int, Int)                              by counts from 0 to the width less one
//   Bool iless(Int, Int)                                               signed
//   Int iselect(Bool, Int ifTrue, Int ifFalse)
//   std::array<Float, n> rarely(Bool condition, F compute, std::array<Float, n> otherwise)
//                                         compute()'s values where the condition holds, else the others: a selection,
//                                         whose first operands need not be computed where no element needs them
//
// The functions are pure and hold no state; thread-safety is that of the builder.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_BUILDER_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_BUILDER_H

#include <cstdint>
#include <cstring>

namespace nova::reference {

/// The bits of a float, zero-extended: what Builder::floatBits takes.
inline uint64_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The layout of a float type, and the numbers every sequence needs.
template <class T> struct FloatFormat;

template <> struct FloatFormat<float> {
  static constexpr unsigned mantissaBits = 23;
  static constexpr int64_t exponentBias = 127;
  static constexpr uint64_t canonicalNaN = 0x7FC00000, infinity = 0x7F800000;
  static constexpr int64_t signMask = -0x80000000LL, magnitudeMask = 0x7FFFFFFF;
  /// Adding 1.5 * 2^23 leaves an integer in the low bits of the sum.
  static constexpr float magic = 0x1.8p+23f;
};

template <> struct FloatFormat<double> {
  static constexpr unsigned mantissaBits = 52;
  static constexpr int64_t exponentBias = 1023;
  static constexpr uint64_t canonicalNaN = 0x7FF8000000000000, infinity = 0x7FF0000000000000;
  static constexpr int64_t signMask = INT64_MIN, magnitudeMask = INT64_MAX;
  static constexpr double magic = 0x1.8p+52;
};

/// The constant `value`.
template <class T, class B> typename B::Float literal(B &b, T value) { return b.floatBits(bitsOf(value)); }

/// c[0] + c[1] x + ... by Horner's scheme with fma.
template <class T, class B, int terms> typename B::Float polynomial(B &b, typename B::Float x, const T (&c)[terms]) {
  auto p = literal<T>(b, c[terms - 1]);
  for (int i = terms - 2; i >= 0; --i)
    p = b.fma(p, x, literal<T>(b, c[i]));
  return p;
}

/// |x|, also of NaN and zeros.
template <class T, class B> typename B::Float magnitude(B &b, typename B::Float x) {
  return b.fromBits(b.iand(b.toBits(x), b.intConstant(FloatFormat<T>::magnitudeMask)));
}

/// `y`, which is not negative, with the sign of `x`.
template <class T, class B> typename B::Float withSignOf(B &b, typename B::Float y, typename B::Float x) {
  return b.fromBits(b.ixor(b.toBits(y), b.iand(b.toBits(x), b.intConstant(FloatFormat<T>::signMask))));
}

/// The canonical NaN where `x` is NaN, else `y`.
template <class T, class B> typename B::Float keepNaN(B &b, typename B::Float y, typename B::Float x) {
  return b.select(b.unordered(x, x), b.floatBits(FloatFormat<T>::canonicalNaN), y);
}

/// An unevaluated sum of two floats, |low| at most half a unit in the last place of `high`.
template <class B> struct Pair {
  typename B::Float high, low;
};

/// a + b exactly, for |a| >= |b| or a = 0.
template <class B> Pair<B> quickSum(B &b, typename B::Float x, typename B::Float y) {
  auto sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

/// a + b exactly, for any a and b.
template <class B> Pair<B> exactSum(B &b, typename B::Float x, typename B::Float y) {
  auto sum = b.add(x, y);
  auto part = b.sub(sum, x);
  return {sum, b.add(b.sub(x, b.sub(sum, part)), b.sub(y, part))};
}

/// num / den rounded once up to the error of the low parts, by one division and one correction.
template <class T, class B> typename B::Float quotientOfPairs(B &b, Pair<B> num, Pair<B> den) {
  auto reciprocal = b.div(literal<T>(b, 1), den.high);
  auto q = b.mul(num.high, reciprocal);
  auto negated = b.neg(q);
  auto rest = b.add(b.fma(negated, den.high, num.high), b.fma(negated, den.low, num.low));
  return b.fma(rest, reciprocal, q);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_BUILDER_H
