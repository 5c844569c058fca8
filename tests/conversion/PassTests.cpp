// Passes over the columns of rows: reductions in canonical order, ranges, hidden terms, broadcasting, errors.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/RowRanges.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>
#include <random>

namespace nova::test {
namespace {

const std::string target = "x86-64-v3";
const int64_t widths[] = {0, 1, 2, 5, 15, 16, 17, 48, 255, 256, 257, 300, 520};

class Pass : public testing::Test {
protected:
  void SetUp() override {
    if (!canRun(target))
      GTEST_SKIP() << "this CPU cannot run " << target;
  }
};

template <typename T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

/// A number; of floats some are zeros of either sign.
template <typename T> T randomValue(std::mt19937 &random, bool zeros) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random() - (1u << 30));
  else
    return zeros || random() % 8 == 0 ? (random() % 2 ? T(0.0) : T(-0.0)) : std::normal_distribution<T>()(random);
}

const char reductions[] = R"(
tile.kernel @reduce symbols ["m", "n", "t"] rows <m> position <t> block 48 {
^bb0(%x: b<$T[m, n], rows>, %h: b<i1[m, n], rows>, %sum: b<$T[m, 1], rows>, %max: b<$T[m, 1], rows>, %min: b<$T[m, 1], rows>):
  tile.pass width <n> $columns ins(%x, %h : b<$T[m, n], rows>, b<i1[m, n], rows>) stores()
      reduces(%sum, %max, %min : b<$T[m, 1], rows>, b<$T[m, 1], rows>, b<$T[m, 1], rows>)
      kinds [#tile.reduce<sum>, #tile.reduce<max>, #tile.reduce<min>] hide [$hide, $hide, $hide] {
  ^bb0(%v: s<$T>, %g: s<i1>, %i: s<i64>, %j: s<i64>):
    tile.yield %v, %v, %v $hidden : s<$T>, s<$T>, s<$T> $hiddenTypes
  }
}
)";

template <typename T> void checkReductions(const RowRange &range, bool hides) {
  Kernels module(expand(reductions, {{"T", typeName<T>},
                                     {"columns", range.text.empty() ? "" : "columns " + range.text},
                                     {"hiddenTypes", hides ? ", s<i1>, s<i1>, s<i1>" : ""},
                                     {"hidden", hides ? ", %g, %g, %g" : ""},
                                     {"hide", hides ? "1" : "0"}}),
                 target);
  std::mt19937 random(3);
  for (int64_t n : widths)
    for (int special = 0; special < 4; ++special) {
      const int64_t m = 5, t = n / 2;
      Array<T> x(m * n), sum(m, 0x55), max(m, 0x55), min(m, 0x55);
      Array<char> h(m * n);
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = randomValue<T>(random, special == 1);
        h[i] = random() % 4 == 0;
      }
      if (std::is_floating_point_v<T> && n && special >= 2)
        for (int64_t row = 0; row < m; ++row)
          x[row * n + random() % n] = special == 2 ? std::numeric_limits<T>::quiet_NaN()
                                                   : std::numeric_limits<T>::infinity() * (row % 2 ? -1 : 1);
      ASSERT_EQ(module.run("reduce", {m, n, t}, m, 48, {x.data(), h.data(), sum.data(), max.data(), min.data()}), 0);
      for (int64_t row = 0; row < m; ++row) {
        reference::Sum<T> total;
        T high = reference::maximumOfNothing<T>(), low = reference::minimumOfNothing<T>();
        for (int64_t j = 0; j < n; ++j) {
          if (!range.sees(t + row, j, n, n) || (hides && h[row * n + j]))
            continue;
          total.term(j, x[row * n + j]);
          high = reference::maximum(high, x[row * n + j]);
          low = reference::minimum(low, x[row * n + j]);
        }
        EXPECT_TRUE(sameBits(reference::canonicalize(total.result()), sum[row]))
            << typeName<T> << " " << range.text << " n " << n << " row " << row << " sum " << sum[row] << " expected "
            << total.result();
        EXPECT_TRUE(sameBits(high, max[row])) << typeName<T> << " n " << n << " row " << row << " max " << max[row];
        EXPECT_TRUE(sameBits(low, min[row])) << typeName<T> << " n " << n << " row " << row << " min " << min[row];
      }
    }
}

TEST_F(Pass, Reductions) {
  checkReductions<float>({}, false);
  checkReductions<double>({}, false);
  checkReductions<int>({}, false);
  checkReductions<long>({}, false);
}
TEST_F(Pass, ReductionsOverARange) {
  for (const RowRange &range : rowRanges("n")) {
    checkReductions<float>(range, false);
    checkReductions<double>(range, false);
  }
}
TEST_F(Pass, HiddenTermsAreSkipped) {
  checkReductions<float>({}, true);
  for (const RowRange &range : rowRanges("n"))
    checkReductions<double>(range, true);
  checkReductions<int>({}, true);
}

// Softmax over global rows, in the plain way: the maximum is that of the quotients. Hidden entries by a mask.
const char softmax[] = R"(
tile.kernel @softmax symbols ["m", "n"] rows <m> position <0> block 48 {
^bb0(%x: b<$T[m, n], rows>, %scale: b<$T[1, n], rows>, %a: b<$T[m, n], rows>):
  %M = tile.scratch : <$T[m, 1], rows>
  %Z = tile.scratch : <$T[m, n], rows>
  %S = tile.scratch : <$T[m, 1], rows>
  %three = "nova.constant"() {value = dense<3.0> : tensor<f64>} : () -> s<$T>
  tile.pass width <n> ins(%x : b<$T[m, n], rows>) stores(%Z : b<$T[m, n], rows>) reduces(%M : b<$T[m, 1], rows>)
      kinds [#tile.reduce<max>] hide [0] {
  ^bb0(%v: s<$T>, %i: s<i64>, %j: s<i64>):
    %q = "nova.divide"(%v, %three) : (s<$T>, s<$T>) -> s<$T>
    tile.yield %q, %q : s<$T>, s<$T>
  }
  tile.pass width <n> ins(%Z, %M : b<$T[m, n], rows>, b<$T[m, 1], rows>) stores(%Z : b<$T[m, n], rows>)
      reduces(%S : b<$T[m, 1], rows>) kinds [#tile.reduce<sum>] hide [0] {
  ^bb0(%q: s<$T>, %m: s<$T>, %i: s<i64>, %j: s<i64>):
    %z = "nova.subtract"(%q, %m) : (s<$T>, s<$T>) -> s<$T>
    %e = "nova.exp"(%z) : (s<$T>) -> s<$T>
    tile.yield %e, %e : s<$T>, s<$T>
  }
  tile.pass width <n> ins(%Z, %S, %scale : b<$T[m, n], rows>, b<$T[m, 1], rows>, b<$T[1, n], rows>)
      stores(%a : b<$T[m, n], rows>) reduces() kinds [] hide [] {
  ^bb0(%e: s<$T>, %s: s<$T>, %w: s<$T>, %i: s<i64>, %j: s<i64>):
    %q = "nova.divide"(%e, %s) : (s<$T>, s<$T>) -> s<$T>
    %r = "nova.multiply"(%q, %w) : (s<$T>, s<$T>) -> s<$T>
    tile.yield %r : s<$T>
  }
}
)";

template <typename T> void checkSoftmax() {
  using namespace reference;
  Kernels module(expand(softmax, {{"T", typeName<T>}}), target);
  std::mt19937 random(5);
  for (int64_t n : widths)
    for (double scale : {1.0, 30.0, 300.0, 1e-30, sizeof(T) == 4 ? 1e38 : 1e305}) {
      const int64_t m = 3;
      Array<T> x(m * n), w(n), a(m * n, 0x55);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = T(std::normal_distribution<double>()(random) * scale);
      for (size_t i = 0; i < w.size(); ++i)
        w[i] = T(i % 7);
      if (n > 3)
        x[2 * n + 1] = std::numeric_limits<T>::quiet_NaN();
      ASSERT_EQ(module.run("softmax", {m, n}, m, 48, {x.data(), w.data(), a.data()}), 0);
      for (int64_t row = 0; row < m; ++row) {
        T high = maximumOfNothing<T>();
        std::vector<T> e(n);
        for (int64_t j = 0; j < n; ++j)
          high = maximum(high, e[j] = divide(x[row * n + j], T(3)));
        Sum<T> sum;
        for (int64_t j = 0; j < n; ++j)
          sum.term(j, e[j] = canonicalExp(subtract(e[j], high)));
        for (int64_t j = 0; j < n; ++j)
          ASSERT_TRUE(sameBits(multiply(divide(e[j], sum.result()), w[j]), a[row * n + j]))
              << typeName<T> << " n " << n << " scale " << scale << " row " << row << " column " << j;
      }
    }
}

TEST_F(Pass, SoftmaxOfRows) {
  checkSoftmax<float>();
  checkSoftmax<double>();
}

// Positions, comparisons, casts and selections; a store of i1.
TEST_F(Pass, PositionsAndTypes) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["m", "n", "t"] rows <m> position <t> block 4 {
^bb0(%x: b<f32[n], rows>, %future: b<i1[m, n], rows>, %y: b<f64[m, n], rows>, %r: b<i32[m, n], rows>):
  tile.pass width <n> ins(%x : b<f32[n], rows>) stores(%future, %y, %r : b<i1[m, n], rows>, b<f64[m, n], rows>, b<i32[m, n], rows>)
      reduces() kinds [] hide [] {
  ^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):
    %f = "nova.greater"(%j, %i) : (s<i64>, s<i64>) -> s<i1>
    %d = "nova.cast"(%v) {to = f64} : (s<f32>) -> s<f64>
    %c = "nova.cast"(%j) {to = f64} : (s<i64>) -> s<f64>
    %w = "nova.where"(%f, %d, %c) : (s<i1>, s<f64>, s<f64>) -> s<f64>
    %n = "nova.cast"(%v) {to = i32} : (s<f32>) -> s<i32>
    tile.yield %f, %w, %n : s<i1>, s<f64>, s<i32>
  }
})",
                        {}),
                 target);
  const int64_t m = 9, n = 21, t = 3;
  Array<float> x(n);
  for (int64_t j = 0; j < n; ++j)
    x[j] = (j - 10) * 3.7e8f;
  x[4] = std::numeric_limits<float>::quiet_NaN();
  Array<char> future(m * n, 0x55);
  Array<double> y(m * n, 0x55);
  Array<int> r(m * n, 0x55);
  ASSERT_EQ(module.run("k", {m, n, t}, m, 4, {x.data(), future.data(), y.data(), r.data()}), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      EXPECT_EQ(future[i * n + j], j > i + t);
      double expected = j > i + t ? reference::canonicalize(double(x[j])) : double(j);
      EXPECT_TRUE(sameBits(y[i * n + j], expected));
      EXPECT_EQ(r[i * n + j], reference::castTo<int>(x[j]));
    }
}

// Division of integers: wraps at the lowest, and fails at every entry of the pass with a zero divisor: the graph has a
// 1 where nobody wants the quotient.
TEST_F(Pass, IntegerDivision) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["m", "n", "t"] rows <m> position <t> block 48 {
^bb0(%x: b<i32[m, n], rows>, %y: b<i32[m, n], rows>, %o: b<i32[m, n], rows>):
  tile.pass width <n> columns <[] (d0) -> () to (d0) -> (d0 + 1)> ins(%x, %y : b<i32[m, n], rows>, b<i32[m, n], rows>) stores(%o : b<i32[m, n], rows>)
      reduces() kinds [] hide [] {
  ^bb0(%a: s<i32>, %b: s<i32>, %i: s<i64>, %j: s<i64>):
    %five = "nova.constant"() {value = dense<5> : tensor<i64>} : () -> s<i64>
    %small = "nova.less"(%j, %five) : (s<i64>, s<i64>) -> s<i1>
    %q = "nova.divide"(%a, %b) : (s<i32>, s<i32>) -> s<i32>
    %r = "nova.where"(%small, %a, %q) : (s<i1>, s<i32>, s<i32>) -> s<i32>
    tile.yield %r : s<i32>
  }
})",
                        {}),
                 target);
  const int64_t m = 3, n = 20, t = 10;
  auto run = [&](int64_t zeroRow, int64_t zeroColumn) {
    Array<int> x(m * n), y(m * n), o(m * n);
    for (int64_t i = 0; i < m * n; ++i)
      x[i] = i % 3 ? int(i * 7919 - 30000) : INT32_MIN, y[i] = i % 2 ? -1 : int(i + 1);
    if (zeroRow >= 0)
      y[zeroRow * n + zeroColumn] = 0;
    int failed = module.run("k", {m, n, t}, m, 48, {x.data(), y.data(), o.data()});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j <= i + t && !failed; ++j)
        EXPECT_EQ(o[i * n + j], j < 5 ? x[i * n + j] : reference::divide(x[i * n + j], y[i * n + j]));
    return failed;
  };
  EXPECT_EQ(run(-1, 0), 0);
  EXPECT_EQ(run(1, 11), 1) << "the last column that row 1 sees";
  EXPECT_EQ(run(1, 12), 0) << "beyond the range";
  EXPECT_EQ(run(1, 3), 1) << "under the branch not taken";
  EXPECT_EQ(run(2, 5), 1);
}

} // namespace
} // namespace nova::test
