// What becomes of results: files, tables, or JSON.
#ifndef NOVA_TOOLS_NOVA_RESULTS_H
#define NOVA_TOOLS_NOVA_RESULTS_H

#include "tools/nova/Execution.h"
#include "tools/nova/OutputFiles.h"

namespace nova::tool {
/// The names of the graph's results and probes: those of the values in the text, "" for a value without one.
std::vector<std::string> resultNames(Workspace &workspace);

/// Where results go, from --output. Checked before anything runs.
class ResultWriter {
public:
  /// `names` are those of the results; see resultNames.
  explicit ResultWriter(std::vector<std::string> names) : names(std::move(names)) {}

  llvm::Error readOptions();
  /// Writes the files that were asked for, all or none.
  llvm::Error writeFiles(llvm::ArrayRef<const reference::Tensor *> results) const;
  /// The same; prints what has no file.
  llvm::Error write(const Execution::Tensors &results, Execution &execution, double seconds);

private:
  std::string nameOf(size_t i) const { return names[i].empty() ? std::to_string(i) : names[i]; }
  llvm::Error addFiles(llvm::ArrayRef<const reference::Tensor *> results, OutputFiles &files) const;
  llvm::Expected<size_t> find(const std::string &option, llvm::StringRef name) const;

  std::vector<std::string> names;
  std::vector<std::string> paths;    // per result; "" for none
  std::vector<std::string> archives; // the files that get all results
};
} // namespace nova::tool

#endif
