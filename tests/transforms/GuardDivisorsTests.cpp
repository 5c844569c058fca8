// Guarded divisors hide no division by zero that shows in a result, and change no result.
#include "compiler/transforms/CoreForm.h"
#include "tests/SlowTests.h"
#include "tests/reference/Graphs.h"
#include "tests/reference/PlainReading.h"
#include "tests/transforms/RandomQuotients.h"
#include <iostream>

namespace nova::test {
namespace {
using reference::Graph;
using reference::PlainReading;
using reference::Tensor;

bool same(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  for (size_t i = 0; i < a.size(); i++)
    if (a[i].shape != b[i].shape || a[i].bytes != b[i].bytes)
      return false;
  return true;
}

// What is read plainly divides by 0 too, which gives some number there. If the graph has results, they are those of the
// plain reading, whatever that number is; and the order of lines decides nothing.
TEST(GuardDivisors, WhatShowsInAResultIsAnError) {
  const unsigned graphs = slowTests() ? 60'000 : 2'000;
  unsigned errors = 0, hidden = 0;
  for (unsigned seed = 0; seed < graphs; seed++) {
    RandomQuotients random(seed);
    std::string text = random.text(false);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph graph(text), shuffled(random.text(true));
    auto core = buildCoreForm(graph.get(), {}), other = buildCoreForm(shuffled.get(), {});
    ASSERT_TRUE(core && other);
    for (int64_t n : {1, 2, 3}) {
      std::vector<Tensor> arguments = random.arguments(n);
      auto results = interpret(coreGraph(*core), arguments), again = interpret(coreGraph(*other), arguments);
      ASSERT_EQ(bool(results), bool(again)) << "the order of lines matters";
      if (!results) {
        llvm::consumeError(results.takeError());
        llvm::consumeError(again.takeError());
        errors++;
        continue;
      }
      ASSERT_TRUE(same(*results, *again));
      for (int32_t poison : {12345, -7}) {
        PlainReading plain = readPlainly(graph.get(), arguments, poison);
        ASSERT_TRUE(same(*results, plain.results)) << "n = " << n << ", a quotient by 0 is " << poison;
        hidden += plain.sawZeroDivisor;
      }
    }
  }
  std::cout << errors << " divisions by zero, " << hidden / 2 << " runs in which all are hidden\n";
  EXPECT_GE(errors, graphs / 4);
  EXPECT_GE(hidden, graphs / 4);
}
// Row i divides its scores by the lengths of the rows before it: a length of 0 fails the runs in which a row sees it.
TEST(GuardDivisors, AZeroFailsTheRowsThatSeeIt) {
  Graph graph(R"(graph @g(%s: i64[n, n], %len: i64[1, n], %v: i64[n, 1]) -> i64[n, 1] {
  %row = iota 0 : [n, 1]
  %col = iota 1 : [1, n]
  %hidden = greater_equal %col, %row
  %q = divide %s, %len
  %zero = constant 0
  %w = where %hidden, %zero, %q
  %o = matmul %w, %v
  return %o
})");
  auto core = buildCoreForm(graph.get(), {});
  ASSERT_TRUE(core);
  for (int64_t n = 0; n < 6; n++)
    for (int64_t zero = 0; zero < 6; zero++) {
      std::vector<int64_t> lengths(n, 2);
      if (zero < n)
        lengths[zero] = 0;
      auto results = interpret(coreGraph(*core), {reference::tensor<int64_t>({n, n}, std::vector<int64_t>(n * n, 6)),
                                                  reference::tensor<int64_t>({1, n}, lengths),
                                                  reference::tensor<int64_t>({n, 1}, std::vector<int64_t>(n, 1))});
      bool seen = zero < n - 1;
      ASSERT_EQ(bool(results), !seen) << n << " rows, 0 in row " << zero;
      if (!results) {
        EXPECT_EQ(llvm::toString(results.takeError()), "-:5:8: %q of @g: integer division by zero at [" +
                                                           std::to_string(zero + 1) + ", " + std::to_string(zero) +
                                                           "]");
        continue;
      }
      for (int64_t i = 0; i < n; i++)
        EXPECT_EQ((*results)[0].data<int64_t>()[i], 3 * i);
    }
}
} // namespace
} // namespace nova::test
