// Arguments and results of a graph that are kept in fewer bits than it computes with.
#ifndef NOVA_COMPILER_TRANSFORMS_BINDSTORAGE_H
#define NOVA_COMPILER_TRANSFORMS_BINDSTORAGE_H

#include "dialects/graph/NovaDialect.h"
#include <map>
#include <string>

namespace nova {
/// By the name of an argument or a result: `bf16` or `f16`.
using StorageBindings = std::map<std::string, std::string>;

/// Gives the arguments and results of a graph in core form that `storage` names this element type: an argument is cast
/// to f32 where it enters, a result from f32 where it leaves, so the graph is the one that a text with these casts has.
/// A name that is both an argument and a result means both. Results beyond the names stay as they are. On failure (a
/// type or name that does not fit) a diagnostic was emitted.
mlir::LogicalResult bindStorage(GraphOp core, llvm::ArrayRef<std::string> resultNames, const StorageBindings &storage);
} // namespace nova

#endif
