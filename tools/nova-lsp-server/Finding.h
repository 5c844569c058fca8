// What is said about a place of a text.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_FINDING_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_FINDING_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace nova::lsp {
struct Finding {
  mlir::DiagnosticSeverity severity;
  std::string file;
  unsigned line, column; // from 1, in bytes; 0 where the file as a whole is meant
  std::string message;
  std::vector<Finding> notes;
};

/// Collects the diagnostics of a context, in the language's words, while it lives.
class FindingCollector {
public:
  FindingCollector(mlir::MLIRContext &context, std::vector<Finding> &findings);
  ~FindingCollector();
  FindingCollector(const FindingCollector &) = delete;
  FindingCollector &operator=(const FindingCollector &) = delete;

private:
  mlir::MLIRContext &context;
  mlir::DiagnosticEngine::HandlerID handler;
};

/// The offset of a place in `text`; the end where the text is shorter.
size_t offsetOf(llvm::StringRef text, unsigned line, unsigned column);
/// The place of an offset.
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t offset);
} // namespace nova::lsp

#endif
