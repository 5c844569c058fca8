// What the analysis says of random graphs is what happens when a row is changed.
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/Witness.h"
#include "tests/analysis/RandomGraph.h"
#include "tests/reference/Graphs.h"

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

std::optional<unsigned> sequenceAxis(TensorType type, mlir::StringAttr n) {
  for (auto [k, dim] : llvm::enumerate(type.getDims()))
    if (asSymbol(dim) == n)
      return k;
  return std::nullopt;
}

/// `x` with row `row` of `axis` taken from `other`.
Tensor withRow(const Tensor &x, const Tensor &other, unsigned axis, int64_t row) {
  Tensor result = x;
  int64_t outer = 1, inner = byteSize(x.element);
  for (unsigned k = 0; k < x.shape.size(); k++)
    if (k != axis)
      (k < axis ? outer : inner) *= x.shape[k];
  for (int64_t o = 0; o < outer; o++) {
    int64_t at = (o * x.shape[axis] + row) * inner;
    std::copy_n(other.bytes.begin() + at, inner, result.bytes.begin() + at);
  }
  return result;
}

TEST(Dependence, RowsOutsideTheDemandChangeNothing) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    Random random(seed);
    std::string text = randomGraph(random, /*causal=*/seed % 2 == 0);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph owner(text);
    GraphOp graph = owner.get();
    auto n = mlir::StringAttr::get(graph.getContext(), "n");
    Dependence dependence = analyseDependence(graph, n);
    Bindings sizes;
    sizes["n"] = 6, sizes["d"] = 2, sizes["e"] = 1;
    std::vector<Tensor> arguments;
    for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
      arguments.push_back(randomTensor(graph.getArgumentType(i), sizes, random));
    std::vector<Tensor> before = owner.run(arguments);
    for (unsigned a = 0; a < arguments.size(); a++) {
      std::optional<unsigned> axis = sequenceAxis(graph.getArgumentType(a), n);
      if (!axis)
        continue;
      ValueDependence known = dependence.values.lookup(graph.getBlock().getArgument(a));
      for (int64_t j = 0; j < sizes["n"]; j++) {
        std::vector<Tensor> changed = arguments;
        changed[a] = withRow(arguments[a], randomTensor(graph.getArgumentType(a), sizes, random), *axis, j);
        std::vector<Tensor> after = owner.run(changed);
        for (unsigned r = 0; r < before.size(); r++)
          for (int64_t i = 0; i < sizes["n"]; i++) {
            AxisDemand demand = known.demanded ? *known.axes[*axis] : AxisDemand{0, -1};
            if ((!demand.lo || j >= i + *demand.lo) && (!demand.hi || j <= i + *demand.hi))
              continue;
            unsigned rowAxis = *sequenceAxis(graph.getResultType(r), n);
            ASSERT_EQ(takeRows(before[r], rowAxis, i, 1).bytes, takeRows(after[r], rowAxis, i, 1).bytes)
                << "row " << j << " of argument " << a << " changed row " << i << " of result " << r;
          }
      }
    }
  }
}

TEST(Dependence, AWitnessIsWhatItSays) {
  unsigned found = 0;
  for (uint64_t seed = 500; seed < 560; seed++) {
    Random random(seed);
    std::string text = randomGraph(random, /*causal=*/false);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph owner(text);
    GraphOp graph = owner.get();
    auto n = mlir::StringAttr::get(graph.getContext(), "n");
    Dependence dependence = analyseDependence(graph, n);
    if (dependence.extendable())
      continue;
    std::optional<Witness> witness = findWitness(graph, dependence);
    if (!witness)
      continue;
    found++;
    // The same up to the changed row, and another result before it.
    for (unsigned a = 0; a < witness->before.size(); a++) {
      std::optional<unsigned> axis = sequenceAxis(graph.getArgumentType(a), n);
      if (!axis) {
        EXPECT_EQ(witness->before[a].bytes, witness->after[a].bytes);
        continue;
      }
      EXPECT_EQ(takeRows(witness->before[a], *axis, 0, witness->changedRow).bytes,
                takeRows(witness->after[a], *axis, 0, witness->changedRow).bytes);
    }
    EXPECT_LT(witness->row, witness->changedRow);
    unsigned rowAxis = *sequenceAxis(graph.getResultType(witness->result), n);
    Tensor before = takeRows(owner.run(witness->before)[witness->result], rowAxis, witness->row, 1);
    Tensor after = takeRows(owner.run(witness->after)[witness->result], rowAxis, witness->row, 1);
    EXPECT_NE(before.bytes, after.bytes);
    EXPECT_EQ(before.bytes, witness->rowBefore.bytes);
    EXPECT_EQ(after.bytes, witness->rowAfter.bytes);
  }
  EXPECT_GE(found, 10u);
}
} // namespace
} // namespace nova::test
