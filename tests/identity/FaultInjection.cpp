// The C library's calls, wrapped: this file's definitions come before the library's for a program and all it links.
#include "tests/identity/FaultInjection.h"
#include <atomic>
#include <bitset>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nova::test {
namespace {
FaultPlan thePlan;
std::atomic<bool> active{false};
std::atomic<long> seen{0};
std::bitset<1024> watchedFiles;

bool watched(const char *path) { return active && !std::strncmp(path, thePlan.below.c_str(), thePlan.below.size()); }
bool watched(int fd) { return active && fd >= 0 && size_t(fd) < watchedFiles.size() && watchedFiles[fd]; }

void mark(int fd, bool value) {
  if (fd >= 0 && size_t(fd) < watchedFiles.size())
    watchedFiles[fd] = value;
}

template <typename F> F original(F, const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

// A call by its name: counted where it is watched, and struck where the plan says so. `work` gets whether to do half.
template <typename Result, typename Work>
Result follow(const char *name, bool isWatched, Result failure, const Work &work) {
  if (!isWatched || (!thePlan.call.empty() && thePlan.call != name))
    return work(false);
  long number = ++seen;
  bool now = number == thePlan.at;
  if (now && thePlan.kind == FaultKind::KillBefore)
    kill(getpid(), SIGKILL);
  if ((now && thePlan.kind == FaultKind::Once) || (number >= thePlan.at && thePlan.kind == FaultKind::Lasting)) {
    errno = thePlan.code;
    return failure;
  }
  Result result = work(now && thePlan.kind == FaultKind::Short);
  if (now && thePlan.kind == FaultKind::KillAfter)
    kill(getpid(), SIGKILL);
  return result;
}

// A plan from the environment, before main.
struct FromEnvironment {
  FromEnvironment() {
    auto value = [](const char *name) { return std::getenv(name) ? std::getenv(name) : ""; };
    FaultPlan plan{value("NOVA_FAULT_BELOW"), FaultKind::Lasting, 1, std::atoi(value("NOVA_FAULT_CODE")),
                   value("NOVA_FAULT_CALL")};
    if (*value("NOVA_FAULT_AT"))
      plan.at = std::atol(value("NOVA_FAULT_AT"));
    if (!plan.below.empty())
      injectFaults(plan);
  }
} fromEnvironment;
} // namespace

void injectFaults(const FaultPlan &plan) {
  active = false;
  thePlan = plan;
  seen = 0;
  active = !plan.below.empty();
}

long watchedCalls() { return seen; }
} // namespace nova::test

using namespace nova::test;

extern "C" {
int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  static auto next = original(open, "open");
  bool is = watched(path);
  int fd = follow("open", is, -1, [&](bool) { return next(path, flags, mode); });
  mark(fd, is);
  return fd;
}

int close(int fd) {
  static auto next = original(close, "close");
  mark(fd, false);
  return next(fd);
}

ssize_t read(int fd, void *data, size_t size) {
  static auto next = original(read, "read");
  return follow("read", watched(fd), ssize_t(-1),
                [&](bool half) { return next(fd, data, half ? (size + 1) / 2 : size); });
}

ssize_t write(int fd, const void *data, size_t size) {
  static auto next = original(write, "write");
  return follow("write", watched(fd), ssize_t(-1),
                [&](bool half) { return next(fd, data, half ? (size + 1) / 2 : size); });
}

// Whether the disk is really flushed makes no difference that a test could see, only to its duration.
int fsync(int fd) {
  static auto next = original(fsync, "fsync");
  bool is = watched(fd);
  return follow("fsync", is, -1, [&](bool) { return is ? 0 : next(fd); });
}

int flock(int fd, int operation) noexcept {
  static auto next = original(flock, "flock");
  return follow("flock", watched(fd), -1, [&](bool) { return next(fd, operation); });
}

int futimens(int fd, const struct timespec times[2]) noexcept {
  static auto next = original(futimens, "futimens");
  return follow("futimens", watched(fd), -1, [&](bool) { return next(fd, times); });
}

int mkdir(const char *path, mode_t mode) noexcept {
  static auto next = original(mkdir, "mkdir");
  return follow("mkdir", watched(path), -1, [&](bool) { return next(path, mode); });
}

int rename(const char *from, const char *to) noexcept {
  static auto next = original(rename, "rename");
  return follow("rename", watched(from), -1, [&](bool) { return next(from, to); });
}

int unlink(const char *path) noexcept {
  static auto next = original(unlink, "unlink");
  return follow("unlink", watched(path), -1, [&](bool) { return next(path); });
}

int remove(const char *path) noexcept {
  static auto next = original(remove, "remove");
  return follow("remove", watched(path), -1, [&](bool) { return next(path); });
}

#define NOVA_WRAP_STAT(NAME, KEY, STRUCT)                                                                              \
  int NAME(KEY key, STRUCT *info) noexcept {                                                                           \
    static auto next = original(NAME, #NAME);                                                                          \
    return follow("stat", watched(key), -1, [&](bool) { return next(key, info); });                                    \
  }
NOVA_WRAP_STAT(stat, const char *, struct stat)
NOVA_WRAP_STAT(lstat, const char *, struct stat)
NOVA_WRAP_STAT(fstat, int, struct stat)
NOVA_WRAP_STAT(stat64, const char *, struct stat64)
NOVA_WRAP_STAT(lstat64, const char *, struct stat64)
NOVA_WRAP_STAT(fstat64, int, struct stat64)

DIR *opendir(const char *path) {
  static auto next = original(opendir, "opendir");
  bool is = watched(path);
  DIR *folder = follow("opendir", is, static_cast<DIR *>(nullptr), [&](bool) { return next(path); });
  if (folder)
    mark(dirfd(folder), is);
  return folder;
}

int closedir(DIR *folder) {
  static auto next = original(closedir, "closedir");
  mark(dirfd(folder), false);
  return next(folder);
}

struct dirent *readdir(DIR *folder) {
  static auto next = original(readdir, "readdir");
  return follow("readdir", watched(dirfd(folder)), static_cast<struct dirent *>(nullptr),
                [&](bool) { return next(folder); });
}
}
