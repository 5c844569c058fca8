// The store under faults at every call: killed writers, full and read-only disks, errors, short reads and writes.
#include "compiler/identity/Store.h"
#include "tests/identity/ChildProcess.h"
#include "tests/identity/FaultInjection.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <csignal>
#include <filesystem>

using namespace nova;
using namespace nova::test;

namespace {
const Hash oldest = sha256("oldest"), kept = sha256("kept"), made = sha256("made");
// Two entries of this size have room, three have not.
constexpr uint64_t kLimit = 12000;

std::string contentOf(const Hash &key) { return someBytes(5000, key.bytes[0]); }

/// What a process did with the store: bits of its exit status.
enum Outcome { Fine = 0, WrongContent = 1, Nagging = 2, Unkept = 4, Failed = 8 };

class StoreFaults : public testing::Test {
protected:
  StoreOptions options() {
    StoreOptions options;
    options.directory = folder.path + "/store";
    options.sizeLimit = kLimit;
    options.patience = std::chrono::milliseconds(20);
    options.warn = [this](const std::string &text) { warnings.push_back(text); };
    return options;
  }

  int get(const Hash &key) {
    warnings.clear();
    auto result = Store(options()).getOrMake(key, "label", [&]() -> llvm::Expected<std::string> {
      return contentOf(key);
    });
    if (!result) {
      llvm::consumeError(result.takeError());
      return Failed;
    }
    int outcome = result->bytes == contentOf(key) ? Fine : WrongContent;
    if (warnings.size() + !result->problem.empty() > 1)
      outcome |= Nagging;
    return outcome | (result->problem.empty() ? 0 : Unkept);
  }

  /// All that a process may do: make, read, list, verify, clean.
  int everything() {
    int outcome = get(made) | get(kept);
    Store store(options());
    for (auto act : {&Store::list, &Store::verify})
      if (auto entries = (store.*act)(); !entries)
        llvm::consumeError(entries.takeError());
    if (auto cleaning = store.gc(kLimit); !cleaning)
      llvm::consumeError(cleaning.takeError());
    return outcome;
  }

  // Calls are counted still, so that no disk is really flushed.
  void stopFaults() { injectFaults({folder.path + "/store", FaultKind::None, 0, 0, ""}); }

  void prepare() {
    stopFaults();
    std::filesystem::remove_all(folder.path + "/store");
    for (const Hash &key : {oldest, kept})
      ASSERT_EQ(get(key), Fine);
    std::filesystem::last_write_time(Store(options()).pathOf(oldest),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }

  /// Runs `everything` in a process under a fault; its exit status, or minus the signal.
  int strike(FaultKind kind, long at, int code, long *calls = nullptr) {
    std::string report = folder.path + "/calls";
    int status = finish(start([&] {
      injectFaults({folder.path + "/store", kind, at, code, ""});
      int outcome = everything();
      std::string count = std::to_string(watchedCalls());
      stopFaults();
      if (calls)
        writeBytes(report, count);
      return outcome;
    }));
    if (calls)
      *calls = std::stol(readBytes(report));
    return status;
  }

  /// Whatever happened: what is there is whole, within the limit, and the next process works as if nothing had been.
  void expectSound(const std::string &what) {
    SCOPED_TRACE(what);
    Store store(options());
    uint64_t bytes = 0;
    auto entries = store.verify();
    ASSERT_TRUE(bool(entries));
    for (const StoredEntry &entry : *entries) {
      EXPECT_EQ(entry.problem, "");
      bytes += entry.bytes;
    }
    EXPECT_LE(bytes, kLimit);
    auto still = store.read(kept);
    ASSERT_TRUE(still && *still) << "an entry in use was lost";
    EXPECT_EQ(**still, contentOf(kept));
    auto cleaning = store.gc(kLimit);
    ASSERT_TRUE(bool(cleaning));
    EXPECT_EQ(filesBelow(store.directory() + "/tmp"), std::vector<std::string>());
    EXPECT_EQ(filesBelow(store.directory() + "/locks"), std::vector<std::string>());
    for (const Hash &key : {made, kept}) {
      EXPECT_EQ(get(key), Fine);
      EXPECT_EQ(warnings, std::vector<std::string>());
    }
  }

  /// Strikes every call in turn. `allowed` holds the outcomes that may be, minus a signal among them.
  void strikeEveryCall(FaultKind kind, int code, int allowed, int signal = 0) {
    prepare();
    long calls = 0;
    ASSERT_EQ(strike(FaultKind::None, 0, 0, &calls), Fine);
    ASSERT_GT(calls, 50);
    // A fault may lead to more calls than there are without.
    for (long at = 1; at <= calls + 20; at++) {
      prepare();
      int status = strike(kind, at, code);
      std::string what = "call " + std::to_string(at) + ", errno " + std::to_string(code);
      if (status < 0)
        EXPECT_EQ(-status, signal) << what;
      else
        EXPECT_EQ(status & ~allowed, 0) << what;
      if (signal && at <= calls)
        EXPECT_EQ(-status, signal) << what;
      expectSound(what);
      if (HasFatalFailure())
        return;
    }
  }

  TemporaryFolder folder;
  std::vector<std::string> warnings;
};
} // namespace

TEST_F(StoreFaults, KilledBeforeEveryCall) { strikeEveryCall(FaultKind::KillBefore, 0, Fine, SIGKILL); }

TEST_F(StoreFaults, KilledAfterEveryCall) { strikeEveryCall(FaultKind::KillAfter, 0, Fine, SIGKILL); }

TEST_F(StoreFaults, ShortAtEveryCall) { strikeEveryCall(FaultKind::Short, 0, Fine); }

TEST_F(StoreFaults, InterruptedAtEveryCall) { strikeEveryCall(FaultKind::Once, EINTR, Unkept); }

TEST_F(StoreFaults, OneErrorAtEveryCall) {
  for (int code : {EIO, EMFILE})
    strikeEveryCall(FaultKind::Once, code, Unkept);
}

TEST_F(StoreFaults, ErrorsFromEveryCallOn) {
  for (int code : {EIO, ENOSPC, EROFS, EACCES, ENOLCK})
    strikeEveryCall(FaultKind::Lasting, code, Unkept);
}

TEST_F(StoreFaults, AStoreThatCannotBeUsedIsToldOnce) {
  prepare();
  injectFaults({folder.path + "/store", FaultKind::Lasting, 1, EIO, ""});
  int outcome = get(kept);
  stopFaults();
  EXPECT_EQ(outcome, Unkept);
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(StoreFaults, AnUnreadableEntryIsMadeAgainAndNotRemovedByVerify) {
  prepare();
  Store store(options());
  injectFaults({folder.path + "/store/entries", FaultKind::Lasting, 1, EIO, "read"});
  auto entries = store.verify();
  int outcome = get(kept);
  stopFaults();
  ASSERT_TRUE(bool(entries));
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].problem, "cannot read store entry " + (*entries)[0].path + ": Input/output error");
  EXPECT_EQ(outcome, Fine);
  EXPECT_EQ(warnings, std::vector<std::string>({"cannot read store entry " + store.pathOf(kept) +
                                                ": Input/output error; it was made again"}));
  expectSound("unreadable");
}

TEST_F(StoreFaults, WhatCannotBeRemovedIsListed) {
  prepare();
  Store store(options());
  std::string bytes = readBytes(store.pathOf(kept));
  bytes.back() ^= 1;
  writeBytes(store.pathOf(kept), bytes);
  injectFaults({folder.path + "/store/entries", FaultKind::Lasting, 1, EROFS, "remove"});
  auto entries = store.verify();
  stopFaults();
  ASSERT_TRUE(bool(entries));
  EXPECT_EQ((*entries)[0].problem,
            "the content's checksum does not match; cannot remove it: Read-only file system");
}

TEST_F(StoreFaults, AFileNamedAsEveryDraftWouldBe) {
  prepare();
  injectFaults({folder.path + "/store/tmp", FaultKind::Lasting, 1, EEXIST, "open"});
  llvm::Error error = Store(options()).write(made, "label", contentOf(made));
  stopFaults();
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot create a file in " + folder.path + "/store/tmp: every name was taken");
}
