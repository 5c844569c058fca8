// The compiled module of the workspace's graph: out of the store, or compiled and put there.
#ifndef NOVA_TOOLS_NOVA_MODULESOURCE_H
#define NOVA_TOOLS_NOVA_MODULESOURCE_H

#include "compiler/identity/Store.h"
#include "compiler/pipeline/Compiler.h"
#include "tools/nova/Workspace.h"

namespace nova::tool {
/// What --type, --storage, --target, --probe and --along say.
CompileOptions compileOptions(Workspace &workspace);
/// The store that --store names, or the default one. Its warnings go to standard error.
Store openStore();

struct ModuleBytes {
  std::string bytes; // the ELF object
  std::string versionHash;
  bool found = false;  // in the store
  std::string path;    // of the store's entry, "" with --no-store
  std::string problem; // why the store does not have it, "" when it does
};

/// Looks the version up and compiles it where the store does not have it. Trouble with the store is no error.
llvm::Expected<ModuleBytes> obtainModule(Workspace &workspace);
/// Compiles without a look at the store.
llvm::Expected<ModuleBytes> compileModule(Workspace &workspace);
} // namespace nova::tool

#endif
