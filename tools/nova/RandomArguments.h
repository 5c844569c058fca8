// Arguments of given sizes with random numbers.
#ifndef NOVA_TOOLS_NOVA_RANDOMARGUMENTS_H
#define NOVA_TOOLS_NOVA_RANDOMARGUMENTS_H

#include "compiler/reference/Tensor.h"
#include "tools/nova/Workspace.h"

namespace nova::tool {
/// Adds `n:6,d:4`, part of the option `option`, to the sizes. Each must be a size of the graph, and no other than
/// before.
llvm::Error readSizes(GraphOp graph, const std::string &option, llvm::StringRef words, Bindings &sizes);
/// The number of --seed.
llvm::Expected<uint64_t> readSeed();
/// Argument `i` for these sizes, of its element type. `option` begins the message where a size is missing or wrong.
llvm::Expected<reference::Tensor> makeRandomArgument(Workspace &workspace, unsigned i, const Bindings &sizes,
                                                     uint64_t seed, const std::string &option);
} // namespace nova::tool

#endif
