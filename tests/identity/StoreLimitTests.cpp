// The size limit while many processes put and get, and while some of them are killed.
#include "compiler/identity/Store.h"
#include "compiler/identity/StoreFile.h"
#include "compiler/identity/StoreLock.h"
#include "tests/identity/ChildProcess.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <csignal>
#include <random>
#include <thread>
#include <unistd.h>

using namespace nova;
using namespace nova::test;

namespace {
constexpr int kKeys = 12;
constexpr uint64_t kLimit = 20000; // between 2 and 9 of the entries

Hash keyOf(int i) { return sha256("key " + std::to_string(i)); }
std::string contentOf(int i) { return someBytes(2000 + 500 * i, i); }

class StoreLimit : public testing::Test {
protected:
  StoreOptions options() {
    StoreOptions options;
    options.directory = folder.path + "/store";
    options.sizeLimit = kLimit;
    options.warn = [](const std::string &text) { fprintf(stderr, "%s\n", text.c_str()); };
    return options;
  }

  /// A process that gets random modules, `rounds` times: 0 when each was whole and is kept.
  pid_t user(unsigned seed, int rounds) {
    return start([this, seed, rounds] {
      std::mt19937 random(seed);
      Store store(options());
      for (int i = 0; i < rounds; i++) {
        int key = random() % kKeys;
        auto result = store.getOrMake(keyOf(key), "", [&]() -> llvm::Expected<std::string> { return contentOf(key); });
        if (!result || result->bytes != contentOf(key))
          return 1;
        if (!result->problem.empty()) {
          fprintf(stderr, "%s\n", result->problem.c_str());
          return 2;
        }
      }
      return 0;
    });
  }

  uint64_t bytesTaken() {
    uint64_t bytes = 0;
    auto files = listStoreFiles(folder.path + "/store/entries");
    EXPECT_TRUE(bool(files));
    for (const StoreFileInfo &file : *files)
      bytes += file.bytes;
    return bytes;
  }

  void expectWholeAndWithinLimit() {
    EXPECT_LE(bytesTaken(), kLimit);
    auto entries = Store(options()).verify();
    ASSERT_TRUE(bool(entries));
    EXPECT_GE(entries->size(), 1u);
    for (const StoredEntry &entry : *entries)
      EXPECT_EQ(entry.problem, "") << entry.path;
  }

  TemporaryFolder folder;
};
} // namespace

TEST_F(StoreLimit, HoldsAtEveryMoment) {
  constexpr int kProcesses = 8;
  std::vector<pid_t> users;
  for (int i = 0; i < kProcesses; i++)
    users.push_back(user(i, 80));
  // Nothing is put in place while we hold the lock for making room, so that what we add up was there together.
  int looks = 0;
  for (; looks < 100; looks++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    auto lock = StoreLock::acquire(folder.path + "/store/locks/room", std::chrono::seconds(1));
    if (lock)
      EXPECT_LE(bytesTaken(), kLimit);
  }
  for (pid_t child : users)
    EXPECT_EQ(finish(child), 0);
  expectWholeAndWithinLimit();
}

TEST_F(StoreLimit, HoldsThoughWritersAreKilled) {
  std::mt19937 random(1);
  std::vector<pid_t> users;
  for (int i = 0; i < 6; i++)
    users.push_back(user(i, 1000000));
  for (int i = 0; i < 200; i++) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
    pid_t &victim = users[random() % users.size()];
    kill(victim, SIGKILL);
    EXPECT_EQ(finish(victim), -SIGKILL);
    victim = user(100 + i, 1000000);
  }
  for (pid_t child : users) {
    kill(child, SIGKILL);
    EXPECT_EQ(finish(child), -SIGKILL);
  }
  expectWholeAndWithinLimit();
  // What the dead left is swept by the next cleaning, at once.
  auto cleaning = Store(options()).gc(kLimit);
  ASSERT_TRUE(bool(cleaning));
  EXPECT_EQ(cleaning->removed, 0u);
  EXPECT_EQ(filesBelow(folder.path + "/store/tmp"), std::vector<std::string>());
  EXPECT_EQ(filesBelow(folder.path + "/store/locks"), std::vector<std::string>());
  EXPECT_EQ(finish(user(0, 50)), 0);
}
