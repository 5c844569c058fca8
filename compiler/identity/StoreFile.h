// Files of the store: read, written atomically, listed.
#ifndef NOVA_COMPILER_IDENTITY_STOREFILE_H
#define NOVA_COMPILER_IDENTITY_STOREFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nova {
/// A regular file that is open for reading.
class StoreFile {
public:
  /// Nothing when there is no file.
  static llvm::Expected<std::optional<StoreFile>> open(const std::string &path);
  StoreFile(StoreFile &&other) noexcept : path(std::move(other.path)), fd(other.fd), bytes(other.bytes) {
    other.fd = -1;
  }
  StoreFile &operator=(StoreFile &&) = delete;
  ~StoreFile();

  /// Its length when it was opened.
  uint64_t size() const { return bytes; }
  /// The next `count` bytes; fewer where the file ends before.
  llvm::Expected<std::string> read(uint64_t count);
  /// Records the use, where that is allowed.
  void touch();

private:
  StoreFile(std::string path, int fd) : path(std::move(path)), fd(fd) {}
  std::string path;
  int fd;
  uint64_t bytes = 0;
};

/// A file that is being written apart from the entries, under a lock by which others see that its writer lives. Removed
/// when destroyed before it was put in place.
class StoreDraft {
public:
  /// Writes a file in the folder `tmp` and flushes it to the disk. On an error nothing is left there.
  static llvm::Expected<StoreDraft> write(const std::string &tmp, llvm::StringRef bytes);
  StoreDraft(StoreDraft &&other) noexcept : path(std::move(other.path)), fd(other.fd) { other.fd = -1; }
  StoreDraft &operator=(StoreDraft &&) = delete;
  ~StoreDraft();

  /// Renames it to `target`, on the same file system. On an error `target` is as it was.
  llvm::Error putAt(const std::string &target) &&;

private:
  StoreDraft(std::string path, int fd) : path(std::move(path)), fd(fd) {}
  llvm::Error fill(llvm::StringRef bytes);
  std::string path;
  int fd;
};

struct StoreFileInfo {
  std::string path;
  uint64_t bytes;
  std::chrono::system_clock::time_point lastUse;
};

/// The regular files at `root`/*/*; none when there is no such folder. Files that vanish meanwhile are left out.
llvm::Expected<std::vector<StoreFileInfo>> listStoreFiles(const std::string &root);
/// Removes what processes left that ended while they wrote or held a lock. What nobody has locked is a leftover; on a
/// file system without locks a draft is one after an hour.
void removeLeftovers(const std::string &tmp, const std::string &locks);
} // namespace nova

#endif
