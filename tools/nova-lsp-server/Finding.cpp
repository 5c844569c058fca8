#include "tools/nova-lsp-server/Finding.h"
#include "compiler/pipeline/DiagnosticPrinter.h"

using namespace llvm;

namespace nova::lsp {
static Finding toFinding(mlir::Diagnostic &diagnostic, mlir::MLIRContext &context) {
  Finding finding{diagnostic.getSeverity(), "", 0, 0, plainMessage(diagnostic.str(), context), {}};
  if (mlir::FileLineColLoc place = findFileLocation(diagnostic.getLocation())) {
    finding.file = place.getFilename().str();
    finding.line = place.getLine();
    finding.column = place.getColumn();
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    finding.notes.push_back(toFinding(note, context));
  return finding;
}

FindingCollector::FindingCollector(mlir::MLIRContext &context, std::vector<Finding> &findings) : context(context) {
  context.printOpOnDiagnostic(false);
  handler = context.getDiagEngine().registerHandler([&context, &findings](mlir::Diagnostic &diagnostic) {
    findings.push_back(toFinding(diagnostic, context));
    return mlir::success();
  });
}
FindingCollector::~FindingCollector() { context.getDiagEngine().eraseHandler(handler); }

size_t offsetOf(StringRef text, unsigned line, unsigned column) {
  size_t at = 0;
  for (unsigned i = 1; i < line; i++) {
    size_t next = text.find('\n', at);
    if (next == StringRef::npos)
      return text.size();
    at = next + 1;
  }
  return std::min(text.size(), at + (column ? column - 1 : 0));
}

std::pair<unsigned, unsigned> lineAndColumn(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  return {before.count('\n') + 1, offset - (before.rfind('\n') + 1) + 1};
}
} // namespace nova::lsp
