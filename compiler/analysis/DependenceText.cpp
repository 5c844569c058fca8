// Dependence in words: the lines of `nova check` and the error of a graph that cannot be extended.
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/Witness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace nova {
StringRef toString(DependenceClass c) {
  switch (c) {
  case DependenceClass::Independent:
    return "independent";
  case DependenceClass::Pointwise:
    return "pointwise";
  case DependenceClass::Windowed:
    return "windowed";
  case DependenceClass::Recurrent:
    return "recurrent";
  case DependenceClass::Causal:
    return "causal";
  case DependenceClass::Full:
    return "full";
  }
  llvm_unreachable("all classes are listed");
}

StringRef meaningOf(DependenceClass c) {
  switch (c) {
  case DependenceClass::Independent:
    return "no rows of it";
  case DependenceClass::Pointwise:
    return "row i alone";
  case DependenceClass::Windowed:
    return "some rows up to i";
  case DependenceClass::Recurrent:
    return "rows up to i, by a carry";
  case DependenceClass::Causal:
    return "all rows up to i";
  case DependenceClass::Full:
    return "rows after i too";
  }
  llvm_unreachable("a class is one of the six");
}

DependenceClass classOf(const AxisDemand &demand) {
  if (demand.isPointwise())
    return DependenceClass::Pointwise;
  if (!demand.isCausal())
    return DependenceClass::Full;
  return demand.lo          ? DependenceClass::Windowed
         : demand.recurrent ? DependenceClass::Recurrent
                            : DependenceClass::Causal;
}

std::string toString(const ValueDependence &dependence) {
  std::string text;
  for (auto [axis, demand] : llvm::enumerate(dependence.axes))
    if (demand)
      text += (text.empty() ? "axis " : ", axis ") + std::to_string(axis) + " " + toString(*demand);
  return !dependence.demanded ? "not read" : text.empty() ? "no rows" : text;
}

std::string dependenceText(Value value, const Dependence &dependence) {
  return valueName(value) + ": " + toString(dependence.values.lookup(value));
}

// The lines of a graph, then those of the graphs that its scans run.
static void printValues(GraphOp core, const Dependence &dependence, llvm::raw_ostream &os) {
  auto line = [&](Value value) {
    if (!valueName(value).empty())
      os << dependenceText(value, dependence) << "\n";
  };
  for (BlockArgument argument : core.getBlock().getArguments())
    line(argument);
  for (Operation &op : core.getBlock())
    for (Value result : op.getResults())
      line(result);
  for (ScanOp scan : core.getBlock().getOps<ScanOp>())
    if (auto inner = dependence.bodies.find(scan); inner != dependence.bodies.end()) {
      os << "in @" << scan.getCallee() << ":\n";
      printValues(scan.getBody(), *inner->second, os);
    }
}

void printDependence(GraphOp core, const Dependence &dependence, llvm::raw_ostream &os) {
  if (dependence.sequence)
    printValues(core, dependence, os);
  if (dependence.extendable())
    return;
  // A path means that later rows are read; the other reasons lie in the signature.
  os << (dependence.path.empty() ? "cannot be extended: " : "not causal: ") << dependence.refusal << "\n";
  if (!dependence.path.empty())
    os << "path: " << llvm::join(dependence.path, " -> ") << "\n";
}

void emitRefusal(GraphOp core, const Dependence &dependence) {
  InFlightDiagnostic error = emitError(dependence.refusalLoc.value_or(core.getLoc()))
                             << "graph @" << core.getSymName() << " cannot be extended: " << dependence.refusal;
  if (!dependence.path.empty())
    error.attachNote(core.getLoc()) << "the path: " << llvm::join(dependence.path, " -> ");
  if (std::optional<Witness> witness = findWitness(core, dependence))
    error.attachNote(core.getLoc()) << witness->text(core);
}
} // namespace nova
