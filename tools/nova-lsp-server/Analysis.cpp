#include "tools/nova-lsp-server/Analysis.h"
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/EmptyRows.h"
#include "compiler/identity/StoredModule.h"
#include "compiler/transforms/CoreForm.h"

using namespace llvm;

namespace nova::lsp {
static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Analysis::Analysis(std::string source, std::string name, const SourceOptions &options)
    : text(std::move(source)), file(std::move(name)), outline(tool::outlineSource(text)),
      context(allDialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  RepairedText repaired = readWithRepair(context, text, file);
  graphs = std::move(repaired.graphs);
  findings = std::move(repaired.faults);
  if (!findings.empty())
    return;
  // What remains: calls, results, proofs.
  FindingCollector collector(context, findings);
  program = Program::parse(context, text, file, options);
  if (!program)
    return;
  for (GraphOp graph : program->getOwnGraphs())
    addDependence(graph);
}

void Analysis::addDependence(GraphOp graph) {
  mlir::OwningOpRef<mlir::ModuleOp> module = buildCoreForm(graph, {});
  if (!module)
    return;
  GraphOp core = coreGraph(*module);
  Dependence known = analyseDependence(core);
  for (const EmptyRow &row : findEmptyRows(core))
    mlir::emitWarning(row.op->getLoc()) << row.text();
  if (!known.sequence)
    return;
  StringMap<std::string> &texts = dependence[graph.getSymName()];
  auto add = [&](mlir::Value value) {
    // `%S: axis 0 pointwise`.
    std::string line = dependenceText(value, known);
    if (std::string name = valueName(value); !name.empty())
      texts[name] = StringRef(line).split(": ").second.str();
  };
  for (mlir::BlockArgument argument : core.getBlock().getArguments())
    add(argument);
  for (mlir::Operation &op : core.getBlock())
    for (mlir::Value result : op.getResults())
      add(result);
}

GraphOp Analysis::findGraph(StringRef name) {
  if (program)
    return program->getEntry(name);
  for (GraphOp graph : graphs->getOps<GraphOp>())
    if (graph.getSymName() == name)
      return graph;
  return {};
}

mlir::Value Analysis::findValue(StringRef graph, StringRef name) {
  GraphOp op = findGraph(graph);
  return op && name.consume_front("%") ? nova::findValue(op, name) : mlir::Value();
}

std::string Analysis::dependenceOf(StringRef graph, StringRef name) {
  auto found = dependence.find(graph);
  return found == dependence.end() ? "" : found->second.lookup(name);
}

std::vector<std::string> Analysis::operations() { return languageOperations(context); }
} // namespace nova::lsp
