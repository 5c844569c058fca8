// nova diff: what two graphs do differently, in their own words.
#include "compiler/pipeline/DiagnosticPrinter.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/GraphDiff.h"
#include "tools/nova/Options.h"
#include "tools/nova/Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace llvm;

namespace nova::tool {
namespace {
struct GraphReport {
  GraphOp before, after;
  std::vector<Change> changes;
};
} // namespace

static std::string placeText(mlir::Location location) {
  mlir::FileLineColLoc file = findFileLocation(location);
  return file ? file.getFilename().str() + ":" + std::to_string(file.getLine()) : "";
}

// `- old.nova:7: %S = divide %QK, %rd`.
static void printSide(char sign, StringRef text, mlir::Location at) {
  if (text.empty())
    return;
  std::string place = placeText(at);
  outs() << "    " << sign << " " << place << (place.empty() ? "" : ": ") << text << "\n";
}

static void print(ArrayRef<GraphReport> reports) {
  for (const GraphReport &report : reports) {
    GraphOp before = report.before, after = report.after;
    outs() << "graph @" << before.getSymName();
    if (before.getSymName() != after.getSymName())
      outs() << " and graph @" << after.getSymName();
    outs() << (report.changes.empty() ? ": the same\n" : "\n");
    for (const Change &change : report.changes) {
      outs() << "  " << change.what << "\n";
      printSide('-', change.before, change.beforeAt);
      printSide('+', change.after, change.afterAt);
    }
  }
}

static json::Value sideJson(StringRef text, mlir::Location at) {
  if (text.empty())
    return nullptr;
  json::Object object{{"text", text}};
  if (mlir::FileLineColLoc file = findFileLocation(at)) {
    object["file"] = file.getFilename().getValue();
    object["line"] = file.getLine();
  }
  return object;
}

static json::Value toJson(ArrayRef<GraphReport> reports, bool same) {
  json::Array graphs;
  for (const GraphReport &report : reports) {
    GraphOp before = report.before, after = report.after;
    json::Array changes;
    for (const Change &change : report.changes)
      changes.push_back(json::Object{{"what", change.what},
                                     {"before", sideJson(change.before, change.beforeAt)},
                                     {"after", sideJson(change.after, change.afterAt)}});
    graphs.push_back(
        json::Object{{"before", before.getSymName()}, {"after", after.getSymName()}, {"changes", std::move(changes)}});
  }
  return json::Object{{"same", same}, {"graphs", std::move(graphs)}};
}

static Error diff() {
  if (options::firstFile == "-" && options::secondFile == "-")
    return badInput("standard input is given twice");
  Workspace workspace;
  std::unique_ptr<Program> before = workspace.load(options::firstFile);
  std::unique_ptr<Program> after = before ? workspace.load(options::secondFile) : nullptr;
  if (!after)
    return reported();
  StringRef otherName = options::otherEntry.empty() ? options::entry : options::otherEntry;
  GraphOp first = findGraph(*before, options::firstFile, options::entry);
  GraphOp second = first ? findGraph(*after, options::secondFile, otherName) : GraphOp();
  if (!second)
    return reported();
  GraphHashes ours(before->getModule()), theirs(after->getModule());
  std::vector<GraphReport> reports;
  std::vector<std::pair<GraphOp, GraphOp>> open = {{first, second}};
  std::set<std::pair<mlir::Operation *, mlir::Operation *>> met = {{first, second}};
  for (size_t i = 0; i < open.size(); i++) {
    auto [left, right] = open[i];
    mlir::FailureOr<GraphDifference> difference = diffGraphs({left, &ours}, {right, &theirs});
    if (failed(difference))
      return reported();
    reports.push_back({left, right, std::move(difference->changes)});
    for (auto callees : difference->callees)
      if (met.insert({callees.first, callees.second}).second)
        open.push_back(callees);
  }
  bool same = *ours.semanticHash(first) == *theirs.semanticHash(second);
  if (options::json)
    outs() << toJson(reports, same) << "\n";
  else
    print(reports);
  return same ? Error::success() : reported(NotHeld);
}

int diffCommand() { return exitWith(diff()); }
} // namespace nova::tool
