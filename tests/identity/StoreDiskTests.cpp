// The store on a real file system that is full, or read-only: a small one in memory, mounted for one process.
#include "compiler/identity/Store.h"
#include "tests/identity/ChildProcess.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

using namespace nova;
using namespace nova::test;

namespace {
constexpr int kNotPermitted = 77;

/// Gives this process a file system of 64 KiB at `path`; false where that is not permitted.
bool mountSmallDisk(const std::string &path) {
  std::string user = "0 " + std::to_string(getuid()) + " 1";
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return false;
    std::ofstream("/proc/self/uid_map") << user;
  }
  // What is mounted here is seen nowhere else.
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", path.c_str(), "tmpfs", 0, "size=64k") == 0;
}

StoreOptions optionsAt(const std::string &directory) {
  StoreOptions options;
  options.directory = directory;
  options.patience = std::chrono::milliseconds(100);
  return options;
}

std::string contentOf(int i) { return someBytes(10000, i); }

/// Gets module `i`; "" when it is right and kept, else why not.
std::string get(const Store &store, int i) {
  auto result = store.getOrMake(sha256("key " + std::to_string(i)), "",
                                [&]() -> llvm::Expected<std::string> { return contentOf(i); });
  if (!result)
    return llvm::toString(result.takeError());
  return result->bytes == contentOf(i) ? result->problem : "wrong content";
}

/// Runs `work` on a small disk; skips the test where none can be had.
void onSmallDisk(const std::function<int(const std::string &)> &work) {
  TemporaryFolder folder;
  int status = finish(start([&] { return mountSmallDisk(folder.path) ? work(folder.path) : kNotPermitted; }));
  if (status == kNotPermitted)
    GTEST_SKIP() << "mounting a file system is not permitted here";
  EXPECT_EQ(status, 0);
}

int expect(bool holds, const std::string &found) {
  if (!holds)
    fprintf(stderr, "found: %s\n", found.c_str());
  return holds ? 0 : 1;
}
} // namespace

TEST(StoreDisk, Full) {
  onSmallDisk([](const std::string &path) {
    Store store(optionsAt(path));
    int faults = 0, kept = 0;
    for (int i = 0; i < 10; i++) {
      std::string problem = get(store, i);
      kept += problem.empty();
      faults += expect(problem.empty() || problem.find(": No space left on device") != std::string::npos, problem);
    }
    faults += expect(kept > 2 && kept < 8, std::to_string(kept));
    faults += expect(filesBelow(path).size() == size_t(kept), "other files than entries");
    for (int i = 0; i < kept; i++)
      faults += expect(get(store, i).empty(), "an entry of before was lost");
    // With room made the store is as before.
    if (auto cleaning = store.gc(20000); !cleaning)
      faults += expect(false, llvm::toString(cleaning.takeError()));
    return faults + expect(get(store, 9).empty(), "no module is kept though there is room");
  });
}

TEST(StoreDisk, ReadOnly) {
  onSmallDisk([](const std::string &path) {
    Store store(optionsAt(path));
    int faults = expect(get(store, 0).empty(), "no module is kept");
    if (mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      return kNotPermitted;
    faults += expect(get(store, 0).empty(), "a kept module is not found");
    std::string problem = get(store, 1);
    faults += expect(problem.find(": Read-only file system") != std::string::npos, problem);
    auto entries = store.verify();
    return faults + expect(entries && entries->size() == 1 && (*entries)[0].problem.empty(), "not as it was");
  });
}
