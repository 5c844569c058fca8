#include "tools/nova-lsp-server/Answers.h"
#include "compiler/pipeline/SourceFile.h"
#include "dialects/graph/Text.h"
#include "tools/nova-lsp-server/Places.h"
#include "tools/nova/Signature.h"
#include "tools/source/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nova::lsp {
namespace protocol = mlir::lsp;
using tool::OutlineGraph;
using tool::OutlineLine;
using tool::SourceToken;

static protocol::DiagnosticSeverity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return protocol::DiagnosticSeverity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return protocol::DiagnosticSeverity::Warning;
  case mlir::DiagnosticSeverity::Note:
  case mlir::DiagnosticSeverity::Remark:
    return protocol::DiagnosticSeverity::Information;
  }
  llvm_unreachable("a severity is one of the four");
}

// What is found in another file is told at the beginning of this one.
static std::string messageIn(const Analysis &analysis, const Finding &finding) {
  if (finding.file.empty() || finding.file == analysis.getFile())
    return finding.message;
  return finding.file + ":" + std::to_string(finding.line) + ":" + std::to_string(finding.column) + ": " +
         finding.message;
}

static protocol::Range rangeIn(const Analysis &analysis, const Finding &finding) {
  bool isHere = finding.line && finding.file == analysis.getFile();
  StringRef text = analysis.getText();
  return isHere ? tokenRange(text, offsetOf(text, finding.line, finding.column))
                : protocol::Range(protocol::Position());
}

std::vector<protocol::Diagnostic> diagnosticsOf(const Analysis &analysis) {
  std::vector<protocol::Diagnostic> list;
  for (const Finding &finding : analysis.getFindings()) {
    protocol::Diagnostic &diagnostic = list.emplace_back();
    diagnostic.source = "nova";
    diagnostic.severity = severityOf(finding.severity);
    diagnostic.message = messageIn(analysis, finding);
    diagnostic.range = rangeIn(analysis, finding);
    std::vector<protocol::DiagnosticRelatedInformation> notes;
    for (const Finding &note : finding.notes) {
      Expected<protocol::URIForFile> uri = protocol::URIForFile::fromFile(note.file);
      if (uri)
        notes.push_back({protocol::Location(*uri, rangeIn(analysis, note)), note.message});
      else
        consumeError(uri.takeError());
    }
    if (!notes.empty())
      diagnostic.relatedInformation = std::move(notes);
  }
  return list;
}

namespace {
// A graph that some text defines.
struct FoundGraph {
  std::string file;
  std::unique_ptr<MemoryBuffer> owner; // of the text, where it is another file's
  StringRef text;
  OutlineGraph graph;
};
} // namespace

// In this text, else in the files where a call looks.
static std::optional<FoundGraph> findDefinition(Analysis &analysis, StringRef name, const SourceOptions &options) {
  for (const OutlineGraph &graph : analysis.getOutline())
    if (graph.name == name)
      return FoundGraph{analysis.getFile().str(), nullptr, analysis.getText(), graph};
  for (const std::string &path : candidateFiles(name, options)) {
    Expected<std::unique_ptr<MemoryBuffer>> file = readSourceFile(path);
    if (!file) {
      consumeError(file.takeError());
      continue;
    }
    StringRef text = (*file)->getBuffer();
    for (const OutlineGraph &graph : tool::outlineSource(text))
      if (graph.name == name)
        return FoundGraph{path, std::move(*file), text, graph};
    return std::nullopt; // the first file must have it
  }
  return std::nullopt;
}

static std::string hoverText(Analysis &analysis, const SourceToken &token, const SourceOptions &options) {
  StringRef text = analysis.getText();
  auto code = [](const Twine &words) { return ("```nova\n" + words + "\n```\n").str(); };
  if (token.kind == SourceToken::Symbol) {
    StringRef name = token.text.drop_front();
    if (GraphOp graph = analysis.findGraph(name)) {
      std::string doc = graph.getDocAttr() ? graph.getDocAttr().getValue().str() : "";
      return code(tool::signatureText(graph)) + doc;
    }
    std::optional<FoundGraph> found = findDefinition(analysis, name, options);
    // As it is written, up to its body.
    return found ? code(found->text.slice(found->graph.begin, found->graph.body).rtrim("{ \r\n")) : "";
  }
  const OutlineGraph *graph = tool::graphAt(analysis.getOutline(), token.begin(text));
  if (token.kind != SourceToken::Value || !graph)
    return "";
  mlir::Value value = analysis.findValue(graph->name, token.text);
  if (!value)
    return "";
  std::string dependence = analysis.dependenceOf(graph->name, token.text);
  return code(token.text + ": " + toString(value.getType())) + (dependence.empty() ? "" : "row i reads " + dependence);
}

std::optional<protocol::Hover> hoverAt(Analysis &analysis, protocol::Position position, const SourceOptions &options) {
  std::optional<SourceToken> token = tokenAt(analysis.getText(), toOffset(analysis.getText(), position));
  std::string words = token ? hoverText(analysis, *token, options) : "";
  if (words.empty())
    return std::nullopt;
  protocol::Hover hover(tokenRange(analysis.getText(), token->begin(analysis.getText())));
  hover.contents.value = std::move(words);
  return hover;
}

std::vector<protocol::Location> definitionAt(Analysis &analysis, const protocol::URIForFile &uri,
                                             protocol::Position position, const SourceOptions &options) {
  StringRef text = analysis.getText();
  std::optional<SourceToken> token = tokenAt(text, toOffset(text, position));
  if (!token)
    return {};
  if (token->kind == SourceToken::Symbol) {
    std::optional<FoundGraph> found = findDefinition(analysis, token->text.drop_front(), options);
    if (!found)
      return {};
    protocol::Range range = tokenRange(found->text, found->graph.name.data() - found->text.data() - 1);
    if (!found->owner)
      return {protocol::Location(uri, range)};
    SmallString<128> path(found->file);
    sys::fs::make_absolute(path);
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    Expected<protocol::URIForFile> other = protocol::URIForFile::fromFile(path);
    if (!other) {
      consumeError(other.takeError());
      return {};
    }
    return {protocol::Location(*other, range)};
  }
  const OutlineGraph *graph = tool::graphAt(analysis.getOutline(), token->begin(text));
  if (token->kind != SourceToken::Value || !graph)
    return {};
  auto at = [&](StringRef name) {
    return std::vector{protocol::Location(uri, tokenRange(text, name.data() - text.data()))};
  };
  for (StringRef name : graph->arguments)
    if (name == token->text)
      return at(name);
  for (const OutlineLine &line : graph->lines)
    for (StringRef name : line.defines)
      if (name == token->text)
        return at(name);
  return {};
}

static protocol::CompletionItem makeItem(StringRef name, protocol::CompletionItemKind kind, std::string detail = "") {
  protocol::CompletionItem item(name, kind);
  item.detail = std::move(detail);
  return item;
}

// `a.b` for a/b.nova below a folder, `std.a.b` in std_lib.
static void addGraphsBelow(StringRef folder, StringRef prefix, std::vector<protocol::CompletionItem> &items) {
  constexpr size_t most = 2000;
  std::error_code code;
  for (sys::fs::recursive_directory_iterator it(folder, code), end; it != end && !code && items.size() < most;
       it.increment(code)) {
    StringRef path = it->path();
    if (!path.ends_with(".nova") || !path.consume_front(folder))
      continue;
    std::string name = path.drop_back(StringRef(".nova").size()).ltrim('/').str();
    std::replace(name.begin(), name.end(), '/', '.');
    items.push_back(makeItem(prefix.str() + name, protocol::CompletionItemKind::Function));
  }
}

protocol::CompletionList completionAt(Analysis &analysis, protocol::Position position, const SourceOptions &options) {
  using Kind = protocol::CompletionItemKind;
  protocol::CompletionList list;
  StringRef text = analysis.getText(), before = text.take_front(toOffset(text, position));
  StringRef line = before.drop_front(before.rfind('\n') + 1);
  if (line.contains("//"))
    return list;
  // The word that has been begun, and what stands before it.
  auto continues = [](char c) { return isAlnum(c) || StringRef("_$.").contains(c); };
  while (!before.empty() && continues(before.back()))
    before = before.drop_back();
  bool touching = !before.empty() && StringRef("%@").contains(before.back());
  char sign = touching ? before.back() : before.rtrim().empty() ? 0 : before.rtrim().back();
  const OutlineGraph *graph = tool::graphAt(analysis.getOutline(), before.size());
  bool inBody = graph && graph->hasBody() && before.size() >= graph->body;
  if (sign == '%' && graph) {
    auto add = [&](StringRef name) {
      mlir::Value value = analysis.findValue(graph->name, name);
      list.items.push_back(makeItem(name.drop_front(), Kind::Variable, value ? toString(value.getType()) : ""));
    };
    for_each(graph->arguments, add);
    for (const OutlineLine &each : graph->lines)
      if (each.end < before.size())
        for_each(each.defines, add);
  } else if (sign == '@') {
    for (const OutlineGraph &each : analysis.getOutline())
      list.items.push_back(makeItem(each.name, Kind::Function));
    for (const std::string &folder : options.includeDirs)
      addGraphsBelow(folder, "", list.items);
    addGraphsBelow(options.stdLibDir, "std.", list.items);
  } else if (sign == '=' && inBody) {
    for (const std::string &name : analysis.operations())
      list.items.push_back(makeItem(name, Kind::Function));
  } else if (sign == ':') {
    for (StringRef name : {"f64", "f32", "i64", "i32", "i1", "bf16", "f16", "i8", "i4"})
      list.items.push_back(makeItem(name, Kind::Class));
  }
  return list;
}

std::vector<protocol::DocumentSymbol> symbolsOf(Analysis &analysis) {
  StringRef text = analysis.getText();
  std::vector<protocol::DocumentSymbol> symbols;
  auto at = [&](StringRef name) { return tokenRange(text, name.data() - text.data()); };
  for (const OutlineGraph &graph : analysis.getOutline()) {
    protocol::DocumentSymbol &symbol = symbols.emplace_back(
        "@" + graph.name, protocol::SymbolKind::Function,
        protocol::Range(toPosition(text, graph.begin), toPosition(text, graph.end)), at(graph.name));
    auto add = [&](StringRef name, protocol::SymbolKind kind) {
      protocol::DocumentSymbol &child = symbol.children.emplace_back(name, kind, at(name), at(name));
      if (mlir::Value value = analysis.findValue(graph.name, name))
        child.detail = toString(value.getType());
    };
    for (StringRef name : graph.arguments)
      add(name, protocol::SymbolKind::Field);
    for (const OutlineLine &line : graph.lines)
      for (StringRef name : line.defines)
        add(name, protocol::SymbolKind::Variable);
  }
  return symbols;
}

std::vector<protocol::TextEdit> formattingOf(const Analysis &analysis) {
  StringRef text = analysis.getText();
  auto isError = [](const Finding &finding) { return finding.severity == mlir::DiagnosticSeverity::Error; };
  if (any_of(analysis.getFindings(), isError))
    return {};
  std::string formatted = tool::formatSource(text);
  if (formatted == text)
    return {};
  return {{protocol::Range(protocol::Position(), toPosition(text, text.size())), std::move(formatted)}};
}
} // namespace nova::lsp
