#include "compiler/pipeline/DiagnosticPrinter.h"
#include "dialects/graph/NovaDialect.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace nova {
static std::string unknownOperation(StringRef name, MLIRContext &context) {
  name.consume_front("nova.");
  std::string text = "unknown operation '" + name.str() + "'";
  StringRef best;
  unsigned least = std::max<size_t>(2, name.size() / 3) + 1;
  for (RegisteredOperationName known : context.getRegisteredOperations()) {
    if (known.getDialectNamespace() != "nova")
      continue;
    StringRef op = known.stripDialect();
    unsigned distance = name.edit_distance(op, /*AllowReplacements=*/true, least);
    // Names come in no fixed order.
    if (distance < least || (distance == least && !best.empty() && op < best)) {
      least = distance;
      best = op;
    }
  }
  if (!best.empty())
    text += "; did you mean '" + best.str() + "'";
  return text;
}

std::string plainMessage(StringRef message, MLIRContext &context) {
  if (message.consume_front("custom op '")) {
    auto [name, rest] = message.split("' ");
    if (rest.starts_with("is unknown"))
      return unknownOperation(name, context);
    message = rest;
  } else if (message.consume_front("'nova.")) {
    message = message.split("' ").second;
    message.consume_front("op ");
  }
  // What MLIR's parser says about the frame of an operation.
  static constexpr std::pair<StringLiteral, StringLiteral> wording[] = {
      {"expected operation name in quotes", "expected an operation, or '}' at the end of the graph"},
      {"operation defines 1 result", "expected one name before '='"},
      {"expected SSA operand", "expected a value such as %x"},
      {"expected valid '@'-identifier for symbol name", "expected the graph's name, such as @f"},
  };
  for (auto [theirs, ours] : wording)
    if (message.starts_with(theirs))
      return ours.str();
  std::string text = message.str();
  for (size_t at; (at = text.find("SSA value name")) != std::string::npos;)
    text.replace(at, StringRef("SSA value name").size(), "value");
  for (size_t at; (at = text.find("SSA ")) != std::string::npos;)
    text.erase(at, 4);
  return text;
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("a severity is one of the four");
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, std::shared_ptr<llvm::SourceMgr> sources,
                                     llvm::raw_ostream &os, bool asJson)
    : context(context), sources(std::move(sources)), os(os), asJson(asJson) {
  context.printOpOnDiagnostic(false);
  handler = context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    print(diagnostic);
    return success();
  });
}
DiagnosticPrinter::~DiagnosticPrinter() { context.getDiagEngine().eraseHandler(handler); }

static llvm::json::Object toJson(Location location, DiagnosticSeverity severity, StringRef message) {
  llvm::json::Object object{{"severity", severityName(severity)}, {"message", message.str()}};
  if (FileLineColLoc file = findFileLocation(location)) {
    object["file"] = file.getFilename().getValue();
    if (file.getLine()) {
      object["line"] = file.getLine();
      object["column"] = file.getColumn();
    }
  }
  return object;
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  std::string message = plainMessage(diagnostic.str(), context);
  if (!asJson) {
    shown = {};
    printText(diagnostic.getLocation(), diagnostic.getSeverity(), message);
    for (Diagnostic &note : diagnostic.getNotes())
      printText(note.getLocation(), note.getSeverity(), plainMessage(note.str(), context));
    return;
  }
  llvm::json::Object object = toJson(diagnostic.getLocation(), diagnostic.getSeverity(), message);
  llvm::json::Array notes;
  for (Diagnostic &note : diagnostic.getNotes())
    notes.push_back(toJson(note.getLocation(), note.getSeverity(), plainMessage(note.str(), context)));
  object["notes"] = std::move(notes);
  os << llvm::json::Value(std::move(object)) << "\n";
}

// The text of line `line` of the buffer called `name`; nothing when there is no such buffer or line.
static std::optional<StringRef> findLine(llvm::SourceMgr &sources, StringRef name, unsigned line) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); id++) {
    const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
    if (buffer->getBufferIdentifier() != name)
      continue;
    SMLoc start = sources.FindLocForLineAndColumn(id, line, 1);
    if (!start.isValid() || start.getPointer() > buffer->getBufferEnd())
      return std::nullopt;
    return StringRef(start.getPointer(), buffer->getBufferEnd() - start.getPointer()).take_until([](char c) {
      return c == '\n';
    });
  }
  return std::nullopt;
}

void DiagnosticPrinter::printText(Location location, DiagnosticSeverity severity, StringRef message) {
  FileLineColLoc file = findFileLocation(location);
  if (file && file.getLine())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn() << ": ";
  else if (file)
    os << file.getFilename().getValue() << ": ";
  os << severityName(severity) << ": " << message << "\n";
  // Notes at one place show its line once.
  if (file && file.getLine() && sources && file != shown)
    printLine(file);
  shown = file;
}

void DiagnosticPrinter::printLine(FileLineColLoc file) {
  std::optional<StringRef> line = findLine(*sources, file.getFilename().getValue(), file.getLine());
  if (!line)
    return;
  // Of a very long line only the part around the place is shown.
  constexpr size_t width = 160, before = 80;
  size_t column = std::min<size_t>(std::max(1u, file.getColumn()) - 1, line->size());
  size_t from = column > width ? column - before : 0;
  StringRef part = line->substr(from, width + before).rtrim();
  os << "  ";
  for (char c : part)
    os << (static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  os << "\n  ";
  // Columns count bytes; a character of several bytes takes one place.
  for (char c : part.take_front(column - from))
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
      os << ' ';
  os << "^\n";
}
} // namespace nova
