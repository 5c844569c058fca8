// nova check: the signature and its proof, how rows depend on the arguments, the state of the derived extend, warnings.
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/Witness.h"
#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/derive/Extend.h"
#include "dialects/graph/Text.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/Picture.h"
#include "tools/nova/PictureSizes.h"
#include "tools/nova/Process.h"
#include "tools/nova/RandomArguments.h"
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

// What --picture and --sizes ask for.
struct PictureRequest {
  std::string option; // begins messages
  Bindings sizes;
};
} // namespace

static void addExtend(GraphOp core, const ExtendGraph &extend, Report &report) {
  GraphOp step = coreGraph(*extend.module);
  for (unsigned i = 0; i < extend.numStates; i++) {
    unsigned at = core.getNumGraphArguments() + i;
    report.states.push_back({step.getArgName(at).str(), toString(mlir::Type(step.getArgumentType(at)))});
  }
}

static std::string stateText(const Report &report) {
  return join(map_range(report.states, [](const State &state) { return state.name + ": " + state.type; }), ", ");
}

static Expected<std::string> draw(GraphOp graph, GraphOp core, const Dependence &dependence, const Report &report,
                                  const PictureRequest &request) {
  Expected<Bindings> sizes = chooseSizes(graph, dependence.sequence, request.sizes, request.option);
  if (!sizes)
    return sizes.takeError();
  return drawPicture({graph, core, dependence, stateText(report), *sizes, request.option});
}

// The picture goes to `picture` where there is a request for it.
static Error examine(Workspace &workspace, GraphOp graph, Report &report, const PictureRequest *request,
                     std::string &picture) {
  report.graph = graph.getSymName().str();
  report.signature = signatureText(graph);
  TypeBindings types;
  if (graph == workspace.getGraph())
    types = workspace.getTypeBindings();
  mlir::OwningOpRef<mlir::ModuleOp> module = buildCoreForm(graph, types);
  if (!module)
    return reported();
  GraphOp core = coreGraph(*module);
  std::vector<std::string> results;
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    results.push_back(graph.getResultName(i));
  if (graph == workspace.getGraph() && failed(bindStorage(core, results, workspace.getStorage())))
    return reported();
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
  if (!request)
    return Error::success();
  Expected<std::string> drawn = draw(graph, core, dependence, report, *request);
  if (!drawn)
    return drawn.takeError();
  picture = std::move(*drawn);
  return Error::success();
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
             << meaningOf(argument.dependence) << (argument.isParam ? "; bound once" : "") << "\n";
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
  outs() << (report.states.empty() ? "none" : stateText(report)) << "\n";
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

// None where no picture is asked for.
static Expected<std::optional<PictureRequest>> readRequest(GraphOp graph) {
  if (options::picture.empty() && options::picture.getNumOccurrences() > 0)
    return badInput("--picture: expected a file, or - for standard output");
  if (options::picture.empty()) {
    if (!options::sizes.empty())
      return badInput("--sizes " + options::sizes.front() + ": expected --picture too, which is drawn at these sizes");
    return std::nullopt;
  }
  PictureRequest request{"--picture " + options::picture, {}};
  if (options::picture == "-" && options::json)
    return badInput(request.option + ": expected a file, since --json has standard output");
  if (std::string problem = options::picture == "-" ? "" : OutputFiles::problemWith(options::picture); !problem.empty())
    return badInput(request.option + ": " + problem);
  for (const std::string &option : options::sizes) {
    request.option = "--sizes " + option;
    if (Error error = readSizes(graph, request.option, option, request.sizes))
      return std::move(error);
  }
  return request;
}

static Error check(Workspace &workspace) {
  std::vector<GraphOp> graphs = workspace.getProgram().getOwnGraphs();
  if (!options::entry.empty())
    graphs = {workspace.getGraph()};
  Expected<std::optional<PictureRequest>> request = readRequest(workspace.getGraph());
  if (!request)
    return request.takeError();
  json::Array list;
  std::string picture;
  for (GraphOp graph : graphs) {
    Report report;
    bool isDrawn = *request && graph == workspace.getGraph();
    if (Error error = examine(workspace, graph, report, isDrawn ? &**request : nullptr, picture))
      return error;
    if (options::json)
      list.push_back(toJson(report));
    else if (options::picture != "-")
      print(report);
  }
  if (options::json)
    outs() << json::Value(json::Object{{"graphs", std::move(list)}}) << "\n";
  if (workspace.getDiagnostics().getNumErrors())
    return reported();
  return *request ? writeOutput(options::picture, picture) : Error::success();
}

int checkCommand() {
  Workspace workspace;
  return workspace.open() ? exitWith(check(workspace)) : BadInput;
}
} // namespace nova::tool
