#include "compiler/identity/StoreFile.h"
#include "compiler/identity/StoreLock.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace nova {
namespace {
llvm::Error fault(int code, const char *what, const std::string &path) {
  std::error_code error(code, std::generic_category());
  return llvm::createStringError(error, "cannot %s %s: %s", what, path.c_str(), error.message().c_str());
}

int openFile(const std::string &path, int flags) {
  // Neither a link elsewhere nor a pipe that would make us wait.
  return llvm::sys::RetryAfterSignal(-1, ::open, path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

// The content is on the disk before the name is: after a power cut an entry is whole or absent. A failure here costs
// that only.
void flushFolder(const std::string &path) {
  int fd = openFile(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0)
    return;
  (void)fsync(fd);
  close(fd);
}

// True when the lock was to be had.
bool tryLock(int fd) { return llvm::sys::RetryAfterSignal(-1, flock, fd, LOCK_EX | LOCK_NB) == 0; }

bool isRegular(const fs::directory_entry &entry, fs::file_status &status) {
  return !fs::status(entry.path(), status, /*follow=*/false) && status.type() == fs::file_type::regular_file;
}

bool isFolder(const fs::directory_entry &entry) {
  if (entry.type() != fs::file_type::type_unknown)
    return entry.type() == fs::file_type::directory_file;
  // Some file systems do not say what an entry of a folder is.
  fs::file_status status;
  return !fs::status(entry.path(), status, /*follow=*/false) && status.type() == fs::file_type::directory_file;
}
} // namespace

llvm::Expected<std::optional<StoreFile>> StoreFile::open(const std::string &path) {
  StoreFile file(path, openFile(path, O_RDONLY));
  if (file.fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return std::nullopt;
    return fault(errno, "read store entry", path);
  }
  struct stat info;
  if (fstat(file.fd, &info) != 0)
    return fault(errno, "read store entry", path);
  if (!S_ISREG(info.st_mode))
    return llvm::createStringError(std::errc::invalid_argument, "store entry %s is not a regular file", path.c_str());
  file.bytes = info.st_size;
  return std::optional<StoreFile>(std::move(file));
}

StoreFile::~StoreFile() {
  if (fd >= 0)
    close(fd);
}

llvm::Expected<std::string> StoreFile::read(uint64_t count) {
  std::string text(count, '\0');
  size_t have = 0;
  while (have < text.size()) {
    ssize_t more = llvm::sys::RetryAfterSignal(-1, ::read, fd, text.data() + have, text.size() - have);
    if (more < 0)
      return fault(errno, "read store entry", path);
    if (more == 0)
      break; // shorter than it was a moment ago: the checks will find out
    have += more;
  }
  text.resize(have);
  return text;
}

void StoreFile::touch() { (void)futimens(fd, nullptr); }

llvm::Expected<StoreDraft> StoreDraft::write(const std::string &tmp, llvm::StringRef bytes) {
  static std::atomic<uint64_t> counter{0};
  // A name may be taken, and who removes leftovers may see the file before we have locked it: then another name.
  for (int attempt = 0; attempt < 100; attempt++) {
    std::string path = tmp + "/" + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
                       std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    int fd = openFile(path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0 && errno == EEXIST)
      continue;
    if (fd < 0)
      return fault(errno, "create", path);
    StoreDraft draft(std::move(path), fd);
    struct stat info;
    if ((!tryLock(fd) && errno == EWOULDBLOCK) || (fstat(fd, &info) == 0 && info.st_nlink == 0))
      continue;
    if (llvm::Error error = draft.fill(bytes))
      return std::move(error);
    return std::move(draft);
  }
  return llvm::createStringError(std::errc::file_exists, "cannot create a file in %s: every name was taken",
                                 tmp.c_str());
}

llvm::Error StoreDraft::fill(llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, ::write, fd, bytes.data(), bytes.size());
    if (count <= 0)
      return fault(count < 0 ? errno : ENOSPC, "write", path);
    bytes = bytes.drop_front(count);
  }
  if (llvm::sys::RetryAfterSignal(-1, fsync, fd) != 0)
    return fault(errno, "flush", path);
  return llvm::Error::success();
}

llvm::Error StoreDraft::putAt(const std::string &target) && {
  if (rename(path.c_str(), target.c_str()) != 0)
    return fault(errno, "put a store entry at", target);
  close(fd);
  fd = -1;
  flushFolder(target.substr(0, target.rfind('/')));
  return llvm::Error::success();
}

StoreDraft::~StoreDraft() {
  if (fd < 0)
    return;
  unlink(path.c_str());
  close(fd);
}

llvm::Expected<std::vector<StoreFileInfo>> listStoreFiles(const std::string &root) {
  std::vector<StoreFileInfo> files;
  std::error_code error;
  auto gone = [](std::error_code e) { return e == std::errc::no_such_file_or_directory; };
  for (fs::directory_iterator folder(root, error, /*follow_symlinks=*/false), end; !error && folder != end;
       folder.increment(error)) {
    if (!isFolder(*folder))
      continue;
    std::error_code inner;
    for (fs::directory_iterator file(folder->path(), inner, false); !inner && file != end; file.increment(inner)) {
      fs::file_status status;
      if (!isRegular(*file, status))
        continue;
      files.push_back(
          {file->path(), status.getSize(),
           std::chrono::time_point_cast<std::chrono::system_clock::duration>(status.getLastModificationTime())});
    }
    if (inner && !gone(inner))
      return llvm::createStringError(inner, "cannot list %s: %s", folder->path().c_str(), inner.message().c_str());
  }
  if (error && !gone(error))
    return llvm::createStringError(error, "cannot list %s: %s", root.c_str(), error.message().c_str());
  return files;
}

void removeLeftovers(const std::string &tmp, const std::string &locks) {
  std::error_code error;
  auto before = std::chrono::system_clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator file(tmp, error, false), end; !error && file != end; file.increment(error)) {
    fs::file_status status;
    if (!isRegular(*file, status))
      continue;
    int fd = openFile(file->path(), O_WRONLY);
    if (fd < 0)
      continue;
    if (tryLock(fd) || (errno != EWOULDBLOCK && status.getLastModificationTime() < before))
      unlink(file->path().c_str());
    close(fd);
  }
  // Taking a lock and giving it up removes its file.
  for (fs::directory_iterator file(locks, error, false), end; !error && file != end; file.increment(error))
    (void)StoreLock::acquire(file->path(), std::chrono::milliseconds(0));
}
} // namespace nova
