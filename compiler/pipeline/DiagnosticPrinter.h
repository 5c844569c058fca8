// How diagnostics reach the user: `file:line:col: error: message` with the line and a caret, or as JSON.
#ifndef NOVA_COMPILER_PIPELINE_DIAGNOSTICPRINTER_H
#define NOVA_COMPILER_PIPELINE_DIAGNOSTICPRINTER_H

#include "dialects/graph/Places.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>

namespace nova {
/// Prints every diagnostic of a context while it lives. MLIR's own wording is turned into the language's: no names of
/// its internals. `sources` holds the texts that locations point into (see SourceOptions::sources); `os` must outlive
/// the printer. As JSON each diagnostic is one object on a line of its own, with the members severity, message, file,
/// line, column (the last three only where known) and notes.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, std::shared_ptr<llvm::SourceMgr> sources, llvm::raw_ostream &os,
                    bool asJson = false);
  ~DiagnosticPrinter();
  DiagnosticPrinter(const DiagnosticPrinter &) = delete;
  DiagnosticPrinter &operator=(const DiagnosticPrinter &) = delete;

  unsigned getNumErrors() const { return errors; }

private:
  void print(mlir::Diagnostic &diagnostic);
  void printText(mlir::Location location, mlir::DiagnosticSeverity severity, llvm::StringRef message);
  void printLine(mlir::FileLineColLoc file);

  mlir::MLIRContext &context;
  std::shared_ptr<llvm::SourceMgr> sources;
  llvm::raw_ostream &os;
  bool asJson;
  unsigned errors = 0;
  mlir::FileLineColLoc shown; // the place whose line this diagnostic has shown last
  mlir::DiagnosticEngine::HandlerID handler;
};

/// `message` in the words of the language; an unknown operation gets a "did you mean" from the context's.
std::string plainMessage(llvm::StringRef message, mlir::MLIRContext &context);
} // namespace nova

#endif
