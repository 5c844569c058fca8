#include "tools/nova/Commands.h"

namespace nova::tool {
static constexpr Command all[] = {
    {"check", "prove a graph's signature and show how its rows depend on its arguments", R"(
EXAMPLES:
  nova check std_lib/nn/causal_attention.nova
  nova check graph.nova -v                      the dependence of every value
  echo 'graph @f(%x: f64[n]) -> f64[n] { ... }' | nova check -
)",
     checkCommand},
};

llvm::ArrayRef<Command> commands() { return all; }
} // namespace nova::tool
