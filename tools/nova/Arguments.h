// A graph's arguments from --input and --random.
#ifndef NOVA_TOOLS_NOVA_ARGUMENTS_H
#define NOVA_TOOLS_NOVA_ARGUMENTS_H

#include "compiler/reference/Tensor.h"
#include "tools/nova/Workspace.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace nova::tool {
/// One tensor per argument, in order, of the argument's element type. Sizes that random arguments need come from
/// --random and from the shapes of the files. Ranks and sizes of files are left to the entry check.
llvm::Expected<std::vector<reference::Tensor>> readArguments(Workspace &workspace);
/// The element type that argument `i` has under the options' type parameters.
reference::Element argumentElement(Workspace &workspace, unsigned i);
} // namespace nova::tool

#endif
