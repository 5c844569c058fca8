#include "tools/nova-lsp-server/Repair.h"
#include "compiler/pipeline/SourceScan.h"
#include "mlir/Parser/Parser.h"
#include "tools/source/SourceOutline.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include <set>

using namespace llvm;

namespace nova::lsp {
using tool::OutlineGraph;
using tool::OutlineLine;

namespace {
class Repairer {
public:
  Repairer(mlir::MLIRContext &context, StringRef text, StringRef file)
      : context(context), text(text), file(file), outline(tool::outlineSource(text)), states(outline.size()) {}

  RepairedText run() {
    RepairedText result;
    // Each round blanks at least a line. An editor waits: of a long text fewer faults are told.
    constexpr size_t mostRounds = 100, mostBytes = size_t(1) << 24;
    size_t rounds = std::min(mostRounds, 2 + mostBytes / (text.size() + 1));
    for (size_t round = 0; round < rounds; round++) {
      result.graphs = std::make_unique<mlir::Block>();
      std::optional<Finding> fault = parse(repaired(), *result.graphs);
      if (!fault)
        break;
      result.graphs = std::make_unique<mlir::Block>();
      if (!repair(*fault))
        break;
    }
    result.faults = std::move(faults);
    return result;
  }

private:
  struct GraphState {
    bool faulty = false;   // has been changed
    bool hopeless = false; // is left out
    std::set<const OutlineLine *> blanked;
    StringSet<> lost; // values that blanked lines define
  };

  std::optional<Finding> parse(const std::string &source, mlir::Block &block) {
    std::vector<Finding> found;
    FindingCollector collector(context, found);
    if (SourceScan scan = scanSource(source); scan.fault) {
      auto [line, column] = lineAndColumn(source, scan.fault->offset);
      return Finding{mlir::DiagnosticSeverity::Error, file.str(), line, column, scan.fault->message, {}};
    }
    SourceMgr sources;
    sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(source, file), SMLoc());
    if (succeeded(mlir::parseSourceFile(sources, &block, mlir::ParserConfig(&context, /*verifyAfterParse=*/false))))
      return std::nullopt;
    assert(!found.empty() && "the parser says what it refuses");
    return std::move(found.front());
  }

  // False when nothing more can be done.
  bool repair(Finding fault) {
    if (fault.line == 0)
      return false;
    size_t offset = offsetOf(text, fault.line, fault.column);
    const OutlineGraph *graph = tool::graphAt(outline, offset);
    // A graph without an end is found out where the next one begins.
    if (graph && graph != &outline.front() && offset == graph->begin && !std::prev(graph)->closed &&
        !states[graph - outline.data() - 1].faulty)
      graph = std::prev(graph);
    // Or where the text ends: what follows it was read as a part of it.
    if (!graph)
      for (const OutlineGraph &each : outline)
        if (!each.closed && !states[&each - outline.data()].faulty)
          graph = &each;
    if (!graph) {
      report(std::move(fault));
      return false;
    }
    GraphState &state = states[graph - outline.data()];
    state.faulty = true;
    const OutlineLine *line = graph->hasBody() && offset >= graph->body ? graph->lineAt(offset) : nullptr;
    if (line && offset == line->begin && line != &graph->lines.front() &&
        !StringRef(fault.message).contains("redefin") && !StringRef(fault.message).contains("defined twice")) {
      // Where a line begins the one before has not ended.
      const OutlineLine *before = std::prev(line);
      if (!state.blanked.count(before)) {
        line = before;
        std::tie(fault.line, fault.column) = lineAndColumn(text, line->end);
      }
    }
    if (!line || !state.blanked.insert(line).second) {
      if (state.hopeless)
        return false;
      state.hopeless = true;
      report(std::move(fault));
      return true;
    }
    bool follows = any_of(line->uses, [&](StringRef name) { return state.lost.contains(name); });
    for (StringRef name : line->defines)
      state.lost.insert(name);
    if (!follows)
      report(std::move(fault));
    return true;
  }

  void report(Finding fault) {
    if (faults.empty() || std::pair(faults.back().line, faults.back().column) != std::pair(fault.line, fault.column))
      faults.push_back(std::move(fault));
  }

  // The text with blanks; a graph that has been changed ends in some `return` and a brace.
  std::string repaired() const {
    std::string source = text.str();
    auto blank = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++)
        if (source[i] != '\n' && source[i] != '\r')
          source[i] = ' ';
    };
    for (size_t i = outline.size(); i-- > 0;) {
      const OutlineGraph &graph = outline[i];
      const GraphState &state = states[i];
      StringRef value = graph.arguments.empty() ? "" : graph.arguments.front();
      for (const OutlineLine &line : graph.lines) {
        if (state.blanked.count(&line))
          blank(line.begin, line.end);
        else if (!line.defines.empty() && !line.isReturn)
          value = line.defines.front();
      }
      if (!state.faulty)
        continue;
      if (state.hopeless || value.empty() || !graph.hasBody()) {
        blank(graph.begin, graph.end);
        continue;
      }
      bool returns =
          any_of(graph.lines, [&](const OutlineLine &line) { return line.isReturn && !state.blanked.count(&line); });
      std::string ending = (returns ? "" : " return " + value.str()) + (graph.closed ? "" : " }");
      source.insert(graph.closed ? graph.end - 1 : graph.end, ending + (graph.closed ? "" : " "));
    }
    return source;
  }

  mlir::MLIRContext &context;
  StringRef text, file;
  std::vector<OutlineGraph> outline;
  std::vector<GraphState> states;
  std::vector<Finding> faults;
};
} // namespace

RepairedText readWithRepair(mlir::MLIRContext &context, StringRef text, StringRef file) {
  return Repairer(context, text, file).run();
}
} // namespace nova::lsp
