#include "tools/source/SourceOutline.h"
#include "tools/source/Statement.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nova::tool {
const OutlineLine *OutlineGraph::lineAt(size_t offset) const {
  const OutlineLine *found = nullptr;
  for (const OutlineLine &line : lines)
    if (line.begin <= offset)
      found = &line;
  return found;
}

const OutlineGraph *graphAt(const std::vector<OutlineGraph> &graphs, size_t offset) {
  const OutlineGraph *found = nullptr;
  for (const OutlineGraph &graph : graphs)
    if (graph.begin <= offset && offset <= graph.end)
      found = &graph;
  return found;
}

namespace {
class Outliner {
public:
  explicit Outliner(StringRef source) : source(source), tokens(tokenizeSource(source)) {
    // A comment ends a line, too.
    unsigned breaks = 0;
    for (SourceToken &token : tokens) {
      breaks += std::exchange(token.lineBreaks, 0);
      if (token.kind != SourceToken::Comment)
        token.lineBreaks = std::exchange(breaks, 0);
    }
    erase_if(tokens, [](const SourceToken &token) { return token.kind == SourceToken::Comment; });
  }

  std::vector<OutlineGraph> run() {
    while (at < tokens.size()) {
      if (beginsGraph(at))
        graph();
      else
        at++;
    }
    return std::move(graphs);
  }

private:
  bool is(size_t i, StringRef sign) const { return i < tokens.size() && tokens[i].is(sign); }
  bool isValue(size_t i) const { return i < tokens.size() && tokens[i].kind == SourceToken::Value; }
  bool beginsSourceLine(size_t i) const { return i == 0 || tokens[i].lineBreaks > 0; }
  size_t end(size_t i) const { return tokens[i].begin(source) + tokens[i].text.size(); }

  bool beginsGraph(size_t i) const {
    return is(i, "graph") && i + 1 < tokens.size() && tokens[i + 1].kind == SourceToken::Symbol &&
           (beginsSourceLine(i) || is(i - 1, "}"));
  }

  // `%a, %b =` from here on, in one line of the text: what a comma announces may be missing.
  bool namesThenEquals(size_t i) const {
    for (size_t first = i; isValue(i) && (i == first || !beginsSourceLine(i));) {
      i++;
      if (is(i, ":") && i + 1 < tokens.size() && tokens[i + 1].kind == SourceToken::Number)
        i += 2;
      if (is(i, "="))
        return true;
      if (!is(i, ","))
        return false;
      i++;
    }
    return false;
  }

  // Nothing before announces that a line goes on.
  bool isComplete(size_t before) const {
    const SourceToken &token = tokens[before];
    return token.kind != SourceToken::Sign || closesBracket(token) || token.is("{");
  }

  bool beginsLine(size_t i, unsigned depth) const {
    if (beginsSourceLine(i) && namesThenEquals(i))
      return true;
    if (depth)
      return false;
    if (is(i, "return"))
      return !is(i - 1, "=");
    if (isValue(i) && namesThenEquals(i) && !is(i - 1, ","))
      return true;
    return beginsSourceLine(i) && isComplete(i - 1);
  }

  void graph() {
    OutlineGraph &graph = graphs.emplace_back();
    graph.begin = tokens[at].begin(source);
    graph.name = tokens[at + 1].text.drop_front();
    for (at += 2; at < tokens.size() && !beginsGraph(at) && !is(at, "{"); at++)
      if (isValue(at) && is(at + 1, ":"))
        graph.arguments.push_back(tokens[at].text);
    if (is(at, "{")) {
      graph.body = end(at++);
      body(graph);
    }
    graph.end = graph.closed ? end(at - 1) : at < tokens.size() ? tokens[at].begin(source) : source.size();
    if (graph.body == 0)
      graph.body = graph.end;
  }

  void body(OutlineGraph &graph) {
    unsigned depth = 0;
    bool afterEquals = false;
    for (; at < tokens.size() && !beginsGraph(at); at++) {
      const SourceToken &token = tokens[at];
      if (depth == 0 && token.is("}")) {
        graph.closed = true;
        at++;
        return;
      }
      if (graph.lines.empty() || beginsLine(at, depth)) {
        depth = 0;
        afterEquals = token.is("return");
        graph.lines.push_back({token.begin(source), 0, token.is("return"), {}, {}});
      }
      OutlineLine &line = graph.lines.back();
      line.end = end(at);
      afterEquals |= token.is("=");
      if (token.kind == SourceToken::Value)
        (afterEquals ? line.uses : line.defines).push_back(token.text);
      depth += opensBracket(token);
      depth -= depth && closesBracket(token);
    }
  }

  StringRef source;
  std::vector<SourceToken> tokens;
  size_t at = 0;
  std::vector<OutlineGraph> graphs;
};
} // namespace

std::vector<OutlineGraph> outlineSource(StringRef source) { return Outliner(source).run(); }
} // namespace nova::tool
