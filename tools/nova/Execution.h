// The two ways to run a graph, behind one interface.
#ifndef NOVA_TOOLS_NOVA_EXECUTION_H
#define NOVA_TOOLS_NOVA_EXECUTION_H

#include "compiler/reference/Tensor.h"
#include "compiler/transforms/derive/Extend.h"
#include "tools/nova/DecodeStats.h"
#include "tools/nova/RunOptions.h"
#include "tools/nova/Workspace.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <vector>

namespace nova::tool {
class Execution {
public:
  using Tensors = std::vector<reference::Tensor>;
  virtual ~Execution() = default;

  /// The results for whole arguments.
  virtual llvm::Expected<Tensors> run(const Tensors &arguments) = 0;
  /// The same results made by feeding the rows of a session in pieces: `chunks` rows each, the last number again and
  /// again. All sizes are checked before the first piece.
  virtual llvm::Expected<Tensors> decode(const Tensors &arguments, llvm::ArrayRef<int64_t> chunks) = 0;
  /// Of the last decode, where the options ask for it; else null.
  virtual const DecodeStats *stats() { return nullptr; }
  /// What ran: the backend and what identifies it.
  virtual llvm::json::Object describe() = 0;
};

/// Prepares the workspace's graph for the backend that the options name: compiles it or finds it in the store.
llvm::Expected<std::unique_ptr<Execution>> makeExecution(Workspace &workspace, const RunOptions &options);
llvm::Expected<std::unique_ptr<Execution>> makeInterpretedExecution(Workspace &workspace);
llvm::Expected<std::unique_ptr<Execution>> makeCompiledExecution(Workspace &workspace,
                                                                      const RunOptions &options);

/// The core form of the workspace's graph, with the probes as results. Errors have been reported.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> makeCoreForm(Workspace &workspace);
/// The extend of a core form along --along. Why there is none has been reported: place, reason, path and witness.
llvm::Expected<ExtendGraph> makeExtend(GraphOp core);
} // namespace nova::tool

#endif
