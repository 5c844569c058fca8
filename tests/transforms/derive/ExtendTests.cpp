// Any split of the rows gives the bits of the whole run; what reads later rows is refused.
#include "compiler/analysis/Witness.h"
#include "compiler/transforms/derive/Extend.h"
#include "tests/SlowTests.h"
#include "tests/analysis/RandomGraph.h"
#include "tests/reference/Graphs.h"

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

std::vector<Tensor> arguments(GraphOp graph, const Bindings &sizes, Random &random) {
  std::vector<Tensor> result;
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    result.push_back(randomTensor(graph.getArgumentType(i), sizes, random));
  return result;
}

/// Lengths >= 0 with this sum.
std::vector<int64_t> randomSplit(int64_t rows, Random &random) {
  std::vector<int64_t> split;
  while (rows > 0) {
    split.push_back(random() % 8 == 0 ? 0 : 1 + int64_t(random() % uint64_t(rows)));
    rows -= split.back();
  }
  return split;
}

/// Runs `extend` over the chunks of `split` and compares each with the rows of the whole run's results.
void compareSplit(GraphOp core, const ExtendGraph &extend, const std::vector<Tensor> &whole,
                  const std::vector<Tensor> &results, const Bindings &sizes, llvm::ArrayRef<int64_t> split) {
  GraphOp graph = *mlir::ModuleOp(*extend.module).getOps<GraphOp>().begin();
  unsigned count = core.getNumGraphArguments(), outputs = core.getNumGraphResults();
  std::vector<Tensor> states;
  Bindings empty = sizes;
  empty[extend.past.getValue()] = 0;
  for (unsigned s = 0; s < extend.numStates; s++) {
    TensorType type = graph.getArgumentType(count + s);
    std::vector<int64_t> shape;
    for (DimAttr dim : type.getDims())
      shape.push_back(evaluateDim(dim, empty).value());
    states.emplace_back(*elementOf(type.getElementType()), shape);
  }
  int64_t past = 0;
  for (int64_t rows : split) {
    std::vector<Tensor> chunk;
    for (unsigned a = 0; a < count; a++)
      chunk.push_back(extend.argumentAxis[a] ? takeRows(whole[a], *extend.argumentAxis[a], past, rows) : whole[a]);
    chunk.insert(chunk.end(), states.begin(), states.end());
    Bindings known;
    known[extend.past.getValue()] = past;
    auto got = interpret(graph, chunk, known);
    ASSERT_TRUE(bool(got)) << llvm::toString(got.takeError());
    for (unsigned r = 0; r < outputs; r++) {
      ASSERT_TRUE(extend.resultAxis[r].has_value());
      Tensor want = takeRows(results[r], *extend.resultAxis[r], past, rows);
      ASSERT_EQ((*got)[r].shape, want.shape);
      ASSERT_EQ((*got)[r].bytes, want.bytes) << "result " << r << ", rows " << past << " to " << past + rows;
    }
    states.assign(got->begin() + outputs, got->end());
    past += rows;
  }
}

void compareWithWhole(GraphOp core, const ExtendGraph &extend, Random &random) {
  for (int trial = 0; trial < 3; trial++) {
    Bindings sizes;
    sizes["n"] = int64_t(random() % 10);
    sizes["d"] = 1 + int64_t(random() % 3);
    sizes["e"] = int64_t(random() % 3);
    std::vector<Tensor> whole = arguments(core, sizes, random);
    auto results = interpret(core, whole);
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    compareSplit(core, extend, whole, *results, sizes, randomSplit(sizes["n"], random));
    compareSplit(core, extend, whole, *results, sizes, std::vector<int64_t>(sizes["n"], 1));
  }
}

/// Graphs per test: 30 times as many with NOVA_SLOW=1.
uint64_t many(uint64_t count) { return slowTests() ? count * 30 : count; }

Dependence analyse(GraphOp core) { return analyseDependence(core, mlir::StringAttr::get(core.getContext(), "n")); }

TEST(Extend, EverySplitOfARandomCausalGraphGivesTheBitsOfTheWholeRun) {
  unsigned withState = 0;
  for (uint64_t seed = 0; seed < many(250); seed++) {
    Random random(seed);
    std::string text = randomGraph(random, /*causal=*/true);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph graph(text);
    Dependence dependence = analyse(graph.get());
    ASSERT_TRUE(dependence.extendable()) << dependence.refusal;
    ExtendGraph extend = deriveExtend(graph.get(), dependence);
    ASSERT_TRUE(bool(extend.module));
    withState += extend.numStates > 0;
    compareWithWhole(graph.get(), extend, random);
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GE(withState, 150u);
}

TEST(Extend, WhatMayReadLaterRowsIsRefusedOrCausal) {
  unsigned refused = 0, proved = 0, extended = 0, delayed = 0;
  for (uint64_t seed = 1000000; seed < 1000000 + many(300); seed++) {
    Random random(seed);
    std::string text = randomGraph(random, /*causal=*/false);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph graph(text);
    Dependence dependence = analyse(graph.get());
    if (!dependence.extendable()) {
      refused++;
      proved += findWitness(graph.get(), dependence).has_value();
      continue;
    }
    ExtendGraph extend = tryDeriveExtend(graph.get(), dependence);
    if (!extend.module) {
      EXPECT_FALSE(dependence.extendable());
      delayed++;
      continue;
    }
    extended++;
    compareWithWhole(graph.get(), extend, random);
    if (testing::Test::HasFatalFailure())
      return;
  }
  std::printf("refused %u, of these proved by a witness %u; causal only as a whole %u; extended %u\n", refused, proved,
              delayed, extended);
  EXPECT_GE(refused, 60u);
  EXPECT_GE(proved * 10, refused * 8);
  EXPECT_GE(extended, 60u);
}
} // namespace
} // namespace nova::test
