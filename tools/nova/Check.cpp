// nova check: the signature and its proof, how rows depend on the arguments, the state of the derived extend, warnings.
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/Witness.h"
#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/derive/Extend.h"
#include "dialects/graph/Text.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Exit.h"
#include "tools/nova/Options.h"
#include "tools/nova/Signature.h"
#include "tools/nova/Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
namespace {
struct Argument {
  std::string name;
  DependenceClass dependence;
  bool isParam;
};
struct State {
  std::string name, type;
};

// What check finds out about one graph.
struct Report {
  std::string graph, signature, sequence; // sequence: "" when there is none
  std::vector<Argument> arguments;
  std::vector<std::string> values; // one line each
  std::string refusal;             // why there is no extend, "" when there is one
  std::vector<std::string> path;
  std::string witness; // two inputs and the earlier row that changes, "" when none was found
  std::vector<State> states;
};
} // namespace

static StringRef explain(DependenceClass c) {
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

static void addExtend(GraphOp core, const ExtendGraph &extend, Report &report) {
  GraphOp step = coreGraph(*extend.module);
  for (unsigned i = 0; i < extend.numStates; i++) {
    unsigned at = core.getNumGraphArguments() + i;
    report.states.push_back({step.getArgName(at).str(), toString(mlir::Type(step.getArgumentType(at)))});
  }
}

static bool examine(Workspace &workspace, GraphOp graph, Report &report) {
  report.graph = graph.getSymName().str();
  report.signature = signatureText(graph);
  TypeBindings types;
  if (graph == workspace.getGraph())
    types = workspace.getTypeBindings();
  mlir::OwningOpRef<mlir::ModuleOp> module = buildCoreForm(graph, types);
  if (!module)
    return false;
  GraphOp core = coreGraph(*module);
  std::vector<std::string> results;
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    results.push_back(graph.getResultName(i));
  if (graph == workspace.getGraph() && failed(bindStorage(core, results, workspace.getStorage())))
    return false;
  mlir::StringAttr along;
  if (!options::along.empty())
    along = mlir::StringAttr::get(core.getContext(), options::along);
  Dependence dependence = analyseDependence(core, along);
  ExtendGraph extend = tryDeriveExtend(core, dependence);
  if (dependence.sequence)
    report.sequence = dependence.sequence.str();
  for (auto [i, c] : enumerate(dependence.arguments))
    report.arguments.push_back({core.getArgName(i).str(), c, core.isParam(i)});
  if (options::verbose) {
    for (mlir::Value argument : core.getBlock().getArguments())
      report.values.push_back(dependenceText(argument, dependence));
    for (mlir::Operation &op : core.getBlock().without_terminator())
      for (mlir::Value result : op.getResults())
        if (!valueName(result).empty())
          report.values.push_back(dependenceText(result, dependence));
  }
  report.refusal = dependence.refusal;
  report.path.assign(dependence.path.begin(), dependence.path.end());
  for (const EmptyRow &row : findEmptyRows(core))
    mlir::emitWarning(row.op->getLoc()) << row.text();
  if (extend.module)
    addExtend(core, extend, report);
  else if (std::optional<Witness> witness = findWitness(core, dependence))
    report.witness = witness->text(core);
  return true;
}

static void print(const Report &report) {
  outs() << report.signature << "\n  signature   proved for every size\n";
  if (!report.sequence.empty()) {
    outs() << "  row i along " << report.sequence << " reads\n";
    size_t width = 10;
    for (const Argument &argument : report.arguments)
      width = std::max(width, argument.name.size() + 1);
    for (const Argument &argument : report.arguments)
      outs() << "    " << left_justify(argument.name, width) << left_justify(toString(argument.dependence), 13)
             << explain(argument.dependence) << (argument.isParam ? "; bound once" : "") << "\n";
  }
  for (const std::string &line : report.values)
    outs() << "    " << line << "\n";
  if (!report.refusal.empty()) {
    outs() << "  extend      no: " << report.refusal << "\n";
    if (!report.path.empty())
      outs() << "    path      " << join(report.path, " -> ") << "\n";
    SmallVector<StringRef> lines;
    StringRef(report.witness).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      outs() << "    " << line << "\n";
    return;
  }
  outs() << "  extend      derived; any split of the rows gives the bits of the whole run\n    state     ";
  if (report.states.empty())
    outs() << "none";
  interleaveComma(report.states, outs(), [](const State &state) { outs() << state.name << ": " << state.type; });
  outs() << "\n";
}

static json::Object toJson(const Report &report) {
  json::Array arguments, states;
  for (const Argument &argument : report.arguments)
    arguments.push_back(json::Object{
        {"name", argument.name}, {"dependence", toString(argument.dependence)}, {"param", argument.isParam}});
  for (const State &state : report.states)
    states.push_back(json::Object{{"name", state.name}, {"type", state.type}});
  json::Object object{
      {"graph", report.graph},       {"signature", report.signature},     {"proved", true},
      {"sequence", report.sequence}, {"arguments", std::move(arguments)}, {"extendable", report.refusal.empty()},
      {"state", std::move(states)}};
  if (!report.refusal.empty()) {
    object["refusal"] = report.refusal;
    object["path"] = json::Array(report.path);
    object["witness"] = report.witness;
  }
  if (!report.values.empty())
    object["values"] = json::Array(report.values);
  return object;
}

int checkCommand() {
  Workspace workspace;
  if (!workspace.open())
    return BadInput;
  std::vector<GraphOp> graphs = workspace.getProgram().getOwnGraphs();
  if (!options::entry.empty())
    graphs = {workspace.getGraph()};
  json::Array list;
  for (GraphOp graph : graphs) {
    Report report;
    if (!examine(workspace, graph, report))
      return BadInput;
    if (options::json)
      list.push_back(toJson(report));
    else
      print(report);
  }
  if (options::json)
    outs() << json::Value(json::Object{{"graphs", std::move(list)}}) << "\n";
  return workspace.getDiagnostics().getNumErrors() ? BadInput : Ok;
}
} // namespace nova::tool
