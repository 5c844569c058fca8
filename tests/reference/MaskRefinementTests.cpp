//===- MaskRefinementTests.cpp - Rule 6 against the plain reading ------------===//
//
// The core form's masks refine the plain reading of a graph: on random graphs full of masks both give equal values
// wherever the plain reading meets no NaN and every `low` row sees something. And nothing that a causal mask hides
// reaches an earlier row, in whatever way the mask is written.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/CoreForm.h"
#include "tests/SlowTests.h"
#include "tests/reference/Graphs.h"
#include "tests/reference/PlainReading.h"
#include "tests/reference/RandomMaskedGraph.h"

#include <cmath>
#include <cstdlib>
#include <iostream>

using namespace nova;
using namespace nova::reference;

namespace {

/// Equal values: the same bits, or zeros of any sign, which masks may change.
template <class T> bool sameValues(const Tensor &a, const Tensor &b) {
  for (int64_t i = 0; i < a.size(); ++i) {
    T x = a.data<T>()[i], y = b.data<T>()[i];
    if (!(x == y || (x != x && y != y)))
      return false;
  }
  return true;
}
bool sameValues(const Tensor &a, const Tensor &b) {
  if (a.element != b.element || a.shape != b.shape)
    return false;
  switch (a.element) {
  case Element::F64:
    return sameValues<double>(a, b);
  case Element::F32:
    return sameValues<float>(a, b);
  default:
    return a.bytes == b.bytes;
  }
}

TEST(MaskRefinement, EqualsThePlainReadingOnRandomGraphs) {
  const unsigned graphs = nova::test::slowTests() ? 60'000 : 1'500;
  int64_t compared = 0, skipped = 0;
  for (unsigned seed = 0; seed < graphs; ++seed) {
    RandomMaskedGraph random(seed);
    Graph graph(random.text());
    auto core = buildCoreForm(graph.get(), {});
    ASSERT_TRUE(core) << random.text();
    for (int64_t n : {0, 1, 2, 3, 5}) {
      auto arguments = random.arguments(n);
      PlainReading plain = readPlainly(graph.get(), arguments);
      bool everyRowSees = true;
      for (size_t guard : random.guards())
        for (int64_t i = 0; i < plain.results[guard].size(); ++i)
          everyRowSees &= plain.results[guard].element == Element::F64 ? plain.results[guard].data<double>()[i] == 1
                                                                       : plain.results[guard].data<float>()[i] == 1;
      auto masked = interpret(coreGraph(*core), arguments);
      ASSERT_TRUE(bool(masked)) << llvm::toString(masked.takeError()) << "\n" << random.text();
      if (plain.sawNaN || plain.sawZeroDivisor || !everyRowSees) {
        ++skipped;
        continue;
      }
      ++compared;
      for (size_t i = 0; i < masked->size(); ++i)
        ASSERT_TRUE(sameValues((*masked)[i], plain.results[i]))
            << "seed " << seed << ", n = " << n << ", result " << i << " of\n"
            << random.text();
    }
  }
  std::cout << compared << " cases compared, " << skipped << " with a NaN, a zero divisor or an empty row\n";
  EXPECT_GT(compared, int64_t(graphs));
}

/// Causal attention with its mask written in different ways; %S are the scores.
struct Variant {
  const char *name, *weights, *other;
};
const Variant variants[] = {
    {"low", R"(
  %low = reduce_min %S, 1
  %Sm = where %future, %low, %S
  %m = reduce_max %Sm, 1
  %z = subtract %Sm, %m
  %zero = constant 0.0
  %e = exp %z
  %em = where %future, %zero, %e
  %total = reduce_sum %em, 1
  %A = divide %em, %total)",
     ""},
    {"infinite fill", R"(
  %hide = constant -inf
  %Sm = where %future, %hide, %S
  %m = reduce_max %Sm, 1
  %z = subtract %Sm, %m
  %e = exp %z
  %total = reduce_sum %e, 1
  %A = divide %e, %total)",
     ""},
    {"other branch", R"(
  %past = less_equal %col, %row
  %hide = constant -inf
  %Sm = where %past, %S, %hide
  %m = reduce_max %Sm, 1
  %z = subtract %Sm, %m
  %e = exp %z
  %total = reduce_sum %e, 1
  %A = divide %e, %total)",
     ""},
    {"additive", R"(
  %hide = constant -inf
  %zero = constant 0.0
  %bias = where %future, %hide, %zero
  %Sm = add %S, %bias
  %m = reduce_max %Sm, 1
  %z = subtract %Sm, %m
  %e = exp %z
  %total = reduce_sum %e, 1
  %A = divide %e, %total)",
     ""},
    {"multiplicative, no maximum", R"(
  %one = constant 1.0
  %zero = constant 0.0
  %keep = where %future, %zero, %one
  %e = exp %S
  %em = multiply %e, %keep
  %total = reduce_sum %em, 1
  %A = divide %em, %total)",
     ""},
    {"called softmax", R"(
  %hide = constant -inf
  %Sm = where %future, %hide, %S
  %A = call @softmax(%Sm) : f64[n, n])",
     R"(
graph @softmax(%X: f64[a, b]) -> f64[a, b] {
  %m = reduce_max %X, 1
  %z = subtract %X, %m
  %e = exp %z
  %total = reduce_sum %e, 1
  %A = divide %e, %total
  return %A
})"},
};

std::string attentionText(const Variant &variant) {
  return std::string(R"(graph @g(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, d]) -> (f64[n, d], f64[n, n]) {
  %KT = transpose %K
  %S = matmul %Q, %KT
  %row = iota 0 : [n, 1]
  %col = iota 1 : [1, n]
  %future = greater %col, %row)") +
         variant.weights + "\n  %O = matmul %A, %V\n  return %O, %A\n}" + variant.other;
}

TEST(MaskRefinement, NothingFromTheFutureReachesAnEarlierRow) {
  const int64_t n = 9, d = 3;
  const double poisons[] = {std::nan(""), INFINITY, -INFINITY, 1e308, 5.0};
  for (const Variant &variant : variants) {
    Graph graph(attentionText(variant));
    auto core = buildCoreForm(graph.get(), {});
    ASSERT_TRUE(core) << variant.name;
    RandomMaskedGraph random(1);
    std::vector<Tensor> clean;
    for (int i = 0; i < 3; ++i)
      clean.push_back(tensor<double>({n, d}, random.numbers(n * d)));
    auto expected = interpret(coreGraph(*core), clean);
    ASSERT_TRUE(bool(expected)) << variant.name;
    for (double poison : poisons)
      for (int64_t from = 1; from < n; ++from)
        for (unsigned which = 0; which < 8; ++which) {
          std::vector<Tensor> dirty = clean;
          for (int argument = 0; argument < 3; ++argument)
            if (which >> argument & 1)
              std::fill(dirty[argument].data<double>() + from * d, dirty[argument].data<double>() + n * d, poison);
          auto found = interpret(coreGraph(*core), dirty);
          ASSERT_TRUE(bool(found)) << variant.name;
          for (int64_t i = 0; i < from * d; ++i)
            ASSERT_EQ((*found)[0].data<int64_t>()[i], (*expected)[0].data<int64_t>()[i])
                << variant.name << ": " << poison << " from row " << from << " in arguments " << which;
          for (int64_t i = 0; i < from * n; ++i)
            ASSERT_EQ((*found)[1].data<int64_t>()[i], (*expected)[1].data<int64_t>()[i])
                << variant.name << ": " << poison << " from row " << from << " in arguments " << which;
          // Above the diagonal the weights are exactly +0, also where the future is NaN.
          for (int64_t row = 0; row < n; ++row)
            for (int64_t column = row + 1; column < n; ++column)
              ASSERT_EQ((*found)[1].data<int64_t>()[row * n + column], 0) << variant.name;
        }
  }
}

} // namespace
