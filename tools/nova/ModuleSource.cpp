#include "tools/nova/ModuleSource.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"

using namespace llvm;

namespace nova::tool {
CompileOptions compileOptions(Workspace &workspace) {
  CompileOptions result;
  result.types = workspace.getTypes();
  result.storage = workspace.getStorage();
  result.targets.assign(options::targets.begin(), options::targets.end());
  result.probes.assign(options::probes.begin(), options::probes.end());
  result.along = options::along;
  return result;
}

Store openStore() {
  StoreOptions store;
  store.directory = options::storeDir.empty() ? Store::defaultDirectory() : options::storeDir.getValue();
  store.warn = [](const std::string &message) { warn(message); };
  return Store(std::move(store));
}

Expected<ModuleBytes> compileModule(Workspace &workspace) {
  bool machineFailed = false;
  mlir::FailureOr<CompiledModule> module = compileGraph(workspace.getGraph(), compileOptions(workspace), &machineFailed);
  if (failed(module))
    return reported(machineFailed ? Environment : BadInput);
  return ModuleBytes{std::string(module->bytes.begin(), module->bytes.end()), module->versionHash, false, "", ""};
}

Expected<ModuleBytes> obtainModule(Workspace &workspace) {
  if (options::noStore)
    return compileModule(workspace);
  mlir::FailureOr<ModuleIdentity> identity = identifyModule(workspace.getGraph(), compileOptions(workspace));
  if (failed(identity))
    return reported();
  Store store = openStore();
  const Hash &key = identity->storeKey;
  Expected<StoreResult> entry = store.getOrMake(key, workspace.getGraph().getSymName(), [&]() -> Expected<std::string> {
    Expected<ModuleBytes> made = compileModule(workspace);
    if (!made)
      return made.takeError();
    return std::move(made->bytes);
  });
  if (!entry)
    return entry.takeError();
  return ModuleBytes{std::move(entry->bytes), identity->versionHash, entry->found, store.pathOf(key),
                     std::move(entry->problem)};
}
} // namespace nova::tool
