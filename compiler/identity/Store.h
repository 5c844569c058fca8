// The store of compiled modules: content under keys in a folder that many processes share.
#ifndef NOVA_COMPILER_IDENTITY_STORE_H
#define NOVA_COMPILER_IDENTITY_STORE_H

#include "compiler/identity/StoreEntry.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nova {
struct StoreOptions {
  /// Created when something is written, for its owner alone. Whoever can write there decides what code runs.
  std::string directory;
  /// Bytes that entries may take together; the least recently used make room.
  uint64_t sizeLimit = uint64_t(4) << 30;
  /// How long to wait while another process makes the same entry, before making it too.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  /// Gets what went wrong without stopping the work: a damaged entry, an unreadable one. May be empty.
  std::function<void(const std::string &)> warn;
};

struct StoredEntry {
  Hash key;
  std::string path;
  std::string label;
  uint64_t bytes = 0; // of the file
  std::chrono::system_clock::time_point lastUse;
  std::string problem; // what is wrong with it; "" when nothing is
};

struct StoreResult {
  std::string bytes;
  bool found;          // false: made just now
  std::string problem; // why the store does not have it now; "" when it does
};

struct StoreCleaning {
  uint64_t removed = 0, removedBytes = 0, left = 0, leftBytes = 0;
};

/// Entries are written to a file of their own, flushed to the disk and renamed, so a reader sees a whole entry or none.
/// Every read checks key, length and SHA-256 before it returns a byte; an entry that fails is reported and never
/// returned. Thread-safe as far as `warn` is.
class Store {
public:
  explicit Store(StoreOptions options) : options(std::move(options)) {}

  /// $NOVA_STORE, else $XDG_CACHE_HOME/nova, else ~/.cache/nova, else a folder `nova-<user>` where temporary files go.
  static std::string defaultDirectory();
  const std::string &directory() const { return options.directory; }
  /// Where the entry of a key is, or would be.
  std::string pathOf(const Hash &key) const;

  /// The content under a key; nothing when there is none. A damaged entry is reported, removed and nothing. The error
  /// is one of the environment's: the entry is there and cannot be read.
  llvm::Expected<std::optional<std::string>> read(const Hash &key) const;
  /// Puts content under a key, in place of what is there. `label` says in words what it is, for `list`. On an error
  /// nothing has changed.
  llvm::Error write(const Hash &key, llvm::StringRef label, llvm::StringRef content) const;
  /// The content under a key, or else what `make` returns, which is put there. Processes that want the same at once
  /// make it once, or twice where they cannot wait. Trouble with the store is told, once, by the result's `problem` or
  /// by `warn`, and is never an error: the errors are those of `make`.
  llvm::Expected<StoreResult> getOrMake(const Hash &key, llvm::StringRef label,
                                        llvm::function_ref<llvm::Expected<std::string>()> make) const;

  /// All entries, most recently used first, headers checked. Files that are not named like entries are listed with a
  /// problem and a zero key.
  llvm::Expected<std::vector<StoredEntry>> list() const;
  /// Removes the least recently used entries until the rest take `limit` bytes or less, and what ended processes left
  /// behind. Those who read an entry meanwhile have it whole.
  llvm::Expected<StoreCleaning> gc(uint64_t limit) const;
  /// Checks every byte. Damaged entries are listed with what is wrong, and removed; files that are not named like
  /// entries stay.
  llvm::Expected<std::vector<StoredEntry>> verify() const;

private:
  /// What `gc` does, as if the file `apartFrom` were not there.
  llvm::Expected<StoreCleaning> makeRoom(uint64_t limit, llvm::StringRef apartFrom) const;
  void warn(const std::string &text) const;
  std::string folder(llvm::StringRef name) const;

  StoreOptions options;
};
} // namespace nova

#endif
