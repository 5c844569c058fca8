#include "compiler/identity/StoreLock.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nova {
std::optional<StoreLock> StoreLock::acquire(const std::string &path, std::chrono::milliseconds patience) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  do {
    int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
      return std::nullopt;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() >= deadline) {
        close(fd);
        return std::nullopt;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    // The holder before us removed the file: what we have locked may be a file that no other will find.
    struct stat mine, there;
    if (fstat(fd, &mine) == 0 && stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
        mine.st_dev == there.st_dev)
      return StoreLock(path, fd);
    close(fd);
  } while (std::chrono::steady_clock::now() < deadline);
  return std::nullopt;
}

StoreLock::~StoreLock() {
  if (fd < 0)
    return;
  unlink(path.c_str());
  close(fd);
}
} // namespace nova
