// The store in one process: what is put is found, what is damaged is made again, what is old makes room.
#include "compiler/identity/Store.h"
#include "compiler/identity/StoreFile.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace nova;
using namespace nova::test;

namespace {
class StoreTest : public testing::Test {
protected:
  StoreOptions options(uint64_t limit = 1 << 20) {
    StoreOptions made;
    made.directory = folder.path + "/store";
    made.sizeLimit = limit;
    made.patience = std::chrono::milliseconds(200);
    made.warn = [this](const std::string &text) { warnings.push_back(text); };
    return made;
  }

  // What the store has, or makes: `made` counts how often.
  std::string get(const Store &store, const Hash &key, const std::string &content) {
    auto result = store.getOrMake(key, "label", [&]() -> llvm::Expected<std::string> {
      made++;
      return content;
    });
    EXPECT_TRUE(bool(result));
    if (!result)
      return llvm::consumeError(result.takeError()), "";
    problem = result->problem;
    return result->bytes;
  }

  TemporaryFolder folder;
  std::vector<std::string> warnings;
  std::string problem; // of the last `get`
  int made = 0;
  const Hash key = sha256("key");
};

template <typename T> T must(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

void must(llvm::Error error) { EXPECT_EQ(llvm::toString(std::move(error)), ""); }
} // namespace

TEST_F(StoreTest, MakesOnce) {
  Store store(options());
  EXPECT_FALSE(must(store.read(key)));
  EXPECT_EQ(get(store, key, "content"), "content");
  EXPECT_EQ(get(store, key, "other"), "content");
  EXPECT_EQ(get(Store(options()), key, "other"), "content");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(warnings, std::vector<std::string>());
  // Neither temporary files nor locks are left.
  EXPECT_EQ(filesBelow(store.directory()), std::vector<std::string>({store.pathOf(key)}));
  struct stat info;
  ASSERT_EQ(stat(store.directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(StoreTest, FailureOfMakeIsPassedOnAndNotKept) {
  Store store(options());
  auto result = store.getOrMake(key, "label", []() -> llvm::Expected<std::string> {
    return llvm::createStringError(std::errc::invalid_argument, "no module");
  });
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()), "no module");
  EXPECT_EQ(get(store, key, "content"), "content");
  EXPECT_EQ(made, 1);
}

TEST_F(StoreTest, DamagedEntriesAreReportedAndMadeAgain) {
  Store store(options());
  std::string content = someBytes(1000, 1);
  get(store, key, content);
  std::string whole = readBytes(store.pathOf(key));
  std::string altered = whole;
  altered[700] ^= 1;
  for (const std::string &damaged :
       {whole.substr(0, whole.size() / 2), altered, std::string(), std::string("#!/bin/sh\necho foreign\n"),
        encodeStoreEntry(sha256("another key"), "label", content)}) {
    writeBytes(store.pathOf(key), damaged);
    warnings.clear();
    made = 0;
    EXPECT_EQ(get(store, key, content), content);
    EXPECT_EQ(made, 1);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("store entry " + store.pathOf(key) + " is damaged or foreign and will be made again: "),
              std::string::npos);
    EXPECT_EQ(get(store, key, content), content);
    EXPECT_EQ(made, 1);
  }
}

TEST_F(StoreTest, OddThingsInPlaceOfAnEntry) {
  Store store(options());
  std::string path = store.pathOf(key);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  llvm::Expected<std::optional<std::string>> pipe = store.read(key); // and does not wait for a writer
  ASSERT_FALSE(bool(pipe));
  EXPECT_EQ(llvm::toString(pipe.takeError()), "store entry " + path + " is not a regular file");
  EXPECT_EQ(get(store, key, "content"), "content");
  EXPECT_EQ(get(store, key, "content"), "content");
  EXPECT_EQ(made, 1);
  std::filesystem::remove(path);
  writeBytes(folder.path + "/elsewhere", encodeStoreEntry(key, "", "planted"));
  std::filesystem::create_symlink(folder.path + "/elsewhere", path);
  EXPECT_EQ(get(store, key, "content"), "content");
  std::filesystem::remove(path);
  std::filesystem::create_directories(path + "/inner");
  EXPECT_EQ(get(store, key, "content"), "content");
  EXPECT_EQ(made, 3);
  EXPECT_EQ(problem, "cannot put a store entry at " + path + ": Is a directory");
}

TEST_F(StoreTest, WorksWithoutAPlaceToWrite) {
  StoreOptions odd = options();
  writeBytes(folder.path + "/file", "");
  odd.directory = folder.path + "/file/store";
  EXPECT_EQ(get(Store(odd), key, "content"), "content");
  EXPECT_EQ(problem, "cannot create folder " + odd.directory + "/tmp: Not a directory");
  EXPECT_EQ(warnings, std::vector<std::string>());
  if (getuid() == 0)
    return; // root may write anywhere
  Store store(options());
  get(store, key, "content");
  ASSERT_EQ(chmod(store.directory().c_str(), 0500), 0);
  warnings.clear();
  EXPECT_EQ(get(store, key, "other"), "content");
  EXPECT_EQ(get(store, sha256("new"), "new"), "new");
  EXPECT_EQ(chmod(store.directory().c_str(), 0700), 0);
}

TEST_F(StoreTest, EntriesPastTheLimitAreNotKept) {
  Store store(options(500));
  EXPECT_EQ(get(store, key, std::string(1000, 'x')), std::string(1000, 'x'));
  EXPECT_EQ(problem, "store entry has 1133 bytes, more than the limit of 500");
  EXPECT_EQ(filesBelow(store.directory() + "/entries").size(), 0u);
}

TEST_F(StoreTest, LeastRecentlyUsedMakeRoom) {
  Store store(options());
  std::vector<Hash> keys;
  for (int i = 0; i < 4; i++) {
    keys.push_back(sha256("key " + std::to_string(i)));
    get(store, keys[i], std::string(1000, char('a' + i)));
    // An hour between uses, oldest first.
    auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(10 - i);
    std::filesystem::last_write_time(store.pathOf(keys[i]), time);
  }
  get(store, keys[0], ""); // used just now
  StoreCleaning cleaning = must(store.gc(2 * 1133 + 1));
  EXPECT_EQ(cleaning.removed, 2u);
  EXPECT_EQ(cleaning.removedBytes, 2u * 1133);
  EXPECT_EQ(cleaning.left, 2u);
  EXPECT_TRUE(must(store.read(keys[0])));
  EXPECT_FALSE(must(store.read(keys[1])));
  EXPECT_FALSE(must(store.read(keys[2])));
  EXPECT_TRUE(must(store.read(keys[3])));
  EXPECT_EQ(must(store.gc(0)).left, 0u);
}

TEST_F(StoreTest, WritingKeepsToTheLimit) {
  Store store(options(5000));
  for (int i = 0; i < 20; i++)
    get(store, sha256("key " + std::to_string(i)), std::string(1000, 'x'));
  uint64_t bytes = 0;
  for (const StoredEntry &entry : must(store.list()))
    bytes += entry.bytes;
  EXPECT_LE(bytes, 5000u);
  EXPECT_GE(bytes, 4000u);
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(StoreTest, GcLeavesForeignFilesAndRemovesLeftovers) {
  Store store(options());
  get(store, key, "content");
  writeBytes(store.directory() + "/entries/aa/notes.txt", "mine");
  writeBytes(store.directory() + "/tmp/1-0-0", "left by a process that ended");
  writeBytes(store.directory() + "/locks/old", "");
  StoreDraft beingWritten = must(StoreDraft::write(store.directory() + "/tmp", "being written"));
  must(store.gc(0));
  std::vector<std::string> files = filesBelow(store.directory());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], store.directory() + "/entries/aa/notes.txt");
  EXPECT_EQ(readBytes(files[1]), "being written");
  must(std::move(beingWritten).putAt(store.pathOf(key)));
  EXPECT_EQ(readBytes(store.pathOf(key)), "being written");
}

TEST_F(StoreTest, ListAndVerify) {
  Store store(options());
  EXPECT_EQ(must(store.list()).size(), 0u);
  Hash damaged = sha256("damaged"), wrong = sha256("wrong");
  get(store, key, "content");
  get(store, damaged, someBytes(500, 1));
  get(store, wrong, "content");
  std::string bytes = readBytes(store.pathOf(damaged));
  bytes.back() ^= 1;
  writeBytes(store.pathOf(damaged), bytes);
  writeBytes(store.pathOf(wrong), "not an entry");
  writeBytes(store.directory() + "/entries/aa/notes.txt", "mine");
  auto problem = [](const std::vector<StoredEntry> &entries, const std::string &path) {
    for (const StoredEntry &entry : entries)
      if (entry.path == path)
        return entry.problem;
    return std::string("not listed");
  };
  std::vector<StoredEntry> listed = must(store.list());
  EXPECT_EQ(listed.size(), 4u);
  EXPECT_EQ(problem(listed, store.pathOf(key)), "");
  EXPECT_EQ(problem(listed, store.pathOf(damaged)), ""); // list looks at headers only
  EXPECT_EQ(problem(listed, store.pathOf(wrong)), "found 12 bytes, expected a header of 128");
  std::vector<StoredEntry> verified = must(store.verify());
  EXPECT_EQ(problem(verified, store.pathOf(key)), "");
  EXPECT_EQ(problem(verified, store.pathOf(damaged)), "the content's checksum does not match");
  EXPECT_EQ(problem(verified, store.directory() + "/entries/aa/notes.txt"), "the file is not named like an entry");
  EXPECT_EQ(filesBelow(store.directory()).size(), 2u); // the whole entry and the foreign file
  EXPECT_TRUE(must(store.read(key)));
  EXPECT_FALSE(must(store.read(damaged)));
}

TEST_F(StoreTest, ManyThreads) {
  Store store(options());
  std::atomic<int> makes{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([&] {
      auto result = store.getOrMake(key, "", [&]() -> llvm::Expected<std::string> {
        makes++;
        return std::string("content");
      });
      EXPECT_EQ(result->bytes, "content");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(makes, 1);
}

TEST(StoreDirectory, FollowsTheEnvironment) {
  auto with = [](const char *store, const char *cache, const char *home) {
    auto set = [](const char *name, const char *value) { value ? setenv(name, value, 1) : unsetenv(name); };
    set("NOVA_STORE", store);
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
    return Store::defaultDirectory();
  };
  EXPECT_EQ(with("/s", "/c", "/h"), "/s");
  EXPECT_EQ(with(nullptr, "/c", "/h"), "/c/nova");
  EXPECT_EQ(with("", "", "/h"), "/h/.cache/nova");
  EXPECT_EQ(with(nullptr, "relative", "/h"), "/h/.cache/nova");
}
