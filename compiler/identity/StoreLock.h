// A lock between processes, one for each key of the store.
#ifndef NOVA_COMPILER_IDENTITY_STORELOCK_H
#define NOVA_COMPILER_IDENTITY_STORELOCK_H

#include <chrono>
#include <optional>
#include <string>

namespace nova {
/// Holds an flock on a file that it creates and removes. Given up when destroyed, and by the system when the process
/// ends.
class StoreLock {
public:
  /// Waits for the lock up to `patience`. Nothing when it was not to be had: another process holds it longer, or the
  /// file cannot be made (read-only folder, file system without locks). The store works without too, only that work may
  /// be done twice.
  static std::optional<StoreLock> acquire(const std::string &path, std::chrono::milliseconds patience);

  StoreLock(StoreLock &&other) noexcept : path(std::move(other.path)), fd(other.fd) { other.fd = -1; }
  StoreLock &operator=(StoreLock &&) = delete;
  ~StoreLock();

private:
  StoreLock(std::string path, int fd) : path(std::move(path)), fd(fd) {}
  std::string path;
  int fd;
};
} // namespace nova

#endif
