//===- LayoutTests.cpp - Operations that move entries or walk along an axis --===//
#include "tests/reference/Graphs.h"

#include <cmath>
#include <limits>

using namespace nova;
using namespace nova::reference;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;
using Places = std::vector<int64_t>;

/// Runs `%r = op` on x: f64[a, b] = 0, 1, 2, ... and y: f64[a, c] = 100, 101, ...
Tensor onMatrix(const std::string &op, const std::string &type, int64_t a, int64_t b, int64_t c = 0) {
  auto counted = [](int64_t rows, int64_t columns, double first) {
    Values values(rows * columns);
    for (size_t i = 0; i < values.size(); i++)
      values[i] = first + double(i);
    return tensor<double>({rows, columns}, values);
  };
  Graph graph("graph @g(%x: f64[a, b], %y: f64[a, c]) -> " + type + " where a >= 0, b >= 0 {\n  %r = " + op +
              "\n  return %r\n}\n");
  return graph.run({counted(a, b, 0), counted(a, c, 100)})[0];
}

TEST(Layout, Reshape) {
  Tensor r = onMatrix("reshape %x : [b, a]", "f64[b, a]", 2, 3);
  EXPECT_EQ(r.shape, (Shape{3, 2}));
  EXPECT_EQ(entries<double>(r), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(onMatrix("reshape %x : [1, a * b, 1]", "f64[1, a * b, 1]", 2, 3).shape, (Shape{1, 6, 1}));
  EXPECT_EQ(onMatrix("reshape %x : [b * a]", "f64[a * b]", 0, 3).shape, (Shape{0}));
}

TEST(Layout, Broadcast) {
  Graph graph("graph @g(%x: f64[n, 1], %s: f64[]) -> (f64[2, n, 3], f64[n]) {\n  %r = broadcast %x : [2, n, 3]\n"
              "  %t = broadcast %s : [n]\n  return %r, %t\n}\n");
  std::vector<Tensor> r = graph.run({tensor<double>({2, 1}, {1, 2}), tensor<double>({}, {-0.0})});
  EXPECT_EQ(entries<double>(r[0]), (Values{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
  for (double zero : entries<double>(r[1]))
    EXPECT_TRUE(std::signbit(zero));
}

TEST(Layout, Slice) {
  EXPECT_EQ(entries<double>(onMatrix("slice %x, 1 from 0 size b", "f64[a, b]", 2, 3)), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(entries<double>(onMatrix("slice %x, 0 from a size 0", "f64[0, b]", 2, 3)), Values());
  Graph graph("graph @g(%x: f64[2 * h, d]) -> (f64[h, d], f64[h, d], f64[2 * h, 1]) where d >= 2 {\n"
              "  %odd = slice %x, 0 from 0 size h step 2\n  %last = slice %x, 0 from h size h\n"
              "  %column = slice %x, 1 from d - 1 size 1 step 1000\n  return %odd, %last, %column\n}\n");
  std::vector<Tensor> r = graph.run({tensor<double>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7})}, {{"h", 2}, {"d", 2}});
  EXPECT_EQ(entries<double>(r[0]), (Values{0, 1, 4, 5}));
  EXPECT_EQ(entries<double>(r[1]), (Values{4, 5, 6, 7}));
  EXPECT_EQ(entries<double>(r[2]), (Values{1, 3, 5, 7}));
}

TEST(Layout, Concat) {
  EXPECT_EQ(entries<double>(onMatrix("concat %x, %y, %x, 1", "f64[a, b + b + c]", 2, 2, 1)),
            (Values{0, 1, 100, 0, 1, 2, 3, 101, 2, 3}));
  EXPECT_EQ(entries<double>(onMatrix("concat %x, %x, 0", "f64[2 * a, b]", 1, 2)), (Values{0, 1, 0, 1}));
  EXPECT_EQ(entries<double>(onMatrix("concat %x, %y, 1", "f64[a, b + c]", 2, 0, 1)), (Values{100, 101}));
}

TEST(Along, ArgmaxTakesTheFirst) {
  Graph graph("graph @g(%x: f64[n, d]) -> (i64[n, 1], i64[d]) {\n  %r = argmax %x, 1\n  %c = argmax %x, 0 drop\n"
              "  return %r, %c\n}\n");
  std::vector<Tensor> r = graph.run({tensor<double>({5, 3}, {1, 3, 3,          //
                                                             -0.0, 0, -1,      //
                                                             nan, inf, nan,    //
                                                             -inf, -inf, -inf, //
                                                             1, nan, nan})});
  EXPECT_EQ(entries<int64_t>(r[0]), (Places{1, 0, 0, 0, 1}));
  EXPECT_EQ(entries<int64_t>(r[1]), (Places{2, 4, 2}));
  Graph empty("graph @g(%x: i32[n, d]) -> i64[n] {\n  %r = argmax %x, 1 drop\n  return %r\n}\n");
  EXPECT_EQ(entries<int64_t>(empty.run({tensor<int32_t>({2, 0}, {})})[0]), (Places{0, 0}));
}

TEST(Along, ArgmaxSkipsWhatIsHidden) {
  Graph graph(
      "graph @g(%x: f64[n, d], %h: i1[n, d]) -> i64[n] {\n  %r = argmax %x, 1 drop hidden %h\n  return %r\n}\n");
  std::vector<Tensor> r = graph.run({tensor<double>({3, 3}, {nan, -inf, -inf, 9, 1, 2, 5, 6, 7}),
                                     tensor<uint8_t>({3, 3}, {1, 0, 0, 1, 0, 0, 1, 1, 1})});
  EXPECT_EQ(entries<int64_t>(r[0]), (Places{1, 2, 0}));
}

TEST(Along, CumulativeSum) {
  Graph graph(
      "graph @g(%x: f32[n, d], %h: i1[1, d]) -> (f32[n, d], f32[n, d]) {\n  %r = cumulative_sum %x, 1 hidden %h\n"
      "  %c = cumulative_sum %x, 0\n  return %r, %c\n}\n");
  std::vector<Tensor> r =
      graph.run({tensor<float>({2, 3}, {1, NAN, 3, -0.0f, 0x1p25f, 1}), tensor<uint8_t>({1, 3}, {0, 1, 0})});
  EXPECT_EQ(entries<float>(r[0]), (std::vector<float>{1, 1, 4, 0, 0, 1}));
  EXPECT_FALSE(std::signbit(entries<float>(r[0])[3])); // +0 + -0
  std::vector<float> down = entries<float>(r[1]);
  EXPECT_EQ(down[3], 1);
  EXPECT_TRUE(std::isnan(down[1]) && std::isnan(down[4]));
  // In order, with a rounding at each step: chunks or lanes would give 2^24 + 16.
  std::vector<float> ones(17, 1.0f);
  ones[0] = 0x1p24f;
  Graph line("graph @g(%x: f32[n]) -> f32[n] {\n  %r = cumulative_sum %x, 0\n  return %r\n}\n");
  EXPECT_EQ(entries<float>(line.run({tensor<float>({17}, ones)})[0]).back(), 0x1p24f);
}

} // namespace
