// nova hash: the graph alone, the graph with everything it reaches, the version.
#include "compiler/identity/GraphHash.h"
#include "compiler/identity/StoredModule.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
static Error printHashes(Workspace &workspace) {
  GraphOp graph = workspace.getGraph();
  GraphHashes hashes(workspace.getProgram().getModule());
  mlir::FailureOr<Hash> alone = hashes.graphHash(graph), semantic = hashes.semanticHash(graph);
  if (failed(alone) || failed(semantic))
    return reported();
  mlir::FailureOr<std::string> version = versionHash(graph, compileOptions(workspace));
  if (failed(version))
    return reported();
  if (options::json) {
    outs() << json::Value(json::Object{{"graph", graph.getSymName()},
                                       {"alone", alone->hex()},
                                       {"semantic", semantic->hex()},
                                       {"version", *version}})
           << "\n";
    return Error::success();
  }
  outs() << "graph     @" << graph.getSymName() << "\nalone     " << alone->hex() << "\nsemantic  " << semantic->hex()
         << "\nversion   " << *version << "\n";
  return Error::success();
}

int hashCommand() {
  Workspace workspace;
  return workspace.open() ? exitWith(printHashes(workspace)) : BadInput;
}
} // namespace nova::tool
