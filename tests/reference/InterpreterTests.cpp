//===- InterpreterTests.cpp - One test per operation -------------------------===//
#include "tests/reference/Graphs.h"

#include <cmath>
#include <limits>

using namespace nova;
using namespace nova::reference;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Runs `%r = op` on f64 vectors %a and %b and gives r.
template <class T = double>
std::vector<T> onVectors(const std::string &op, const std::vector<double> &a, const std::vector<double> &b = {0},
                         const std::string &result = "f64") {
  Graph graph("graph @g(%a: f64[n], %b: f64[m]) -> " + result + "[n] where m == 1 {\n  %r = " + op +
              "\n  return %r\n}\n");
  return entries<T>(graph.run({tensor<double>({int64_t(a.size())}, a), tensor<double>({1}, b)})[0]);
}

TEST(Interpreter, Arithmetic) {
  EXPECT_EQ(onVectors("add %a, %b", {1, 2}, {0.5}), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(onVectors("subtract %a, %b", {1, 2}, {0.5}), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(onVectors("multiply %a, %b", {1, 2}, {0.5}), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(onVectors("divide %a, %b", {1, -2, 0}, {0.5}), (std::vector<double>{2, -4, 0}));
  EXPECT_EQ(onVectors("divide %a, %b", {1, -1}, {0}), (std::vector<double>{inf, -inf}));
  EXPECT_EQ(onVectors("power %a, %b", {4, 9, 0, inf}, {0.5}), (std::vector<double>{2, 3, 0, inf}));
  EXPECT_EQ(onVectors("negate %a", {1, -2, inf}), (std::vector<double>{-1, 2, -inf}));
  EXPECT_EQ(onVectors("abs %a", {1, -2, -inf}), (std::vector<double>{1, 2, inf}));
  EXPECT_EQ(onVectors("floor %a", {1.5, -1.5, inf, -0.25}), (std::vector<double>{1, -2, inf, -1}));
  EXPECT_EQ(onVectors("max %a, %b", {1, -2, inf}, {0}), (std::vector<double>{1, 0, inf}));
  EXPECT_EQ(onVectors("min %a, %b", {1, -2, inf}, {0}), (std::vector<double>{0, -2, 0}));
  EXPECT_EQ(onVectors("sqrt %a", {4, 2.25}), (std::vector<double>{2, 1.5}));
  EXPECT_EQ(onVectors("exp %a", {0, -inf, inf}), (std::vector<double>{1, 0, inf}));
  EXPECT_EQ(onVectors("erf %a", {0, -inf, inf}), (std::vector<double>{0, -1, 1}));
  EXPECT_EQ(onVectors("sin %a", {0, -0.0}), (std::vector<double>{0, 0}));
  EXPECT_EQ(onVectors("cos %a", {0, -0.0}), (std::vector<double>{1, 1}));
  EXPECT_EQ(onVectors("log %a", {1, 0, inf}), (std::vector<double>{0, -inf, inf}));
  EXPECT_EQ(onVectors("rsqrt %a", {4, 0.25, inf}), (std::vector<double>{0.5, 2, 0}));
  EXPECT_EQ(onVectors("sigmoid %a", {0, -inf, inf}), (std::vector<double>{0.5, 0, 1}));
  EXPECT_EQ(onVectors("tanh %a", {0, -inf, inf}), (std::vector<double>{0, -1, 1}));
}

TEST(Interpreter, EmptyVectors) {
  EXPECT_TRUE(onVectors("add %a, %b", {}).empty());
  EXPECT_TRUE(onVectors("exp %a", {}).empty());
}

TEST(Interpreter, Comparisons) {
  using Bits = std::vector<uint8_t>;
  std::vector<double> values = {-1, 0, -0.0, 1, nan};
  auto compare = [&](const char *op) { return onVectors<uint8_t>(std::string(op) + " %a, %b", values, {0}, "i1"); };
  EXPECT_EQ(compare("equal"), (Bits{0, 1, 1, 0, 0}));
  EXPECT_EQ(compare("not_equal"), (Bits{1, 0, 0, 1, 1}));
  EXPECT_EQ(compare("less"), (Bits{1, 0, 0, 0, 0}));
  EXPECT_EQ(compare("less_equal"), (Bits{1, 1, 1, 0, 0}));
  EXPECT_EQ(compare("greater"), (Bits{0, 0, 0, 1, 0}));
  EXPECT_EQ(compare("greater_equal"), (Bits{0, 1, 1, 1, 0}));
}

TEST(Interpreter, Logic) {
  using Bits = std::vector<uint8_t>;
  Graph graph(R"(graph @g(%a: i1[n], %b: i1[n]) -> (i1[n], i1[n], i1[n], i1[n]) {
    %and = and %a, %b
    %or = or %a, %b
    %not = not %a
    %less = less %a, %b
    return %and, %or, %not, %less
  })");
  auto results = graph.run({tensor<uint8_t>({4}, {0, 0, 1, 1}), tensor<uint8_t>({4}, {0, 1, 0, 1})});
  EXPECT_EQ(entries<uint8_t>(results[0]), (Bits{0, 0, 0, 1}));
  EXPECT_EQ(entries<uint8_t>(results[1]), (Bits{0, 1, 1, 1}));
  EXPECT_EQ(entries<uint8_t>(results[2]), (Bits{1, 1, 0, 0}));
  EXPECT_EQ(entries<uint8_t>(results[3]), (Bits{0, 1, 0, 0}));
}

TEST(Interpreter, WhereBroadcastsAllThree) {
  Graph graph(R"(graph @g(%c: i1[n, p], %x: f64[p, n], %y: f64[n, n]) -> f64[n, n] where p == 1 {
    %r = where %c, %x, %y
    return %r
  })");
  auto result = graph.run(
      {tensor<uint8_t>({2, 1}, {1, 0}), tensor<double>({1, 2}, {5, nan}), tensor<double>({2, 2}, {1, 2, 3, 4})});
  auto values = entries<double>(result[0]);
  EXPECT_EQ(values[0], 5);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 3);
  EXPECT_EQ(values[3], 4);
}

TEST(Interpreter, ConstantsRoundOnceToTheirType) {
  Graph graph(R"(graph @g(%x: f64[n]) -> (f32[2], i32[], i1[2], f64[2]) {
    %f = constant [0.1, nan] : f32[2]
    %i = constant -7 : i32[]
    %b = constant [true, false] : i1[2]
    %d = constant [5.0e-324, -inf] : f64[2]
    return %f, %i, %b, %d
  })");
  auto results = graph.run({tensor<double>({0}, {})});
  EXPECT_EQ(entries<float>(results[0])[0], 0.1f);
  EXPECT_TRUE(std::isnan(entries<float>(results[0])[1]));
  EXPECT_EQ(entries<int32_t>(results[1]), std::vector<int32_t>{-7});
  EXPECT_EQ(entries<uint8_t>(results[2]), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(entries<double>(results[3]), (std::vector<double>{5e-324, -inf}));
}

TEST(Interpreter, SizesIotasAndCasts) {
  Graph graph(R"(graph @g(%x: f64[n, d]) -> (f32[], i64[n, 1], i32[1, d]) {
    %size = dim_value n * d + 1
    %f = cast %size : f32
    %rows = iota 0 : [n, 1] from 2 * n
    %columns = iota 1 : [1, d]
    %c = cast %columns : i32
    return %f, %rows, %c
  })");
  auto results = graph.run({tensor<double>({2, 3}, std::vector<double>(6))});
  EXPECT_EQ(entries<float>(results[0]), std::vector<float>{7});
  EXPECT_EQ(entries<int64_t>(results[1]), (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(entries<int32_t>(results[2]), (std::vector<int32_t>{0, 1, 2}));
}

TEST(Interpreter, TransposeMovesAnyAxes) {
  Graph graph(R"(graph @g(%x: i32[a, b, c]) -> (i32[c, a, b], i32[c, b, a]) {
    %r = transpose %x, [2, 0, 1]
    %s = transpose %x
    return %r, %s
  })");
  std::vector<int32_t> values(12), moved, reversed;
  for (int i = 0; i < 12; ++i)
    values[i] = i;
  for (int c = 0; c < 2; ++c)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 3; ++b)
        moved.push_back(a * 6 + b * 2 + c);
  for (int c = 0; c < 2; ++c)
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 2; ++a)
        reversed.push_back(a * 6 + b * 2 + c);
  auto results = graph.run({tensor<int32_t>({2, 3, 2}, values)});
  EXPECT_EQ(results[0].shape, (Shape{2, 2, 3}));
  EXPECT_EQ(entries<int32_t>(results[0]), moved);
  EXPECT_EQ(entries<int32_t>(results[1]), reversed);
}

TEST(Interpreter, ConcatJoinsAnyAxis) {
  Graph graph(R"(graph @g(%x: f32[a, b], %y: f32[a, c]) -> f32[a, b + c] {
    %r = concat %x, %y, 1
    return %r
  })");
  auto joined = graph.run({tensor<float>({2, 1}, {1, 2}), tensor<float>({2, 2}, {3, 4, 5, 6})});
  EXPECT_EQ(entries<float>(joined[0]), (std::vector<float>{1, 3, 4, 2, 5, 6}));
  auto empty = graph.run({tensor<float>({2, 0}, {}), tensor<float>({2, 1}, {3, 4})});
  EXPECT_EQ(entries<float>(empty[0]), (std::vector<float>{3, 4}));
}

TEST(Interpreter, ReductionsSkipHiddenEntries) {
  Graph graph(R"(graph @g(%x: f64[n, k], %h: i1[p, k]) -> (f64[n, 1], f64[n], f64[n, 1], f64[1, k]) where p == 1 {
    %sum = reduce_sum %x, 1 hidden %h
    %max = reduce_max %x, 1 drop hidden %h
    %min = reduce_min %x, 1 hidden %h
    %down = reduce_sum %x, 0
    return %sum, %max, %min, %down
  })");
  auto x = tensor<double>({2, 3}, {1, nan, 3, -4, inf, -6});
  auto results = graph.run({x, tensor<uint8_t>({1, 3}, {0, 1, 0})});
  EXPECT_EQ(entries<double>(results[0]), (std::vector<double>{4, -10}));
  EXPECT_EQ(entries<double>(results[1]), (std::vector<double>{3, -4}));
  EXPECT_EQ(results[1].shape, Shape{2});
  EXPECT_EQ(entries<double>(results[2]), (std::vector<double>{1, -6}));
  EXPECT_EQ(entries<double>(results[3])[0], -3);
  EXPECT_TRUE(std::isnan(entries<double>(results[3])[1]));
  auto hidden = graph.run({x, tensor<uint8_t>({1, 3}, {1, 1, 1})});
  EXPECT_EQ(entries<double>(hidden[0]), (std::vector<double>{0, 0}));
  EXPECT_EQ(entries<double>(hidden[1]), (std::vector<double>{-inf, -inf}));
  EXPECT_EQ(entries<double>(hidden[2]), (std::vector<double>{inf, inf}));
}

TEST(Interpreter, ReductionsOverNothing) {
  Graph graph(R"(graph @g(%x: i32[n, k]) -> (i32[n], i32[n], i32[n]) {
    %sum = reduce_sum %x, 1 drop
    %max = reduce_max %x, 1 drop
    %min = reduce_min %x, 1 drop
    return %sum, %max, %min
  })");
  auto results = graph.run({tensor<int32_t>({1, 0}, {})});
  EXPECT_EQ(entries<int32_t>(results[0]), std::vector<int32_t>{0});
  EXPECT_EQ(entries<int32_t>(results[1]), std::vector<int32_t>{INT32_MIN});
  EXPECT_EQ(entries<int32_t>(results[2]), std::vector<int32_t>{INT32_MAX});
}

TEST(Interpreter, MatmulSkipsTermsHiddenOnEitherSide) {
  Graph graph(
      R"(graph @g(%a: f64[m, k], %b: f64[k, n], %h: i1[m, k], %g: i1[k, p]) -> (f64[m, n], f64[m, n]) where p == 1 {
    %r = matmul %a hidden %h, %b hidden %g
    %plain = matmul %a, %b
    return %r, %plain
  })");
  auto a = tensor<double>({2, 3}, {1, 2, inf, 4, 5, 6}), b = tensor<double>({3, 1}, {1, nan, 1});
  auto results = graph.run({a, b, tensor<uint8_t>({2, 3}, {0, 0, 1, 0, 0, 0}), tensor<uint8_t>({3, 1}, {0, 1, 0})});
  EXPECT_EQ(entries<double>(results[0]), (std::vector<double>{1, 10}));
  EXPECT_TRUE(std::isnan(entries<double>(results[1])[0]));
}

TEST(Interpreter, MatmulOverNothingIsZero) {
  Graph graph("graph @g(%a: f64[m, k], %b: f64[k, n]) -> f64[m, n] {\n %r = matmul %a, %b\n return %r\n}");
  auto results = graph.run({tensor<double>({4, 0}, {}), tensor<double>({0, 4}, {})});
  EXPECT_EQ(entries<double>(results[0]), std::vector<double>(16, 0.0));
}

TEST(Interpreter, IntegerDivisionByZeroIsAnError) {
  Graph graph("graph @g(%a: i64[n, m], %b: i64[m]) -> i64[n, m] {\n %q = divide %a, %b\n return %q\n}");
  auto a = tensor<int64_t>({2, 2}, {7, -7, 8, 9});
  EXPECT_EQ(entries<int64_t>(graph.run({a, tensor<int64_t>({2}, {2, 2})})[0]), (std::vector<int64_t>{3, -3, 4, 4}));
  EXPECT_EQ(graph.error({a, tensor<int64_t>({2}, {2, 0})}), "-:2:7: %q of @g: integer division by zero at [0, 1]");
  // Nothing is divided where there is no entry.
  EXPECT_TRUE(graph.run({tensor<int64_t>({0, 2}, {}), tensor<int64_t>({2}, {2, 0})})[0].bytes.empty());
}

TEST(Interpreter, ArgumentsAreReadInCanonicalForm) {
  Graph graph("graph @g(%a: f32[n], %b: i1[n]) -> (f32[n], i1[n]) {\n %r = transpose %a\n return %r, %b\n}");
  Tensor payload(Element::F32, {1}), flags(Element::I1, {1});
  *payload.data<uint32_t>() = 0xFFC12345;
  *flags.data<uint8_t>() = 2;
  auto results = graph.run({payload, flags});
  EXPECT_EQ(*results[0].data<uint32_t>(), 0x7FC00000u);
  EXPECT_EQ(*results[1].data<uint8_t>(), 1);
}

} // namespace
