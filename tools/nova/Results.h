// What becomes of results: files, tables, or JSON.
#ifndef NOVA_TOOLS_NOVA_RESULTS_H
#define NOVA_TOOLS_NOVA_RESULTS_H

#include "tools/nova/Execution.h"

namespace nova::tool {
/// The names of the graph's results and probes: those of the values in the text, "" for a value without one.
std::vector<std::string> resultNames(Workspace &workspace);

/// Where results go, from --output. Checked before anything runs.
class ResultWriter {
public:
  explicit ResultWriter(Workspace &workspace) : names(resultNames(workspace)) {}

  llvm::Error readOptions();
  /// Writes the files that were asked for, all or none; prints what has no file.
  llvm::Error write(const Execution::Tensors &results, Execution &execution, double seconds);

private:
  std::string nameOf(size_t i) const { return names[i].empty() ? std::to_string(i) : names[i]; }
  llvm::Expected<size_t> find(const std::string &option, llvm::StringRef name) const;

  std::vector<std::string> names;
  std::vector<std::string> paths; // per result; "" for none
};
} // namespace nova::tool

#endif
