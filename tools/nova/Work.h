// How much a graph computes.
#ifndef NOVA_TOOLS_NOVA_WORK_H
#define NOVA_TOOLS_NOVA_WORK_H

#include "tools/nova/Workspace.h"
#include <optional>

namespace nova::tool {
/// The additions and multiplications of the contractions of the workspace's graph at these sizes. None where it has no
/// contraction, or where masks hide entries: how many then depends on the masks.
llvm::Expected<std::optional<double>> countOperations(Workspace &workspace, const Bindings &sizes);
} // namespace nova::tool

#endif
