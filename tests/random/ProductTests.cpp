// Products of which a library tile may carry blocks of rows: random chains, sizes around its blocks, chunks and pieces,
// the interpreter's bits with and without oneDNN.
#include "tests/SlowTests.h"
#include "tests/random/Backends.h"
#include "tests/random/Inputs.h"
#include "gtest/gtest.h"

using namespace nova::test;
using nova::reference::Tensor;

namespace {
// Layers, each of which multiplies by a matrix of its own and goes on with something else.
GraphText drawChain(Draw &draw) {
  GraphText graph;
  unsigned layers = 1 + draw.below(3);
  unsigned x = graph.argument(Kind::F32, {"n", "s0"});
  for (unsigned layer = 0; layer < layers; layer++) {
    Dims dims{"n", "s" + std::to_string(layer + 1)};
    unsigned w = graph.argument(Kind::F32, {"s" + std::to_string(layer), dims[1]});
    unsigned product = graph.add("matmul", {x, w}, "", Kind::F32, dims);
    switch (draw.below(5)) {
    case 0:
      x = graph.add("add", {product, graph.argument(Kind::F32, {dims[1]})}, "", Kind::F32, dims);
      break;
    case 1:
      x = graph.add("sigmoid", {product}, "", Kind::F32, dims);
      break;
    case 2: { // two products in one kernel
      unsigned v = graph.argument(Kind::F32, {"s" + std::to_string(layer), dims[1]});
      x = graph.add("multiply", {product, graph.add("matmul", {x, v}, "", Kind::F32, dims)}, "", Kind::F32, dims);
      break;
    }
    case 3:
      x = graph.add("subtract", {product, graph.add("reduce_sum", {product}, ", 1", Kind::F32, {"n", "1"})}, "",
                    Kind::F32, dims);
      break;
    default:
      x = product;
    }
  }
  graph.returnLeaves(2);
  return graph;
}

Sizes drawProductSizes(Draw &draw) {
  const std::vector<int64_t> rows{1, 63, 64, 65, 128, 150}, others{1, 63, 64, 130, 144, 256, 257, 300, 513};
  Sizes sizes{{"n", draw.pick(rows)}};
  for (unsigned layer = 0; layer < 4; layer++)
    sizes["s" + std::to_string(layer)] = draw.pick(others);
  return sizes;
}
} // namespace

TEST(RandomProducts, OneDnnChangesNoBit) {
  const unsigned graphs = slowTests() ? 60 : 6, runs = 3;
  for (uint64_t seed = 1; seed <= graphs; seed++) {
    Draw draw(seed);
    GraphText graph = drawChain(draw);
    std::string reason;
    std::unique_ptr<Backends> backends = Backends::make(graph.text(), reason);
    ASSERT_TRUE(backends) << reason << "\n" << graph.text();
    for (unsigned run = 0; run < runs; run++) {
      Sizes sizes = drawProductSizes(draw);
      std::vector<Tensor> arguments;
      for (unsigned v = 0; v < graph.size(); v++)
        if (graph[v].op == "argument")
          arguments.push_back(drawTensor(draw, graph[v].kind, graph[v].dims, sizes));
      Outcome expected = backends->interpret(arguments);
      for (int threads : {1, 2})
        for (bool onednn : {true, false})
          ASSERT_EQ(differenceOfRuns(expected, backends->run(arguments, threads, onednn)), "")
              << "seed " << seed << ", run " << run << (onednn ? " with" : " without") << " oneDNN\n"
              << graph.text();
    }
  }
}
