//===- Storage.h - Numbers that are kept but not computed with ---------------===//
//
// bf16, f16 and i4 as types of their own, so that nothing converts them by accident (i8 is int8_t). Widening is exact,
// narrowing rounds once (rule 1 of docs/arithmetic.md). Plain C++ on integers; pure and thread-safe.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_STORAGE_H
#define NOVA_COMPILER_REFERENCE_STORAGE_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nova::reference {

/// The upper half of an f32.
struct BFloat16 {
  static constexpr int exponentBits = 8, mantissaBits = 7;
  static constexpr uint16_t canonicalNaN = 0x7FC0;
  uint16_t bits;
};

/// IEEE 754 binary16.
struct Float16 {
  static constexpr int exponentBits = 5, mantissaBits = 10;
  static constexpr uint16_t canonicalNaN = 0x7E00;
  uint16_t bits;
};

/// -8 .. 7; one byte each outside of modules.
struct Int4 {
  int8_t value;
};

template <class T> inline constexpr bool isSmallFloat = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;
/// Whether C++ has no arithmetic on T.
template <class T> inline constexpr bool isStored = isSmallFloat<T> || std::is_same_v<T, Int4>;

/// The same number in a type that is computed with; a NaN of a small float becomes some NaN.
inline int32_t widen(Int4 x) { return x.value; }
template <class T> std::enable_if_t<isSmallFloat<T>, float> widen(T x) {
  constexpr uint32_t exponents = (1u << T::exponentBits) - 1, bias = exponents / 2;
  uint32_t exponent = x.bits >> T::mantissaBits & exponents, mantissa = x.bits & ((1u << T::mantissaBits) - 1), bits;
  if (exponent == exponents) {
    bits = 0x7F800000 | mantissa << (23 - T::mantissaBits);
  } else if (exponent == 0 && T::exponentBits < 8) {
    // A multiple of the least subnormal, which is a normal f32.
    float scaled = static_cast<float>(mantissa) * 0x1p-24f;
    static_assert(T::exponentBits == 8 || T::mantissaBits == 10);
    std::memcpy(&bits, &scaled, sizeof bits);
  } else {
    bits = (exponent + 127 - bias) << 23 | mantissa << (23 - T::mantissaBits);
  }
  bits |= static_cast<uint32_t>(x.bits >> 15) << 31;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// The nearest number of T, of two the even one; subnormals are kept, what is too large is infinite. Every f32 is an
/// f64, so both are rounded once.
template <class T> T narrow(double x) {
  constexpr int bias = (1 << (T::exponentBits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << T::exponentBits) - 1) << T::mantissaBits;
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << 15;
  int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024)
    return {static_cast<uint16_t>(significand ? T::canonicalNaN : sign | infinity)};
  if (exponent < -bias - T::mantissaBits) // below half of the least subnormal, all subnormals of f64 among them
    return {static_cast<uint16_t>(sign)};
  significand |= uint64_t(1) << 52;
  // x is significand * 2^(exponent - 52); its last place in T is 2^place.
  bool normal = exponent >= 1 - bias;
  int place = (normal ? exponent : 1 - bias) - T::mantissaBits, dropped = place - (exponent - 52);
  uint64_t kept = significand >> dropped, rest = significand & ((uint64_t(1) << dropped) - 1);
  uint64_t half = uint64_t(1) << (dropped - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // A carry out of the mantissa goes on into the exponent, and from the last one to infinity.
  uint64_t result = normal ? kept + (static_cast<uint64_t>(exponent + bias - 1) << T::mantissaBits) : kept;
  return {static_cast<uint16_t>(sign | (result < infinity ? static_cast<uint32_t>(result) : infinity))};
}

/// A whole number as an f64 that rounds to the same bf16 and f16: the number itself up to 2^53, beyond that with the
/// bits that an f64 lacks gathered in its last one.
inline double stickyDouble(int64_t x) {
  constexpr int64_t exact = int64_t(1) << 53, lost = 0x3FF;
  if (x < -exact || x > exact)
    x = (x & ~lost) | (x & lost ? lost + 1 : 0);
  return static_cast<double>(x);
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_STORAGE_H
