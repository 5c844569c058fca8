#include "compiler/transforms/derive/Extend.h"
#include "compiler/transforms/derive/CheckedRows.h"
#include "compiler/transforms/derive/ExtendedGraph.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace nova {
namespace {
class Builder {
public:
  Builder(GraphOp core, Dependence &dependence)
      : core(core), dependence(dependence), words{{}, dependence.sequence, {}, {}, {}, factsOf(core)} {}
  ExtendGraph run();

private:
  bool chooseVersions();
  void chooseSymbols(ExtendGraph &out);
  std::optional<unsigned> sequenceAxis(Value value) const;

  GraphOp core;
  Dependence &dependence;
  ExtendWords words;
  Dependence read; // that of the results, the states and the divisors
  std::optional<NeededVersions> needed;
};
} // namespace

// Fresh symbols for the rows of the state and the new ones: `t` and `m` unless the graph has them.
void Builder::chooseSymbols(ExtendGraph &out) {
  MLIRContext *context = core.getContext();
  llvm::StringSet<> symbols;
  auto add = [&](DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      symbols.insert(cast<StringAttr>(atom).getValue());
  };
  for (BlockArgument argument : core.getBlock().getArguments())
    llvm::for_each(cast<TensorType>(argument.getType()).getDims(), add);
  for (Attribute clause : core.getClauses()) {
    add(cast<ClauseAttr>(clause).getLhs());
    add(cast<ClauseAttr>(clause).getRhs());
  }
  out.past = freeName(context, "t", symbols);
  out.rows = freeName(context, "m", symbols);
  words.past = symbolDim(context, out.past.getValue());
  words.rows = symbolDim(context, out.rows.getValue());
  words.allRows = addDims(words.past, words.rows);
}

static size_t countDemanded(const Dependence &d) {
  size_t count = llvm::count_if(d.values, [](const auto &entry) { return entry.second.demanded; });
  for (const auto &body : d.bodies)
    count += countDemanded(*body.second);
  return count;
}

// Row by row, also those of the graphs of scans.
static void keepStates(GraphOp core, const NeededVersions &needed, SmallVectorImpl<KeptRows> &kept) {
  for (Value state : needed.getStates()) {
    kept.push_back({state, Box(cast<TensorType>(state.getType()).getRank())});
    kept.back().axes[needed.stateAxis(state)] = AxisDemand{0, 0};
  }
  for (ScanOp scan : core.getBlock().getOps<ScanOp>())
    if (const NeededVersions *body = needed.body(scan))
      keepStates(scan.getBody(), *body, kept);
}

// Decides what is computed. Every row of a state and every divisor that counts is computed when it comes; if that
// cannot be, `dependence` holds the reason.
bool Builder::chooseVersions() {
  auto refuse = [&](StringRef reason, std::optional<Location> loc) {
    dependence.refusal = reason.str();
    dependence.refusalLoc = loc;
    return false;
  };
  for (read = dependence;;) {
    needed.emplace(core, read, words.facts);
    if (needed->failed())
      return refuse(needed->getReason(), needed->getReasonLoc());
    CheckedRows checked = findCheckedRows(core, read, *needed, words.facts);
    if (!checked.refusal.empty())
      return refuse(checked.refusal, checked.refusalLoc);
    // Rows of a state are computed when they come and read afterwards: a graph that is causal only as a whole (a value
    // that looks ahead, read with a delay) has no such order.
    SmallVector<KeptRows> kept = checked.rows;
    keepStates(core, *needed, kept);
    Dependence next = analyseDependence(core, words.sequence, kept);
    if (!next.extendable()) {
      dependence.path = next.path;
      dependence.way = next.way;
      return refuse(next.refusal, next.refusalLoc);
    }
    if (countDemanded(next) <= countDemanded(read))
      return true;
    read = std::move(next); // more is read than results read, so fewer branches go
  }
}

std::optional<unsigned> Builder::sequenceAxis(Value value) const {
  Version axes = needed->sequenceAxes(value);
  return axes ? std::optional<unsigned>(llvm::countr_zero(axes)) : std::nullopt;
}

ExtendGraph Builder::run() {
  if (!chooseVersions())
    return {};
  ExtendGraph out;
  out.sequence = words.sequence;
  out.module = ModuleOp::create(core.getLoc());
  words.module = *out.module;
  chooseSymbols(out);
  ExtendedGraph graph(words, core, *needed);
  if (failed(graph.build()) || failed(verify(*out.module)))
    return {};
  out.numStates = graph.getNumStates();
  for (BlockArgument argument : core.getBlock().getArguments())
    out.argumentAxis.push_back(sequenceAxis(argument));
  for (Value value : core.getReturn().getValues())
    out.resultAxis.push_back(sequenceAxis(value));
  return out;
}

ExtendGraph tryDeriveExtend(GraphOp core, Dependence &dependence) {
  return dependence.extendable() ? Builder(core, dependence).run() : ExtendGraph();
}

ExtendGraph deriveExtend(GraphOp core, const Dependence &dependence) {
  Dependence own = dependence;
  ExtendGraph extend = tryDeriveExtend(core, own);
  if (!own.extendable())
    emitRefusal(core, own);
  return extend;
}
} // namespace nova
