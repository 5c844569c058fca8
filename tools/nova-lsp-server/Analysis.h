// All that is known of one text.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_ANALYSIS_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_ANALYSIS_H

#include "compiler/pipeline/Program.h"
#include "tools/nova-lsp-server/Repair.h"
#include "tools/source/SourceOutline.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace nova::lsp {
/// Made whenever a text changes; belongs to one thread.
class Analysis {
public:
  /// `options` says where called graphs are looked up; the text itself is called `file`.
  Analysis(std::string text, std::string file, const SourceOptions &options);

  llvm::StringRef getText() const { return text; }
  llvm::StringRef getFile() const { return file; }
  llvm::ArrayRef<Finding> getFindings() const { return findings; }
  const std::vector<tool::OutlineGraph> &getOutline() const { return outline; }

  /// The graph of that name in this text, or one that it calls; null where there is none that can be read.
  GraphOp findGraph(llvm::StringRef name);
  /// The value (with %) of a graph of this text, or null.
  mlir::Value findValue(llvm::StringRef graph, llvm::StringRef name);
  /// How row i of the results depends on the value: `axis 0 pointwise`; "" where that is not known: the text has
  /// faults.
  std::string dependenceOf(llvm::StringRef graph, llvm::StringRef name);
  /// The names of the language's operations, sorted.
  std::vector<std::string> operations();

private:
  // By graph and value.
  using DependenceTexts = llvm::StringMap<llvm::StringMap<std::string>>;
  void addDependence(GraphOp graph);

  std::string text, file;
  std::vector<tool::OutlineGraph> outline;
  std::vector<Finding> findings;
  mlir::MLIRContext context;
  std::unique_ptr<mlir::Block> graphs; // of a text with faults
  std::unique_ptr<Program> program;    // of one without
  DependenceTexts dependence;
};
} // namespace nova::lsp

#endif
