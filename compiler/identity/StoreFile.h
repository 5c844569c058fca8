// Files of the store: read whole, written atomically, listed.
#ifndef NOVA_COMPILER_IDENTITY_STOREFILE_H
#define NOVA_COMPILER_IDENTITY_STOREFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace nova {
struct StoreFileInfo {
  std::string path;
  uint64_t bytes;
  std::chrono::system_clock::time_point lastUse;
};

/// The first `limit` bytes of a regular file; nothing when there is no file. `touch` records the use where that is
/// allowed.
llvm::Expected<std::optional<std::string>> readStoreFile(const std::string &path, bool touch,
                                                         uint64_t limit = std::numeric_limits<uint64_t>::max());
/// Writes a file in `tmp`, flushes it to the disk and renames it to `path`, on the same file system. On an error `path`
/// is as it was and nothing is left in `tmp`.
llvm::Error writeStoreFile(const std::string &tmp, const std::string &path, llvm::StringRef bytes);
/// The regular files at `root`/*/*; none when there is no such folder. Files that vanish meanwhile are left out.
llvm::Expected<std::vector<StoreFileInfo>> listStoreFiles(const std::string &root);
/// Removes what processes left that ended while they wrote or held a lock: temporary files of an hour ago, locks that
/// nobody has.
void removeLeftovers(const std::string &tmp, const std::string &locks);
} // namespace nova

#endif
