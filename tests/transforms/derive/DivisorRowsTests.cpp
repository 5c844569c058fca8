// A division by zero is an error of some piece where it is one of the whole run, however the rows are split.
#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/derive/Extend.h"
#include "tests/SlowTests.h"
#include "tests/analysis/RandomGraph.h"
#include "tests/reference/Graphs.h"
#include "tests/transforms/RandomQuotients.h"
#include <iostream>

namespace nova::test {
namespace {
using reference::Graph;
using reference::Tensor;

/// Runs `extend` over pieces of the arguments; false when one of them is an error. Each piece must give its rows of
/// `results`, if there are any.
bool runInPieces(const ExtendGraph &extend, const std::vector<Tensor> &arguments,
                 const std::optional<std::vector<Tensor>> &results, const std::vector<int64_t> &pieces) {
  GraphOp graph = coreGraph(*extend.module);
  std::vector<Tensor> states;
  for (unsigned s = 0; s < extend.numStates; s++) {
    TensorType type = graph.getArgumentType(arguments.size() + s);
    std::vector<int64_t> shape;
    for (DimAttr dim : type.getDims())
      shape.push_back(evaluateDim(dim, {{extend.past.str(), 0}}).value());
    states.emplace_back(*elementOf(type.getElementType()), shape);
  }
  int64_t past = 0;
  for (int64_t rows : pieces) {
    std::vector<Tensor> inputs;
    for (size_t a = 0; a < arguments.size(); a++)
      inputs.push_back(extend.argumentAxis[a] ? takeRows(arguments[a], *extend.argumentAxis[a], past, rows)
                                              : arguments[a]);
    inputs.insert(inputs.end(), states.begin(), states.end());
    Bindings known;
    known[extend.past.getValue()] = past;
    auto got = interpret(graph, inputs, known);
    if (!got) {
      llvm::consumeError(got.takeError());
      return false;
    }
    for (size_t r = 0; results && r < results->size(); r++)
      EXPECT_EQ((*got)[r].bytes, takeRows((*results)[r], extend.resultAxis[r].value(), past, rows).bytes)
          << "result " << r << ", rows " << past << " to " << past + rows;
    states.assign(got->begin() + extend.resultAxis.size(), got->end());
    past += rows;
  }
  return true;
}

TEST(DivisorRows, PiecesFailWhereTheWholeRunDoes) {
  const unsigned graphs = slowTests() ? 30'000 : 2'000;
  unsigned extended = 0, errors = 0, all = 0;
  for (unsigned seed = 0; seed < graphs; seed++) {
    RandomQuotients random(seed, /*inRows=*/true);
    std::string text = random.text(false);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Graph graph(text);
    auto core = buildCoreForm(graph.get(), {});
    ASSERT_TRUE(core);
    Dependence dependence = analyseDependence(coreGraph(*core), mlir::StringAttr::get(core->getContext(), "n"));
    ExtendGraph extend = tryDeriveExtend(coreGraph(*core), dependence);
    if (!extend.module)
      continue;
    extended++;
    for (int64_t n : {1, 2, 3, 5}) {
      std::vector<Tensor> arguments = random.arguments(n);
      auto whole = interpret(coreGraph(*core), arguments);
      std::optional<std::vector<Tensor>> results;
      if (whole)
        results = std::move(*whole);
      else
        llvm::consumeError(whole.takeError());
      all++;
      errors += !results;
      for (const std::vector<int64_t> &pieces :
           {std::vector<int64_t>{n}, std::vector<int64_t>(n, 1), std::vector<int64_t>{n / 2, 0, n - n / 2}})
        ASSERT_EQ(runInPieces(extend, arguments, results, pieces), results.has_value())
            << pieces.size() << " pieces of " << n << " rows";
      if (testing::Test::HasFailure())
        return;
    }
  }
  std::cout << extended << " of " << graphs << " graphs have an extend; " << errors << " of " << all
            << " runs divide by zero\n";
  EXPECT_GE(extended, graphs / 8);
  EXPECT_GE(errors, all / 8);
  EXPECT_LE(errors, all - all / 8);
}
} // namespace
} // namespace nova::test
