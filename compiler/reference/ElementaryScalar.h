//===- ElementaryScalar.h - The builder that evaluates -----------------------===//
//
// Evaluates the sequences of Elementary.h on one number at a time: the interpreter's and the tests' builder. Compile
// with -ffp-contract=off; with -march=x86-64-v3 -fno-math-errno no math library is called.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H

#include "compiler/reference/Elementary.h"

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

  Float floatBits(uint64_t bits) { return fromBits(static_cast<Int>(static_cast<Unsigned>(bits))); }
  Int intConstant(int64_t value) { return static_cast<Int>(value); }
  Float add(Float a, Float b) { return a + b; }
  Float sub(Float a, Float b) { return a - b; }
  Float mul(Float a, Float b) { return a * b; }
  Float fma(Float a, Float b, Float c) { return std::fma(a, b, c); }
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
  Int shl(Int a, unsigned count) { return static_cast<Int>(static_cast<Unsigned>(a) << count); }
  // Arithmetic on every compiler Nova supports; C++20 makes it the rule.
  Int ashr(Int a, unsigned count) { return a >> count; }
};

/// The canonical exp of one number; see exp in Elementary.h.
template <class T> T canonicalExp(T x) {
  ScalarBuilder<T> builder;
  return exp<T>(builder, x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARYSCALAR_H
