#include "compiler/identity/StoreFile.h"
#include "compiler/identity/StoreLock.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
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

struct File {
  int fd;
  ~File() {
    if (fd >= 0)
      close(fd);
  }
};

// The content is on the disk before the name is: after a power cut an entry is whole or absent. A failure here costs
// that only.
void flushFolder(const std::string &path) {
  File folder{open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd >= 0)
    (void)fsync(folder.fd);
}
} // namespace

llvm::Expected<std::optional<std::string>> readStoreFile(const std::string &path, bool touch, uint64_t limit) {
  // Neither a link elsewhere nor a pipe that would make us wait.
  File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
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
  std::string bytes(std::min<uint64_t>(limit, info.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    ssize_t count = ::read(file.fd, bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fault(errno, "read store entry", path);
    if (count == 0)
      break; // shorter than it was a moment ago: the checks will find out
    have += count;
  }
  bytes.resize(have);
  if (touch)
    (void)futimens(file.fd, nullptr);
  return std::optional<std::string>(std::move(bytes));
}

llvm::Error writeStoreFile(const std::string &tmp, const std::string &path, llvm::StringRef bytes) {
  static std::atomic<uint64_t> counter{0};
  std::string own = tmp + "/" + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
                    std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  File file{open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.fd < 0)
    return fault(errno, "create", own);
  auto fail = [&](const char *what, const std::string &where) {
    int code = errno;
    unlink(own.c_str());
    return fault(code, what, where);
  };
  while (!bytes.empty()) {
    ssize_t count = ::write(file.fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail("write", own);
    bytes = bytes.drop_front(count);
  }
  if (fsync(file.fd) != 0)
    return fail("flush", own);
  if (rename(own.c_str(), path.c_str()) != 0)
    return fail("put a store entry at", path);
  flushFolder(path.substr(0, path.rfind('/')));
  return llvm::Error::success();
}

llvm::Expected<std::vector<StoreFileInfo>> listStoreFiles(const std::string &root) {
  std::vector<StoreFileInfo> files;
  std::error_code error;
  auto gone = [](std::error_code e) { return e == std::errc::no_such_file_or_directory; };
  for (fs::directory_iterator folder(root, error, /*follow_symlinks=*/false), end; !error && folder != end;
       folder.increment(error)) {
    if (folder->type() != fs::file_type::directory_file)
      continue;
    std::error_code inner;
    for (fs::directory_iterator file(folder->path(), inner, false); !inner && file != end; file.increment(inner)) {
      fs::file_status status;
      if (fs::status(file->path(), status, /*follow=*/false) || status.type() != fs::file_type::regular_file)
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
    if (!fs::status(file->path(), status, false) && status.type() == fs::file_type::regular_file &&
        status.getLastModificationTime() < before)
      (void)fs::remove(file->path());
  }
  // Taking a lock and giving it up removes its file.
  for (fs::directory_iterator file(locks, error, false), end; !error && file != end; file.increment(error))
    (void)StoreLock::acquire(file->path(), std::chrono::milliseconds(0));
}
} // namespace nova
