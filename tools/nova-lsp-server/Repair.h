// Reading a text that has faults: what does not parse is left out, what is left is read.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_REPAIR_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_REPAIR_H

#include "mlir/IR/Block.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/nova-lsp-server/Finding.h"
#include <memory>

namespace nova::lsp {
struct RepairedText {
  /// The graphs that can be read, not verified; without the lines that have faults, so that they may end in another
  /// `return`.
  std::unique_ptr<mlir::Block> graphs;
  /// The faults, at most one a line; not those that only follow from a line that was left out.
  std::vector<Finding> faults;
};

/// Parses `text`, which `file` names in places. After a fault its line (a graph's, where it is no line's) is blanked
/// and the text parsed again, until it is read or hopeless. Any bytes are allowed.
RepairedText readWithRepair(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef file);
} // namespace nova::lsp

#endif
