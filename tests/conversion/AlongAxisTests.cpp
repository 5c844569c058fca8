// Parts of tensors, running sums and positions of greatest entries, along every axis.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>

namespace nova::test {
namespace {

const std::string target = "x86-64-v3";

class AlongAxis : public testing::Test {
protected:
  void SetUp() override {
    if (!canRun(target))
      GTEST_SKIP() << "this CPU cannot run " << target;
  }
};

template <typename T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

// Ties, zeros of both signs, and for floats NaN.
template <typename T> T entry(int64_t i) {
  int64_t x = (i * 7919 + 13) % 11;
  if constexpr (std::is_floating_point_v<T>)
    return x == 0 ? std::numeric_limits<T>::quiet_NaN() : x == 1 ? T(-0.0) : T(x - 5) / 3;
  else
    return T(x - 5) * T(x == 2 ? 1 << 30 : 1);
}

template <typename T> void check(int axis, bool hidden) {
  std::string kept[] = {"a", "b", "c"}, mask[] = {"1", "b", "c"};
  kept[axis] = "1";
  if (axis == 0)
    mask[0] = "a", mask[2] = "1";
  auto list = [](const std::string *dims) { return dims[0] + ", " + dims[1] + ", " + dims[2]; };
  Kernels module(expand(R"(
tile.kernel @sum symbols ["a", "b", "c"] rows <$rows> position <0> block 3 {
^bb0(%x: b<$T[a, b, c], rows>, %h: b<i1[$mask], rows>, %o: b<$T[a, b, c], rows>):
  tile.accumulate %x $hidden axis $axis -> %o : <$T[a, b, c], rows> -> <$T[a, b, c], rows>
}
tile.kernel @place symbols ["a", "b", "c"] rows <$rows> position <0> block 3 {
^bb0(%x: b<$T[a, b, c], rows>, %h: b<i1[$mask], rows>, %o: b<i64[$kept], rows>):
  tile.reduce <argmax> %x $hidden axis $axis -> %o : <$T[a, b, c], rows> -> <i64[$kept], rows>
})",
                        {{"T", typeName<T>},
                         {"rows", axis == 0 ? "1" : "a"},
                         {"mask", list(mask)},
                         {"kept", list(kept)},
                         {"hidden", hidden ? "hidden %h : !tile.buffer<i1[" + list(mask) + "], rows>" : ""},
                         {"axis", std::to_string(axis)}}),
                 target);
  const int64_t shapes[][3] = {{1, 1, 1},   {4, 5, 6}, {2, 40, 3}, {5, 3, 35},
                               {40, 2, 17}, {3, 0, 4}, {3, 4, 0},  {0, 2, 2}};
  for (auto [a, b, c] : shapes) {
    int64_t size[] = {a, b, c}, maskSize[] = {axis == 0 ? a : 1, b, axis == 0 ? 1 : c}, outer[] = {a, b, c};
    outer[axis] = 1;
    Array<T> x(a * b * c), sums(a * b * c, 0x55);
    Array<char> h(maskSize[0] * maskSize[1] * maskSize[2]);
    Array<int64_t> places(outer[0] * outer[1] * outer[2], 0x55);
    for (size_t i = 0; i < x.size(); i++)
      x[i] = entry<T>(i);
    for (size_t i = 0; i < h.size(); i++)
      h[i] = i % 3 == 1;
    int64_t rows = axis == 0 ? 1 : a;
    ASSERT_EQ(module.run("sum", {a, b, c}, rows, 3, {x.data(), h.data(), sums.data()}), 0);
    ASSERT_EQ(module.run("place", {a, b, c}, rows, 3, {x.data(), h.data(), places.data()}), 0);
    for (int64_t i = 0, at = 0; i < outer[0]; i++)
      for (int64_t j = 0; j < outer[1]; j++)
        for (int64_t k = 0; k < outer[2]; k++, at++) {
          T sum = 0, best = 0;
          int64_t place = 0;
          bool any = false;
          for (int64_t r = 0; r < size[axis]; r++) {
            int64_t index[] = {i, j, k};
            index[axis] = r;
            int64_t entryAt = (index[0] * b + index[1]) * c + index[2];
            int64_t maskAt = ((maskSize[0] == 1 ? 0 : index[0]) * maskSize[1] + index[1]) * maskSize[2] +
                             (maskSize[2] == 1 ? 0 : index[2]);
            if (!hidden || !h[maskAt]) {
              T value = x[entryAt];
              sum = reference::add(sum, value);
              if (!any || value > best || (value != value && best == best))
                best = value, place = r, any = true;
            }
            EXPECT_TRUE(sameBits(sum, sums[entryAt])) << typeName<T> << " axis " << axis << " at " << entryAt;
          }
          EXPECT_EQ(place, places[at]) << typeName<T> << " axis " << axis << " of " << a << " " << b << " " << c;
        }
  }
}

TEST_F(AlongAxis, RunningSumsAndPlaces) {
  for (int axis : {0, 1, 2}) {
    check<float>(axis, axis == 1);
    check<double>(axis, axis != 1);
    check<int>(axis, true);
    check<long>(axis, false);
  }
}

// Every second entry from s on, into the middle of the columns.
TEST_F(AlongAxis, PartsOfTensors) {
  Kernels module(expand(R"(
tile.kernel @k symbols ["k", "m", "n", "s"] rows <m> position <0> block 2 {
^bb0(%x: b<f32[m, 2 * k + s], rows>, %o: b<f32[m, n], rows>):
  tile.map ins(%x : b<f32[m, 2 * k + s], rows>) out(%o : b<f32[m, n], rows>)
      maps [affine_map<(i, j)[s] -> (i, j * 2 + s)>] starts [#nova.dim<s>] part [#nova.dim<m>, #nova.dim<k>]
      at [#nova.dim<0>, #nova.dim<s + 1>] {
  ^bb0(%a: s<f32>, %i: s<i64>, %j: s<i64>):
    tile.yield %a : s<f32>
  }
})",
                        {}),
                 target);
  for (auto [m, k, s] :
       {std::tuple<int64_t, int64_t, int64_t>(3, 5, 2), {4, 40, 0}, {2, 0, 3}, {0, 4, 1}, {5, 16, 1}}) {
    int64_t width = 2 * k + s, n = k + s + 4;
    Array<float> x(m * width), o(m * n);
    for (size_t i = 0; i < x.size(); i++)
      x[i] = float(i);
    for (size_t i = 0; i < o.size(); i++)
      o[i] = -7;
    ASSERT_EQ(module.run("k", {k, m, n, s}, m, 2, {x.data(), o.data()}), 0);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        int64_t column = j - s - 1;
        float expected = column >= 0 && column < k ? x[i * width + s + 2 * column] : -7;
        EXPECT_EQ(o[i * n + j], expected) << i << " " << j << " of " << m << " " << k << " " << s;
      }
  }
}

} // namespace
} // namespace nova::test
