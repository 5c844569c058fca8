// The fallbacks for tensors of any rank, copies, constants, storage sizes.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace nova::test {
namespace {

const std::string target = "x86-64-v3";

class AnyRank : public testing::Test {
protected:
  void SetUp() override {
    if (!canRun(target))
      GTEST_SKIP() << "this CPU cannot run " << target;
  }
};

template <typename T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

template <typename T> Array<T> randomArray(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Array<T> x(count);
  for (int64_t i = 0; i < count; ++i)
    if constexpr (std::is_integral_v<T>)
      x[i] = static_cast<T>(random());
    else
      x[i] = random() % 16 == 0 ? T(-0.0) : std::normal_distribution<T>()(random);
  return x;
}

// Axis 1 of three, along and across lines, with a mask broadcast along the last axis.
template <typename T> void checkReduce(int axis, const char *kind, bool hidden) {
  std::string dims[] = {"a", "b", "c"}, output, hiddenDims;
  for (int i = 0; i < 3; ++i) {
    output += std::string(i ? ", " : "") + (i == axis ? "1" : dims[i]);
    hiddenDims += std::string(i ? ", " : "") + (i == 2 && axis != 2 ? "1" : i == 0 && axis == 2 ? "1" : dims[i]);
  }
  Kernels module(expand(R"(
tile.kernel @k symbols ["a", "b", "c"] rows <$rows> position <0> block 3 {
^bb0(%x: b<$T[a, b, c], rows>, %h: b<i1[$hiddenDims], rows>, %o: b<$T[$output], rows>):
  tile.reduce <$kind> %x $hidden axis $axis -> %o : <$T[a, b, c], rows> -> <$T[$output], rows>
})",
                        {{"T", typeName<T>},
                         {"rows", axis == 0 ? "1" : "a"},
                         {"hiddenDims", hiddenDims},
                         {"hidden", hidden ? "hidden %h : !tile.buffer<i1[" + hiddenDims + "], rows>" : ""},
                         {"output", output},
                         {"axis", std::to_string(axis)},
                         {"kind", kind}}),
                 target);
  const int64_t shapes[][3] = {{1, 1, 1},    {4, 5, 6}, {2, 300, 3}, {2, 3, 300},
                               {270, 2, 17}, {3, 0, 4}, {3, 4, 0},   {5, 17, 16}};
  for (auto [a, b, c] : shapes) {
    int64_t size[] = {a, b, c}, stride[] = {b * c, c, 1};
    Array<T> x = randomArray<T>(a * b * c, 11);
    if (std::is_floating_point_v<T> && x.size() > 10)
      x[7] = std::numeric_limits<T>::quiet_NaN();
    int64_t hiddenSize[] = {axis == 2 ? 1 : a, b, axis == 2 ? c : 1};
    Array<char> h(hiddenSize[0] * hiddenSize[1] * hiddenSize[2]);
    for (size_t i = 0; i < h.size(); ++i)
      h[i] = i % 3 == 1;
    int64_t extent = size[axis], results = extent ? a * b * c / extent
                                                  : (axis == 0   ? b * c
                                                     : axis == 1 ? a * c
                                                                 : a * b);
    Array<T> o(results, 0x55);
    ASSERT_EQ(module.run("k", {a, b, c}, axis == 0 ? 1 : a, 3, {x.data(), h.data(), o.data()}), 0);
    size[axis] = 1;
    int64_t at = 0;
    for (int64_t i = 0; i < size[0]; ++i)
      for (int64_t j = 0; j < size[1]; ++j)
        for (int64_t k = 0; k < size[2]; ++k, ++at) {
          reference::Sum<T> sum;
          T high = reference::maximumOfNothing<T>(), low = reference::minimumOfNothing<T>();
          for (int64_t r = 0; r < extent; ++r) {
            int64_t index[] = {i, j, k};
            index[axis] = r;
            int64_t hiddenAt = ((hiddenSize[0] == 1 ? 0 : index[0]) * hiddenSize[1] + index[1]) * hiddenSize[2] +
                               (hiddenSize[2] == 1 ? 0 : index[2]);
            if (hidden && h[hiddenAt])
              continue;
            T value = x[index[0] * stride[0] + index[1] * stride[1] + index[2]];
            sum.term(r, value);
            high = reference::maximum(high, value);
            low = reference::minimum(low, value);
          }
          T expected = std::string(kind) == "sum"   ? reference::canonicalize(sum.result())
                       : std::string(kind) == "max" ? high
                                                    : low;
          EXPECT_TRUE(sameBits(expected, o[at]))
              << typeName<T> << " " << kind << " axis " << axis << " of " << a << " " << b << " " << c << " at " << at
              << ": " << o[at] << " expected " << expected;
        }
  }
}

TEST_F(AnyRank, ReduceEveryAxis) {
  for (int axis : {0, 1, 2}) {
    checkReduce<float>(axis, "sum", false);
    checkReduce<double>(axis, "sum", true);
    checkReduce<float>(axis, "max", true);
    checkReduce<double>(axis, "min", false);
    checkReduce<int>(axis, "sum", true);
    checkReduce<long>(axis, "max", false);
  }
}

TEST_F(AnyRank, ReduceVectorsAndLimitsOfRank) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["n"] rows <1> position <0> block 1 {
^bb0(%x: b<f32[n], rows>, %o: b<f32[1], rows>):
  tile.reduce <sum> %x axis 0 -> %o : <f32[n], rows> -> <f32[1], rows>
})",
                        {}),
                 target);
  for (int64_t n : {0, 1, 16, 17, 600}) {
    Array<float> x = randomArray<float>(n, 3), o(1);
    ASSERT_EQ(module.run("k", {n}, 1, 1, {x.data(), o.data()}), 0);
    reference::Sum<float> sum;
    for (int64_t i = 0; i < n; ++i)
      sum.term(i, x[i]);
    EXPECT_TRUE(sameBits(sum.result(), o[0])) << n;
  }
}

// A transposed input, one broadcast along each axis, a scalar, and the indices.
TEST_F(AnyRank, MapWithTransposesAndBroadcasts) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["m", "n", "t"] rows <m> position <t> block 5 {
^bb0(%x: b<f32[n, m], rows>, %row: b<f32[n], rows>, %column: b<f32[m, 1], rows>, %one: b<f32[], rows>, %o: b<f32[m, n], rows>):
  tile.map ins(%x, %row, %column, %one : b<f32[n, m], rows>, b<f32[n], rows>, b<f32[m, 1], rows>, b<f32[], rows>)
      out(%o : b<f32[m, n], rows>)
      maps [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> ()>] {
  ^bb0(%a: s<f32>, %b: s<f32>, %c: s<f32>, %d: s<f32>, %i: s<i64>, %j: s<i64>):
    %p = "nova.add"(%a, %b) : (s<f32>, s<f32>) -> s<f32>
    %q = "nova.multiply"(%c, %d) : (s<f32>, s<f32>) -> s<f32>
    %r = "nova.subtract"(%p, %q) : (s<f32>, s<f32>) -> s<f32>
    %ij = "nova.subtract"(%i, %j) : (s<i64>, s<i64>) -> s<i64>
    %f = "nova.cast"(%ij) {to = f32} : (s<i64>) -> s<f32>
    %e = "nova.exp"(%r) : (s<f32>) -> s<f32>
    %z = "nova.add"(%e, %f) : (s<f32>, s<f32>) -> s<f32>
    tile.yield %z : s<f32>
  }
})",
                        {}),
                 target);
  using namespace reference;
  for (auto [m, n] : {std::pair<int64_t, int64_t>(1, 1), {7, 21}, {20, 16}, {3, 0}, {12, 5}}) {
    Array<float> x = randomArray<float>(n * m, 1), row = randomArray<float>(n, 2), column = randomArray<float>(m, 3),
                 one(1);
    one[0] = 1.5f;
    Array<float> o(m * n, 0x55);
    ASSERT_EQ(module.run("k", {m, n, 4}, m, 5, {x.data(), row.data(), column.data(), one.data(), o.data()}), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float r = subtract(add(x[j * m + i], row[j]), multiply(column[i], one[0]));
        EXPECT_TRUE(sameBits(add(canonicalExp(r), float(i + 4 - j)), o[i * n + j])) << i << " " << j;
      }
  }
}

TEST_F(AnyRank, MapOfVectorsAndScalars) {
  Kernels module(expand(R"(
tile.kernel @vector symbols ["n"] rows <n> position <0> block 7 {
^bb0(%x: b<f64[n], rows>, %o: b<f64[n], rows>):
  tile.map ins(%x : b<f64[n], rows>) out(%o : b<f64[n], rows>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: s<f64>, %i: s<i64>):
    %r = "nova.sqrt"(%a) : (s<f64>) -> s<f64>
    tile.yield %r : s<f64>
  }
}
tile.kernel @scalar symbols ["n"] rows <1> position <0> block 1 {
^bb0(%x: b<i32[], rows>, %y: b<i32[], rows>, %o: b<i32[], rows>):
  tile.map ins(%x, %y : b<i32[], rows>, b<i32[], rows>) out(%o : b<i32[], rows>)
      maps [affine_map<() -> ()>, affine_map<() -> ()>] {
  ^bb0(%a: s<i32>, %b: s<i32>):
    %r = "nova.divide"(%a, %b) : (s<i32>, s<i32>) -> s<i32>
    tile.yield %r : s<i32>
  }
})",
                        {}),
                 target);
  for (int64_t n : {1, 7, 8, 30}) {
    Array<double> x = randomArray<double>(n, 9), o(n, 0x55);
    ASSERT_EQ(module.run("vector", {n}, n, 7, {x.data(), o.data()}), 0);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_TRUE(sameBits(reference::squareRoot(x[i]), o[i])) << "negative ones give the canonical NaN";
  }
  Array<int> x(std::vector<int>{17}), y(std::vector<int>{-5}), o(1);
  EXPECT_EQ(module.run("scalar", {0}, 1, 1, {x.data(), y.data(), o.data()}), 0);
  EXPECT_EQ(o[0], -3);
  y[0] = 0;
  EXPECT_EQ(module.run("scalar", {0}, 1, 1, {x.data(), y.data(), o.data()}), 1);
}

TEST_F(AnyRank, CopiesAppendRows) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["m", "n", "t"] rows <m> position <t> block 4 {
^bb0(%x: b<f32[m, 3, 2], rows>, %o: b<f32[n, 3, 2], rows>):
  tile.copy %x -> %o : <f32[m, 3, 2], rows> -> <f32[n, 3, 2], rows>
})",
                        {}),
                 target);
  Array<float> x = randomArray<float>(9 * 6, 2), o(14 * 6, 0x55);
  uint32_t payload = 0xFFC12345, canonical = 0x7FC00000;
  std::memcpy(&x[5], &payload, 4);
  ASSERT_EQ(module.run("k", {9, 14, 5}, 9, 4, {x.data(), o.data()}), 0);
  EXPECT_EQ(std::memcmp(&o[30], &x[0], 20), 0);
  EXPECT_EQ(std::memcmp(&o[35], &canonical, 4), 0);
  EXPECT_EQ(std::memcmp(&o[36], &x[6], 48 * 4), 0);
}

TEST_F(AnyRank, SizesBeyond63BitsAreNegative) {
  Kernels module(R"(
tile.storage @P symbols ["d", "n"] : !tile.buffer<f32[d, n], panels>
tile.storage @R symbols ["d", "n"] : !tile.buffer<f64[n * n + d - 1], rows>
)",
                 target);
  const int64_t big = int64_t(1) << 31, huge = int64_t(1) << 62;
  EXPECT_EQ(module.bytes("P", {big, big / 8}), big * big / 8 * 4);
  for (std::vector<int64_t> dims :
       {std::vector<int64_t>{big, big}, {1, huge}, {1, INT64_MAX}, {huge, huge}, {16, huge / 16}})
    EXPECT_EQ(module.bytes("P", dims), -1) << dims[0] << " by " << dims[1];
  EXPECT_EQ(module.bytes("R", {0, 3}), 64);
  EXPECT_EQ(module.bytes("R", {1, big}), -1);
  EXPECT_EQ(module.bytes("R", {INT64_MAX, 2}), -1);
}

// Blocks of rows that begin and end inside a panel touch their own columns only.
TEST_F(AnyRank, PackingLeavesNeighboursAlone) {
  Kernels module(expand(R"(
tile.storage @P symbols ["d", "m", "n", "t"] : b<f32[d, n], panels>
tile.kernel @k symbols ["d", "m", "n", "t"] rows <m> position <t> block 20 {
^bb0(%x: b<f32[m, d], rows>, %p: b<f32[d, n], panels>):
  tile.pack %x -> %p transposed : <f32[m, d], rows> -> <f32[d, n], panels>
})",
                        {}),
                 target);
  for (int64_t d : {1, 7, 8, 19})
    for (auto [t, m] : {std::pair<int64_t, int64_t>(0, 16), {5, 3}, {5, 60}, {16, 17}, {31, 1}}) {
      int64_t n = t + m + 4;
      std::vector<int64_t> dims{d, m, n, t};
      ASSERT_EQ(module.bytes("P", dims), (n + 15) / 16 * 16 * d * 4);
      Array<float> x = randomArray<float>(m * d, 4), p((n + 15) / 16 * 16 * d);
      for (size_t i = 0; i < p.size(); ++i)
        p[i] = -7;
      ASSERT_EQ(module.run("k", dims, m, 20, {x.data(), p.data()}), 0);
      for (int64_t c = 0; c < (n + 15) / 16 * 16; ++c)
        for (int64_t k = 0; k < d; ++k) {
          float expected = c >= t && c < t + m ? x[(c - t) * d + k] : -7;
          EXPECT_EQ(p[c / 16 * 16 * d + k * 16 + c % 16], expected)
              << "d " << d << " t " << t << " m " << m << " column " << c;
        }
    }
}

TEST_F(AnyRank, ConstantsLieInTheModule) {
  Kernels module(expand(R"(
tile.data @numbers dense<[1.5, -0.1, 0x7FF8000000000001]> : tensor<3xf64> : b<f32[3], rows>
tile.data @flags dense<[true, false]> : tensor<2xi1> : b<i1[2], rows>
tile.data @whole dense<[-1, 7]> : tensor<2xi64> : b<i32[2], rows>
)",
                        {}),
                 target);
  const auto *numbers = static_cast<const float *>(module.constant("numbers"));
  EXPECT_EQ(numbers[0], 1.5f);
  EXPECT_EQ(numbers[1], -0.1f);
  EXPECT_TRUE(sameBits(numbers[2], reference::canonicalNaN<float>()));
  EXPECT_EQ(std::memcmp(module.constant("flags"), "\1\0", 2), 0);
  const auto *whole = static_cast<const int *>(module.constant("whole"));
  EXPECT_EQ(whole[0], -1);
  EXPECT_EQ(whole[1], 7);
}

} // namespace
} // namespace nova::test
