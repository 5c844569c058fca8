//===- InterpreterGraphTests.cpp - Whole graphs, entry check, long chains ----===//
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Memory.h"
#include "tests/reference/Graphs.h"

#include <chrono>
#include <cmath>
#include <random>
#include <sys/resource.h>

using namespace nova;
using namespace nova::reference;

namespace {

const char *attention =
    R"(graph @attention(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, v]) -> (f64[n, v], f64[n, n]) where d >= 1 {
  %d = dim_value d
  %df = cast %d : f64
  %rd = sqrt %df
  %KT = transpose %K
  %QK = matmul %Q, %KT
  %S = divide %QK, %rd
  %row = iota 0 : [n, 1]
  %col = iota 1 : [1, n]
  %future = greater %col, %row
  %m = reduce_max %S, 1 hidden %future
  %z = subtract %S, %m
  %e = exp %z
  %total = reduce_sum %e, 1 hidden %future
  %zero = constant 0.0 : f64[]
  %em = where %future, %zero, %e
  %A = divide %em, %total
  %O = matmul %A hidden %future, %V
  return %O, %A
})";

std::vector<double> randomValues(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double &value : values)
    value = normal(generator);
  return values;
}

/// Row i of causal attention from the rules, without graphs.
std::vector<double> attentionRow(const std::vector<double> &Q, const std::vector<double> &K,
                                 const std::vector<double> &V, int64_t i, int64_t d, int64_t v) {
  std::vector<double> e(i + 1), out;
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j <= i; ++j) {
    Contraction<double> dot;
    for (int64_t k = 0; k < d; ++k)
      dot.term(k, Q[i * d + k], K[j * d + k]);
    e[j] = divide(dot.result(), std::sqrt(double(d)));
    largest = maximum(largest, e[j]);
  }
  Sum<double> total;
  for (int64_t j = 0; j <= i; ++j) {
    e[j] = canonicalExp(e[j] - largest);
    total.term(j, e[j]);
  }
  for (int64_t c = 0; c < v; ++c) {
    Contraction<double> dot;
    for (int64_t j = 0; j <= i; ++j)
      dot.term(j, divide(e[j], total.result()), V[j * v + c]);
    out.push_back(dot.result());
  }
  return out;
}

TEST(InterpreterGraph, CausalAttentionOfManySizes) {
  Graph graph(attention);
  for (int64_t n : {0, 1, 2, 17, 70, 300})
    for (int64_t d : {1, 5, 260})
      for (int64_t v : {0, 1, 3}) {
        auto Q = randomValues(n * d, 1), K = randomValues(n * d, 2), V = randomValues(n * v, 3);
        auto results = graph.run({tensor<double>({n, d}, Q), tensor<double>({n, d}, K), tensor<double>({n, v}, V)});
        ASSERT_EQ(results[0].shape, (Shape{n, v}));
        for (int64_t i = 0; i < n; i += n > 100 ? 37 : 1) {
          auto row = attentionRow(Q, K, V, i, d, v);
          for (int64_t c = 0; c < v; ++c)
            ASSERT_EQ(bitsOf(results[0].data<double>()[i * v + c]), bitsOf(row[c]))
                << n << " " << d << " " << v << " " << i;
        }
      }
}

TEST(InterpreterGraph, NaNAndInfinityInTheFutureReachNoEarlierRow) {
  Graph graph(attention);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  auto Q = tensor<double>({3, 2}, {1, 0, 0, 1, 1, 1});
  auto run = [&](double k, double v0, double v1) {
    return entries<double>(
        graph.run({Q, tensor<double>({3, 2}, {1, 0, 0, 1, k, 0}), tensor<double>({3, 2}, {1, 10, 2, 20, v0, v1})})[0]);
  };
  auto clean = run(0, 3, 30), key = run(nan, 3, 30), value = run(0, nan, inf);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(bitsOf(key[i]), bitsOf(clean[i]));
    EXPECT_EQ(bitsOf(value[i]), bitsOf(clean[i]));
  }
  EXPECT_EQ(clean[0], 1);
  EXPECT_EQ(clean[1], 10);
  EXPECT_NEAR(clean[2], 1.6697615493266569, 1e-12);
  EXPECT_TRUE(std::isnan(key[4]) && std::isnan(key[5]) && std::isnan(value[4]));
  EXPECT_EQ(value[5], inf);
}

TEST(InterpreterGraph, ArgumentsThatDoNotFit) {
  Graph graph(attention);
  auto matrix = [](int64_t rows, int64_t columns) { return Tensor(Element::F64, {rows, columns}); };
  EXPECT_EQ(graph.error({matrix(3, 2), matrix(2, 2), matrix(3, 2)}),
            "argument K, axis 0: expected n = 3 (from argument Q, axis 0), found 2");
  EXPECT_EQ(graph.error({matrix(2, 0), matrix(2, 0), matrix(2, 1)}), "clause d >= 1 does not hold: d = 0");
  EXPECT_EQ(graph.error({matrix(2, 1), matrix(2, 1)}), "expected 3 arguments, found 2");
  EXPECT_EQ(graph.error({matrix(2, 1), Tensor(Element::F32, {2, 1}), matrix(2, 1)}),
            "argument K: expected type f64, found f32");
  EXPECT_EQ(graph.error({matrix(2, 1), matrix(2, 1), Tensor(Element::F64, {2})}),
            "argument V: expected rank 2, found 1");
}

TEST(InterpreterGraph, OperationsOfTheStoredFormAreAnError) {
  Graph graph("graph @f(%x: f64[n]) -> f64[n] {\n  %y = call @g(%x) : f64[n]\n  return %y\n}\n"
              "graph @g(%x: f64[n]) -> f64[n] {\n  return %x\n}\n");
  EXPECT_EQ(graph.error({tensor<double>({1}, {1.0})}), "%y: core form has no operation call");
}

TEST(InterpreterGraph, SymbolsInsideExpressions) {
  Graph graph("graph @g(%a: f64[2 * h], %b: f64[h * w + 1]) -> f64[w] {\n %r = iota 0 : [w]\n %f = cast %r : f64\n "
              "return %f\n}");
  auto vector = [](int64_t size) { return Tensor(Element::F64, {size}); };
  EXPECT_EQ(graph.run({vector(4), vector(7)})[0].shape, Shape{3});
  EXPECT_EQ(graph.error({vector(3), vector(7)}),
            "argument a, axis 0: expected 2 * h for a size h of 0 or more, found 3");
  EXPECT_EQ(graph.error({vector(4), vector(6)}),
            "argument b, axis 0: expected h * w + 1 for a size w of 0 or more, found 6");
  EXPECT_EQ(graph.error({vector(0), vector(1)}), "argument b, axis 0: h * w + 1 does not determine w");
}

TEST(InterpreterGraph, SymbolsFromTheCaller) {
  Graph graph("graph @g(%a: f64[m], %s: f64[t - m]) -> i64[m] {\n %r = iota 0 : [m] from t\n return %r\n}");
  EXPECT_EQ(entries<int64_t>(graph.run({Tensor(Element::F64, {2}), Tensor(Element::F64, {3})})[0]),
            (std::vector<int64_t>{5, 6}));
  Bindings known;
  known["t"] = 5;
  EXPECT_EQ(entries<int64_t>(graph.run({Tensor(Element::F64, {2}), Tensor(Element::F64, {3})}, known)[0]),
            (std::vector<int64_t>{5, 6}));
}

TEST(InterpreterGraph, ValuesBeyondMemoryAreAnError) {
  Graph graph("graph @g(%a: f64[n]) -> f64[n * n * n * n, 1] {\n %r = iota 0 : [n * n * n * n, 1]\n %f = cast %r : "
                "f64\n return %f\n}");
  EXPECT_EQ(graph.error({Tensor(Element::F64, {40000})}),
            "%r: i64[2560000000000000000, 1] has more bytes than 63 bits hold");
  std::string large = graph.error({Tensor(Element::F64, {8000})});
  EXPECT_TRUE(llvm::StringRef(large).starts_with("%r: i64[4096000000000000, 1] needs 32768000000000000 bytes, ")) << large;
  EXPECT_EQ(graph.error({Tensor(Element::F64, {60000})}), "%r: size n * n * n * n is more than 63 bits hold");
}

TEST(InterpreterGraph, WhatIsAvailableIsNotMoreThanTheMachineHas) {
  int64_t available = availableMemory();
  EXPECT_GT(available, 0);
  EXPECT_EQ(memoryProblem(Element::I1, {1 << 20, 0, INT64_MAX}), "");
  EXPECT_NE(memoryProblem(Element::I1, {available, 2}), "");
}

/// The most memory the process has held so far, in bytes.
int64_t peakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * 1024;
}

TEST(InterpreterGraph, AChainOfManyOperationsIsLinearInTimeAndFreesItsValues) {
  // Each value holds 16 KB: kept, they would need 800 MB. A sanitizer's quarantine may hold 256 MB.
  constexpr int length = 50'000;
  std::string text = "graph @g(%v0: f64[n]) -> f64[n] {\n";
  for (int i = 0; i < length; ++i)
    text += "  %v" + std::to_string(i + 1) + " = negate %v" + std::to_string(i) + "\n";
  Graph graph(text + "  return %v" + std::to_string(length) + "\n}\n");
  int64_t before = peakMemory();
  auto start = std::chrono::steady_clock::now();
  auto results = graph.run({tensor<double>({2000}, randomValues(2000, 4))});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_LT(peakMemory() - before, 500'000'000);
  EXPECT_EQ(entries<double>(results[0]), randomValues(2000, 4));
}

} // namespace
