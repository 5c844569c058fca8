//===- HalfTurns.h - Arguments of sin and cos modulo pi/2 --------------------===//
//
// x = n pi/2 + r for every finite x, with r good to almost twice the bits of its type: Cody and Waite's subtraction of
// three parts of pi/2 up to a limit, Payne and Hanek's multiplication by the relevant bits of 2/pi beyond.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_HALFTURNS_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_HALFTURNS_H

#include "compiler/reference/elementary/Builder.h"

#include <array>

namespace nova::reference {

/// Constants of the reduction for one type.
template <class T> struct HalfTurnConstants;

template <> struct HalfTurnConstants<float> : FloatFormat<float> {
  static constexpr float twoOverPi = 0x1.45f306p-1f;
  /// pi/2 = high + middle + low.
  static constexpr float high = 0x1.921fb6p0f, middle = -0x1.777a5cp-25f, low = -0x1.ee59dap-50f;
  /// Up to here the three parts are enough.
  static constexpr float limit = 0x1p17f;
  static constexpr unsigned wordBits = 32;
  /// The bits of 2/pi, the most significant first, after one word of zeros.
  static constexpr uint64_t bits[] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                      0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
};

template <> struct HalfTurnConstants<double> : FloatFormat<double> {
  static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double high = 0x1.921fb54442d18p0, middle = 0x1.1a62633145c07p-54, low = -0x1.f1976b7ed8fbcp-110;
  static constexpr double limit = 0x1p30;
  static constexpr unsigned wordBits = 64;
  static constexpr uint64_t bits[] = {0,
                                      0xA2F9836E4E441529,
                                      0xFC2757D1F534DDC0,
                                      0xDB6295993C439041,
                                      0xFE5163ABDEBBC561,
                                      0xB7246E3A424DD2E0,
                                      0x06492EEA09D1921C,
                                      0xFE1DEB1CB129A73E,
                                      0xE88235F52EBB4484,
                                      0xE99C7026B45F7E41,
                                      0x3991D639835339F4,
                                      0x9C845F8BBDF9283B,
                                      0x1FF897FFDE05980F,
                                      0xEF2F118B5A0A6D1F,
                                      0x6D367ECF27CB09B7,
                                      0x4F463F669E5FEA2D,
                                      0x7527BAC7EBE5F17B,
                                      0x3D0739F78A5292EA,
                                      0x6BFB5FB11F8D5D08,
                                      0x56033046FC7B6BAB};
};

/// x = n pi/2 + r, |r| at most slightly above pi/4. The low bits of `biased` are those of n, at least the last two.
template <class B> struct HalfTurns {
  typename B::Float biased;
  Pair<B> r;
};

/// For 0 <= x <= limit.
template <class T, class B> HalfTurns<B> subtractHalfTurns(B &b, typename B::Float x) {
  using C = HalfTurnConstants<T>;
  auto biased = b.fma(x, literal<T>(b, C::twoOverPi), literal<T>(b, C::magic));
  auto n = b.sub(biased, literal<T>(b, C::magic));
  auto first = b.fma(n, literal<T>(b, -C::high), x); // exact: a multiple of the last place of pi/2 or of x, and below 1
  auto part = b.mul(n, literal<T>(b, -C::middle));
  auto partLow = b.fma(n, literal<T>(b, -C::middle), b.neg(part));
  auto sum = exactSum(b, first, part);
  auto low = b.add(sum.low, b.fma(n, literal<T>(b, -C::low), partLow));
  return {biased, quickSum(b, sum.high, low)};
}

/// Four consecutive words of `bits`, the first of which is number `index`.
template <class T, class B> std::array<typename B::Int, 4> wordsOfTwoOverPi(B &b, typename B::Int index) {
  using C = HalfTurnConstants<T>;
  constexpr int count = sizeof C::bits / sizeof C::bits[0];
  std::array<typename B::Int, 4> words;
  for (int i = 0; i < 4; ++i)
    words[i] = b.intConstant(static_cast<int64_t>(C::bits[count - 4 + i]));
  for (int first = count - 5; first >= 0; --first) {
    auto here = b.iless(index, b.intConstant(first + 1));
    for (int i = 0; i < 4; ++i)
      words[i] = b.iselect(here, b.intConstant(static_cast<int64_t>(C::bits[first + i])), words[i]);
  }
  return words;
}

/// The carry of the sum `sum` = a + c.
template <class T, class B> typename B::Int carryOf(B &b, typename B::Int a, typename B::Int c, typename B::Int sum) {
  auto flipped = b.ixor(sum, b.intConstant(-1));
  auto carry = b.ior(b.iand(a, c), b.iand(b.ior(a, c), flipped));
  return b.lshr(carry, HalfTurnConstants<T>::wordBits - 1);
}

/// A whole number below 2^(mantissaBits - 1) in size, times the power of two `scale`.
template <class T, class B> typename B::Float scaledWhole(B &b, typename B::Int whole, T scale) {
  using C = HalfTurnConstants<T>;
  auto shifted = b.fromBits(b.iadd(whole, b.intConstant(static_cast<int64_t>(bitsOf(C::magic)))));
  return b.mul(b.sub(shifted, literal<T>(b, C::magic)), literal<T>(b, scale));
}

/// For finite x > limit; other x give an unspecified number. With x = M 2^E, M whole, the bits of 2/pi whose product
/// with x is a multiple of 4 are left out, and three words of those that follow are multiplied by M.
template <class T, class B> HalfTurns<B> multiplyHalfTurns(B &b, typename B::Float x) {
  using C = HalfTurnConstants<T>;
  constexpr unsigned word = C::wordBits, half = word / 2, shiftBits = word == 32 ? 5 : 6;
  auto bits = b.toBits(x);
  int64_t implicit = int64_t(1) << C::mantissaBits;
  auto whole = b.ior(b.iand(bits, b.intConstant(implicit - 1)), b.intConstant(implicit));
  // The window begins at the bit of weight 2^(1 - E), in a string with a word of zeros before the bit of weight 1/2.
  auto start = b.isub(b.ashr(bits, C::mantissaBits),
                      b.intConstant(C::exponentBias + int64_t(C::mantissaBits) + 2 - int64_t(word)));
  auto words = wordsOfTwoOverPi<T>(b, b.ashr(start, shiftBits));
  auto shift = b.iand(start, b.intConstant(word - 1)), back = b.isub(b.intConstant(word - 1), shift);
  std::array<typename B::Int, 3> window;
  for (int i = 0; i < 3; ++i)
    window[i] = b.ior(b.shlBy(words[i], shift), b.lshrBy(b.lshr(words[i + 1], 1), back));

  // The product modulo 4, as a fixed-point number with two bits before the point, in two words.
  auto carried = b.umulHigh(whole, window[2]), product = b.imul(whole, window[1]);
  auto second = b.iadd(product, carried);
  auto first = b.iadd(b.imul(whole, window[0]), b.umulHigh(whole, window[1]));
  first = b.iadd(first, carryOf<T>(b, product, carried, second));
  auto n = b.lshr(b.iadd(first, b.intConstant(int64_t(1) << (word - 3))), word - 2);
  auto fraction = b.ior(b.shl(first, 2), b.lshr(second, word - 2)); // signed, in units of 2^-word
  auto rest = b.shl(second, 2);

  // In pieces that are floats exactly.
  T unit = T(1) / T(int64_t(1) << half);
  auto lowHalf = b.intConstant((int64_t(1) << half) - 1);
  auto sum = exactSum(b, scaledWhole<T>(b, b.ashr(fraction, half), unit),
                      scaledWhole<T>(b, b.iand(fraction, lowHalf), unit * unit));
  auto tail = b.add(scaledWhole<T>(b, b.lshr(rest, half), unit * unit * unit),
                    scaledWhole<T>(b, b.iand(rest, lowHalf), unit * unit * unit * unit));
  auto turns = quickSum(b, sum.high, b.add(sum.low, tail));

  auto high = literal<T>(b, C::high);
  auto r = b.mul(turns.high, high);
  auto rLow = b.fma(turns.high, high, b.neg(r));
  rLow = b.fma(turns.high, literal<T>(b, C::middle), rLow);
  rLow = b.fma(turns.low, high, rLow);
  auto biased = b.fromBits(b.iadd(n, b.intConstant(static_cast<int64_t>(bitsOf(C::magic)))));
  return {biased, quickSum(b, r, rLow)};
}

/// For every x >= 0 that is finite.
template <class T, class B> HalfTurns<B> halfTurns(B &b, typename B::Float x) {
  auto near = subtractHalfTurns<T>(b, x);
  auto all = b.rarely(
      b.less(literal<T>(b, HalfTurnConstants<T>::limit), x),
      [&] {
        auto far = multiplyHalfTurns<T>(b, x);
        return std::array<typename B::Float, 3>{far.biased, far.r.high, far.r.low};
      },
      std::array<typename B::Float, 3>{near.biased, near.r.high, near.r.low});
  return {all[0], {all[1], all[2]}};
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_HALFTURNS_H
