// The sizes at which the masks of a picture are drawn.
#ifndef NOVA_TOOLS_NOVA_PICTURESIZES_H
#define NOVA_TOOLS_NOVA_PICTURESIZES_H

#include "dialects/graph/NovaDialect.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
/// `given`, and a value for every other symbol of the graph: 1024 for `sequence` (null: there is none), a quarter of
/// the sequence's size for the others, moved where a clause asks for it of a symbol alone. An error, which `option`
/// begins, where a clause does not hold or an argument has no such size.
llvm::Expected<Bindings> chooseSizes(GraphOp graph, mlir::StringAttr sequence, const Bindings &given,
                                     const std::string &option);
} // namespace nova::tool

#endif
