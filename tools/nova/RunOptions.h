// How `nova run` and `nova decode` execute, read from their options.
#ifndef NOVA_TOOLS_NOVA_RUNOPTIONS_H
#define NOVA_TOOLS_NOVA_RUNOPTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
struct RunOptions {
  bool interpreted = false;
  int32_t threads = 0;               // 0: one per core
  llvm::SmallVector<int64_t> chunks; // empty: one by one
};

/// Checks --backend, --threads, --onednn and --chunks.
llvm::Expected<RunOptions> readRunOptions();
/// `on` or `off`.
llvm::Error checkOneDnn();
} // namespace nova::tool

#endif
