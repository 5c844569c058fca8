// What every command that reads a graph begins with: a context, diagnostics, the program, the graph to work on.
#ifndef NOVA_TOOLS_NOVA_WORKSPACE_H
#define NOVA_TOOLS_NOVA_WORKSPACE_H

#include "compiler/pipeline/DiagnosticPrinter.h"
#include "compiler/pipeline/Program.h"
#include "compiler/transforms/BindStorage.h"
#include "compiler/transforms/CoreForm.h"
#include "mlir/IR/MLIRContext.h"
#include <map>

namespace nova::tool {
class Workspace {
public:
  Workspace();

  /// Reads the file that the options name and finds the entry graph and the options' type parameters, probes and
  /// storage in it. After an error, which was reported, there is no graph.
  bool open();
  /// Reads another file into the same context, and leaves the program as it is; null after an error, which was
  /// reported.
  std::unique_ptr<Program> load(llvm::StringRef path);
  /// Reads a file whose text is there already, as `name` in messages. No graph is chosen. After an error, which was
  /// reported, it is false and there is no program.
  bool read(llvm::StringRef text, llvm::StringRef name);

  mlir::MLIRContext &getContext() { return context; }
  Program &getProgram() { return *program; }
  GraphOp getGraph() { return graph; }
  DiagnosticPrinter &getDiagnostics() { return diagnostics; }
  /// Element types by parameter, as the options say (`T` -> `f32`).
  const std::map<std::string, std::string> &getTypes() { return types; }
  /// The same as types.
  TypeBindings getTypeBindings();
  /// Arguments and results that the options keep in fewer bits.
  const StorageBindings &getStorage() { return storage; }

private:
  SourceOptions sourceOptions();
  bool readTypes();
  bool readStorage();
  bool checkProbes();

  mlir::MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();
  DiagnosticPrinter diagnostics;
  std::unique_ptr<Program> program;
  GraphOp graph;
  std::map<std::string, std::string> types;
  StorageBindings storage;
};

/// The graph of that name, or the last one of the file `path` for "". Null after an error, which was reported.
GraphOp findGraph(Program &program, llvm::StringRef path, llvm::StringRef name);
/// Prints `error: message` (a JSON object with --json) and returns BadInput.
int inputError(const llvm::Twine &message);
/// The same for what the machine could not do; returns Environment.
int environmentError(const llvm::Twine &message);
void warn(const llvm::Twine &message);
/// Splits `NAME=VALUE`; false when there is no `=` or nothing before it.
bool splitAssignment(llvm::StringRef text, llvm::StringRef &name, llvm::StringRef &value);
/// `; did you mean 'x'` for the nearest of `known`, or nothing.
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);
} // namespace nova::tool

#endif
