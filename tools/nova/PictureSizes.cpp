#include "tools/nova/PictureSizes.h"
#include "compiler/analysis/Dependence.h"
#include "compiler/reference/Arguments.h"
#include "tools/nova/Failure.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace llvm;

namespace nova::tool {
static SetVector<mlir::StringAttr> symbolsOf(GraphOp graph) {
  SetVector<mlir::StringAttr> symbols;
  auto add = [&](DimAttr dim) {
    for (mlir::Attribute atom : dim.getAtoms())
      symbols.insert(mlir::cast<mlir::StringAttr>(atom));
  };
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    for_each(graph.getArgumentType(i).getDims(), add);
  for (auto clause : graph.getClauses().getAsRange<ClauseAttr>()) {
    add(clause.getLhs());
    add(clause.getRhs());
  }
  return symbols;
}

// Gives a symbol that stands alone on a side of the clause the nearest value with which the clause holds. False where
// nothing changes.
static bool move(ClauseAttr clause, const Bindings &given, Bindings &sizes) {
  if (holds(clause, sizes).value_or(true))
    return false;
  StringRef relation = clause.getRelation().getValue();
  for (auto [side, other, above, below] : {std::tuple(clause.getLhs(), clause.getRhs(), ">", "<"),
                                           std::tuple(clause.getRhs(), clause.getLhs(), "<", ">")}) {
    mlir::StringAttr symbol = asSymbol(side);
    std::optional<int64_t> value = evaluateDim(other, sizes);
    if (!symbol || !value || given.contains(symbol) || mentions(other, symbol))
      continue;
    int64_t step = relation == above ? 1 : relation == below ? -1 : 0;
    if (*value == std::numeric_limits<int64_t>::max() || *value + step < 0)
      continue;
    sizes[symbol] = *value + step;
    return true;
  }
  return false;
}

Expected<Bindings> chooseSizes(GraphOp graph, mlir::StringAttr sequence, const Bindings &given,
                               const std::string &option) {
  SetVector<mlir::StringAttr> symbols = symbolsOf(graph);
  Facts facts(SmallVector<ClauseAttr>(graph.getClauses().getAsRange<ClauseAttr>()));
  auto isSequence = [&](mlir::StringAttr symbol) {
    return sequence && carriesSequence(symbolDim(graph.getContext(), symbol), sequence, facts);
  };
  int64_t rows = 1024;
  for (mlir::StringAttr symbol : symbols)
    if (isSequence(symbol) && given.contains(symbol))
      rows = given.lookup(symbol);
  Bindings sizes = given;
  for (mlir::StringAttr symbol : symbols)
    sizes.try_emplace(symbol, isSequence(symbol) ? rows : std::max<int64_t>(1, rows / 4));
  constexpr unsigned patience = 64; // clauses may pull at one symbol for ever
  for (unsigned round = 0; round < patience; round++)
    if (none_of(graph.getClauses().getAsRange<ClauseAttr>(),
                [&](ClauseAttr clause) { return move(clause, given, sizes); }))
      break;
  if (Error error = checkClauses(graph, sizes))
    return badInput(option + ": " + toString(std::move(error)) +
                    (given.size() < symbols.size() ? "; give other sizes, such as --sizes n:1024,d:64" : ""));
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    for (DimAttr dim : graph.getArgumentType(i).getDims())
      if (std::optional<int64_t> size = evaluateDim(dim, sizes); !size || *size < 0)
        return badInput(option + ": argument " + graph.getArgName(i) + " has no size " + toString(dim) + " for " +
                        toString(sizes));
  return sizes;
}
} // namespace nova::tool
