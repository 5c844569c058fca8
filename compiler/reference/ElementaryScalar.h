//===- ElementaryScalar.h - The builder that evaluates -----------------------===//
//
// Evaluates the sequences of Elementary.h on one number at a time: the interpreter's and the tests' builder. Compile
// with -ffp-contract=off; with -march=x86-64-v3 -fno-math-errno no math library is called.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H

#include "compiler/reference/Elementary.h"

#include <array>
#include <cmath>
#include <type_traits>

namespace nova::reference {

/// Builder over T = float or double; stateless.
template <class T> struct ScalarBuilder {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  using Float = T;
  using Int = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Bool = bool;
  using Unsigned = std::make_unsigned_t<Int>;
  using Wide = std::conditional_t<sizeof(T) == 4, uint64_t, unsigned __int128>;

  Float floatBits(uint64_t bits) { return fromBits(static_cast<Int>(static_cast<Unsigned>(bits))); }
  Int intConstant(int64_t value) { return static_cast<Int>(value); }
  Float add(Float a, Float b) { return a + b; }
  Float sub(Float a, Float b) { return a - b; }
  Float mul(Float a, Float b) { return a * b; }
  Float div(Float a, Float b) { return a / b; }
  Float sqrt(Float a) { return std::sqrt(a); }
  Float fma(Float a, Float b, Float c) { return std::fma(a, b, c); }
  Float neg(Float a) { return -a; }
  Bool less(Float a, Float b) { return a < b; }
  Bool unordered(Float a, Float b) { return a != a || b != b; }
  Float select(Bool condition, Float ifTrue, Float ifFalse) { return condition ? ifTrue : ifFalse; }
  Int toBits(Float a) {
    Int bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
  }
  Float fromBits(Int bits) {
    Float a;
    std::memcpy(&a, &bits, sizeof a);
    return a;
  }
  Int iadd(Int a, Int b) { return static_cast<Int>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)); }
  Int isub(Int a, Int b) { return static_cast<Int>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b)); }
  Int imul(Int a, Int b) {
    return static_cast<Int>(static_cast<Wide>(static_cast<Unsigned>(a)) * static_cast<Unsigned>(b));
  }
  Int umulHigh(Int a, Int b) {
    return static_cast<Int>(static_cast<Wide>(static_cast<Unsigned>(a)) * static_cast<Unsigned>(b) >> 8 * sizeof(Int));
  }
  Int iand(Int a, Int b) { return a & b; }
  Int ior(Int a, Int b) { return a | b; }
  Int ixor(Int a, Int b) { return a ^ b; }
  Int shl(Int a, unsigned count) { return static_cast<Int>(static_cast<Unsigned>(a) << count); }
  // Arithmetic on every compiler Nova supports; C++20 makes it the rule.
  Int ashr(Int a, unsigned count) { return a >> count; }
  Int lshr(Int a, unsigned count) { return static_cast<Int>(static_cast<Unsigned>(a) >> count); }
  Int shlBy(Int a, Int count) { return shl(a, static_cast<unsigned>(count)); }
  Int lshrBy(Int a, Int count) { return lshr(a, static_cast<unsigned>(count)); }
  Bool iless(Int a, Int b) { return a < b; }
  Int iselect(Bool condition, Int ifTrue, Int ifFalse) { return condition ? ifTrue : ifFalse; }
  template <class F, size_t n>
  std::array<Float, n> rarely(Bool condition, F compute, const std::array<Float, n> &otherwise) {
    return condition ? compute() : otherwise;
  }
};

/// \name The elementary functions of one number
/// @{
template <class T> T canonicalExp(T x) {
  ScalarBuilder<T> builder;
  return exp<T>(builder, x);
}
template <class T> T canonicalErf(T x) {
  ScalarBuilder<T> builder;
  return erf<T>(builder, x);
}
template <class T> T canonicalLog(T x) {
  ScalarBuilder<T> builder;
  return log<T>(builder, x);
}
template <class T> T canonicalPower(T x, T y) {
  ScalarBuilder<T> builder;
  return power<T>(builder, x, y);
}
template <class T> T canonicalRsqrt(T x) {
  ScalarBuilder<T> builder;
  return rsqrt<T>(builder, x);
}
template <class T> T canonicalSigmoid(T x) {
  ScalarBuilder<T> builder;
  return sigmoid<T>(builder, x);
}
template <class T> T canonicalSin(T x) {
  ScalarBuilder<T> builder;
  return sin<T>(builder, x);
}
template <class T> T canonicalCos(T x) {
  ScalarBuilder<T> builder;
  return cos<T>(builder, x);
}
template <class T> T canonicalTanh(T x) {
  ScalarBuilder<T> builder;
  return tanh<T>(builder, x);
}
/// @}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H
