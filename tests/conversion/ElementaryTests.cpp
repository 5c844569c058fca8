// Elementary functions in vectors and tails have the bits of the canonical sequences.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace nova::test {
namespace {
using namespace reference;

template <typename T> struct Function {
  const char *op;
  T (*meaning)(T);
};
template <typename T>
const Function<T> functions[] = {{"erf", canonicalErf<T>},         {"sin", canonicalSin<T>},
                                 {"cos", canonicalCos<T>},         {"exp", canonicalExp<T>},
                                 {"log", canonicalLog<T>},         {"rsqrt", canonicalRsqrt<T>},
                                 {"sigmoid", canonicalSigmoid<T>}, {"tanh", canonicalTanh<T>}};

// Every special value, every magnitude of both signs, and numbers of everyday size.
template <typename T> Array<T> arguments(int64_t count) {
  using L = std::numeric_limits<T>;
  const T special[] = {T(0),  T(-0.0), L::infinity(), -L::infinity(), L::quiet_NaN(), L::denorm_min(), -L::denorm_min(),
                       T(1),  T(-1),   L::max(),      -L::max(),      L::min(),       -L::min(),       T(-104),
                       T(89), T(-746), T(710)};
  std::mt19937_64 random(5);
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  Array<T> x(count);
  for (int64_t i = 0; i < count; ++i)
    if (i < static_cast<int64_t>(std::size(special)))
      x[i] = special[i];
    else if (i % 2)
      x[i] = static_cast<T>(uniform(-12, 12));
    else
      x[i] = static_cast<T>(
                 std::ldexp(uniform(1, 2), static_cast<int>(uniform(L::min_exponent - L::digits, L::max_exponent)))) *
             (random() & 1 ? T(-1) : T(1));
  return x;
}

template <typename T> void checkAll(const std::string &target) {
  if (!canRun(target))
    GTEST_SKIP() << "this CPU cannot run " << target;
  std::string text;
  for (const Function<T> &function : functions<T>)
    text += expand(R"(
tile.kernel @$op symbols ["n"] rows <n> position <0> block 1000 {
^bb0(%x: b<$T[n], rows>, %o: b<$T[n], rows>):
  tile.map ins(%x : b<$T[n], rows>) out(%o : b<$T[n], rows>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: s<$T>, %i: s<i64>):
    %r = "nova.$op"(%a) : (s<$T>) -> s<$T>
    tile.yield %r : s<$T>
  }
}
)",
                   {{"op", function.op}, {"T", typeName<T>}});
  Kernels module(text, target);
  for (const Function<T> &function : functions<T>)
    for (int64_t n : {1, 7, 4001}) {
      Array<T> x = arguments<T>(n), o(n, 0x55);
      ASSERT_EQ(module.run(function.op, {n}, n, 1000, {x.data(), o.data()}), 0);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(bitsOf(o[i]), bitsOf(function.meaning(x[i]))) << function.op << " of " << x[i];
    }
}

template <typename T> void checkPower(const std::string &target) {
  if (!canRun(target))
    GTEST_SKIP() << "this CPU cannot run " << target;
  Kernels module(expand(R"(
tile.kernel @power symbols ["n"] rows <n> position <0> block 1000 {
^bb0(%x: b<$T[n], rows>, %y: b<$T[n], rows>, %o: b<$T[n], rows>):
  tile.map ins(%x, %y : b<$T[n], rows>, b<$T[n], rows>) out(%o : b<$T[n], rows>)
      maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
  ^bb0(%a: s<$T>, %b: s<$T>, %i: s<i64>):
    %r = "nova.power"(%a, %b) : (s<$T>, s<$T>) -> s<$T>
    tile.yield %r : s<$T>
  }
}
)",
                        {{"T", typeName<T>}}),
                 target);
  // Every argument of the others to the power of every tenth.
  constexpr int64_t n = 4001;
  Array<T> x = arguments<T>(n), y(n), o(n, 0x55);
  for (int64_t shift = 0; shift < n; shift += n / 10) {
    for (int64_t i = 0; i < n; ++i)
      y[i] = x[(i + shift) % n];
    ASSERT_EQ(module.run("power", {n}, n, 1000, {x.data(), y.data(), o.data()}), 0);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(bitsOf(o[i]), bitsOf(canonicalPower(x[i], y[i]))) << x[i] << "^" << y[i];
  }
}

TEST(ElementaryCode, PowerFloat) { checkPower<float>("x86-64-v3"); }
TEST(ElementaryCode, PowerDouble) { checkPower<double>("x86-64-v3"); }
TEST(ElementaryCode, PowerFloatOfWideVectors) { checkPower<float>(emulatedWide); }
TEST(ElementaryCode, PowerDoubleOfWideVectors) { checkPower<double>(emulatedWide); }
TEST(ElementaryCode, Float) { checkAll<float>("x86-64-v3"); }
TEST(ElementaryCode, Double) { checkAll<double>("x86-64-v3"); }
TEST(ElementaryCode, FloatOfWideVectors) { checkAll<float>(emulatedWide); }
TEST(ElementaryCode, DoubleOfWideVectors) { checkAll<double>(emulatedWide); }

} // namespace
} // namespace nova::test
