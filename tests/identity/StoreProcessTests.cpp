// The store under many processes: made once, never half, never another's.
#include "compiler/identity/Store.h"
#include "tests/identity/ChildProcess.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <csignal>
#include <functional>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace nova;
using namespace nova::test;

namespace {
StoreOptions optionsFor(const TemporaryFolder &folder) {
  StoreOptions options;
  options.directory = folder.path + "/store";
  return options;
}

std::string contentOf(int i) { return someBytes(2000 + 500 * i, i); }
Hash keyOf(int i) { return sha256("key " + std::to_string(i)); }
} // namespace

TEST(StoreProcess, TwoCompilersAtOnceMakeOnce) {
  TemporaryFolder folder;
  auto compiler = [&] {
    Store store(optionsFor(folder));
    bool made = false;
    auto result = store.getOrMake(keyOf(0), "", [&]() -> llvm::Expected<std::string> {
      made = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return contentOf(0);
    });
    return result && result->bytes == contentOf(0) ? int(made) : 100;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; i++)
    children.push_back(start(compiler));
  int makes = 0;
  for (pid_t child : children)
    makes += finish(child);
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(filesBelow(folder.path).size(), 1u);
}

TEST(StoreProcess, DoesNotWaitForever) {
  TemporaryFolder folder;
  auto slow = start([&] {
    Store store(optionsFor(folder));
    auto result = store.getOrMake(keyOf(0), "", []() -> llvm::Expected<std::string> {
      std::this_thread::sleep_for(std::chrono::seconds(20));
      return contentOf(0);
    });
    return 0;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  StoreOptions options = optionsFor(folder);
  options.patience = std::chrono::milliseconds(100);
  auto begin = std::chrono::steady_clock::now();
  auto result = Store(options).getOrMake(keyOf(0), "", []() -> llvm::Expected<std::string> { return contentOf(0); });
  EXPECT_EQ(result->bytes, contentOf(0));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  kill(slow, SIGKILL);
  finish(slow);
}

TEST(StoreProcess, AKilledCompilerLeavesNothingInTheWay) {
  TemporaryFolder folder;
  auto killed = start([&] {
    Store store(optionsFor(folder));
    auto result = store.getOrMake(keyOf(0), "", []() -> llvm::Expected<std::string> {
      std::this_thread::sleep_for(std::chrono::seconds(20));
      return contentOf(0);
    });
    return 0;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(killed, SIGKILL);
  EXPECT_EQ(finish(killed), -SIGKILL);
  bool made = false;
  auto result = Store(optionsFor(folder)).getOrMake(keyOf(0), "", [&]() -> llvm::Expected<std::string> {
    made = true;
    return contentOf(0);
  });
  EXPECT_EQ(result->bytes, contentOf(0));
  EXPECT_TRUE(made);
}

TEST(StoreProcess, WritersReadersAndGcTogether) {
  TemporaryFolder folder;
  constexpr int kKeys = 6;
  auto worker = [&](int seed) {
    return [&folder, seed] {
      int warnings = 0;
      StoreOptions options = optionsFor(folder);
      options.warn = [&](const std::string &text) {
        fprintf(stderr, "%s\n", text.c_str());
        warnings++;
      };
      Store store(options);
      std::mt19937 random(seed);
      for (int i = 0; i < 60; i++) {
        int key = random() % kKeys;
        if (random() % 5 == 0) {
          auto cleaning = store.gc(random() % 10000);
          if (!cleaning)
            return 2;
        }
        auto result = store.getOrMake(keyOf(key), "", [&]() -> llvm::Expected<std::string> { return contentOf(key); });
        if (!result || result->bytes != contentOf(key))
          return 3;
      }
      return warnings ? 4 : 0;
    };
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 6; i++)
    children.push_back(start(worker(i)));
  for (pid_t child : children)
    EXPECT_EQ(finish(child), 0);
  auto verified = Store(optionsFor(folder)).verify();
  ASSERT_TRUE(bool(verified));
  for (const StoredEntry &entry : *verified)
    EXPECT_EQ(entry.problem, "") << entry.path;
}

TEST(StoreProcess, WithoutRoomTheModuleIsMadeAndNotKept) {
  TemporaryFolder folder;
  // A limit on the size of files stands for a full disk: writes fail in the middle.
  int status = finish(start([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    StoreOptions options = optionsFor(folder);
    auto result =
        Store(options).getOrMake(keyOf(0), "", []() -> llvm::Expected<std::string> { return someBytes(100000, 1); });
    if (!result || result->bytes != someBytes(100000, 1))
      return 1;
    return result->problem.find("cannot write ") == 0 ? 0 : 2;
  }));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(filesBelow(folder.path).size(), 0u);
}
