#include "tools/nova/RandomArguments.h"
#include "compiler/reference/Arguments.h"
#include "tools/nova/Arguments.h"
#include "tools/nova/Failure.h"
#include "tools/nova/HostTensor.h"
#include "tools/nova/Options.h"
#include "tools/nova/Random.h"

using namespace llvm;
using nova::reference::Tensor;

namespace nova::tool {
static bool isSymbol(GraphOp graph, StringRef name) {
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    for (DimAttr dim : graph.getArgumentType(i).getDims())
      for (mlir::Attribute atom : dim.getAtoms())
        if (mlir::cast<mlir::StringAttr>(atom).getValue() == name)
          return true;
  return false;
}

Error readSizes(GraphOp graph, const std::string &option, StringRef words, Bindings &sizes) {
  SmallVector<StringRef> items;
  words.split(items, ',');
  for (StringRef item : items) {
    auto [symbol, value] = item.split(':');
    int64_t number;
    if (symbol.empty() || value.getAsInteger(10, number) || number < 0)
      return badInput(option + ": expected NAME:NUMBER with a number of 0 or more, found '" + item + "'");
    if (!isSymbol(graph, symbol))
      return badInput(option + ": graph @" + graph.getSymName() + " has no size " + symbol);
    auto [it, fresh] = sizes.try_emplace(symbol, number);
    if (!fresh && it->second != number)
      return badInput(option + ": " + symbol + " is " + Twine(it->second) + " already, found " + Twine(number));
  }
  return Error::success();
}

Expected<uint64_t> readSeed() {
  uint64_t seed;
  if (StringRef(options::seed).getAsInteger(10, seed))
    return badInput("--seed " + options::seed + ": expected a number from 0 to 18446744073709551615");
  return seed;
}

Expected<Tensor> makeRandomArgument(Workspace &workspace, unsigned i, const Bindings &sizes, uint64_t seed,
                                    const std::string &option) {
  GraphOp graph = workspace.getGraph();
  std::string argument = (option + ": argument " + graph.getArgName(i)).str();
  reference::Shape shape;
  for (DimAttr dim : graph.getArgumentType(i).getDims()) {
    for (mlir::Attribute atom : dim.getAtoms())
      if (StringRef symbol = mlir::cast<mlir::StringAttr>(atom).getValue(); !sizes.contains(symbol))
        return badInput(argument + " needs the size of " + symbol + ": add " + symbol + ":6");
    std::optional<int64_t> size = evaluateDim(dim, sizes);
    if (!size || *size < 0)
      return badInput(argument + " has no size " + toString(dim) + " for " + toString(Bindings(sizes)));
    shape.push_back(*size);
  }
  Expected<Tensor> tensor = makeTensor(argument, argumentElement(workspace, i), shape);
  if (tensor)
    fillRandom(*tensor, seed, graph.getArgName(i));
  return tensor;
}
} // namespace nova::tool
