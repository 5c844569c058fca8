// Reading graph files: one program is the graphs of a file and all that they reach.
#ifndef NOVA_COMPILER_PIPELINE_PROGRAM_H
#define NOVA_COMPILER_PIPELINE_PROGRAM_H

#include "dialects/graph/NovaDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>
#include <vector>

namespace nova {
struct SourceOptions {
  /// Folders searched for graphs that a file calls but does not define, before std_lib.
  std::vector<std::string> includeDirs;
  /// The folder of std_lib; graph `std.a.b` is looked up in `a/b.nova` below it.
  std::string stdLibDir;
  /// Where the texts are kept, so that diagnostics can show their lines; null: the program makes its own.
  std::shared_ptr<llvm::SourceMgr> sources;
};

/// The graphs of a file and all graphs that they call, verified: shapes proved, calls match, no recursion. Each graph
/// keeps its `///` comment in the attribute `doc`. Not thread-safe; belongs to its context.
class Program {
public:
  /// Reads `path` (`-` is standard input). Errors go to the context's diagnostics with file, line and column; returns
  /// null then.
  static std::unique_ptr<Program> load(mlir::MLIRContext &context, llvm::StringRef path, const SourceOptions &options);
  /// The same for text already in memory; `name` stands in for the file's name in messages.
  static std::unique_ptr<Program> parse(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef name,
                                        const SourceOptions &options);

  mlir::ModuleOp getModule() { return *module; }
  /// The graph to work on: the named one, or when `name` is empty the last graph of the file. Null when there is none.
  GraphOp getEntry(llvm::StringRef name = "");
  /// The graphs that the file itself defines, in order.
  llvm::ArrayRef<GraphOp> getOwnGraphs() { return own; }
  llvm::SourceMgr &getSources() { return *sources; }

private:
  Program() = default;
  static std::unique_ptr<Program> parseBuffer(mlir::MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> text,
                                              const SourceOptions &options);
  std::shared_ptr<llvm::SourceMgr> sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<GraphOp> own;
};

/// The names of the operations that a graph file may have, sorted; `graph` and `return` are none.
std::vector<std::string> languageOperations(mlir::MLIRContext &context);
/// The files in which a graph that no file at hand defines is looked up, in order.
std::vector<std::string> candidateFiles(llvm::StringRef graph, const SourceOptions &options);

/// Registers everything a context needs to read graphs and to compile them.
void registerAllDialects(mlir::DialectRegistry &registry);
} // namespace nova

#endif
