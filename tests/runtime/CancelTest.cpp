//===- CancelTest.cpp - Calls that the application ends -------------------===//

#include "tests/runtime/TestModule.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace nova::test;

namespace {

constexpr const char *kCancelled = "cancelled: the call was cancelled by nova_context_cancel";

/// Rows of a running sum, fed to a session of any module like runningManifest().
struct Feed {
  explicit Feed(int64_t count) : rows({count, 3}), weight({3}), out({count, 3}) {
    fill(rows, 3);
    fill(weight, 4);
  }
  std::string extend(nova_context_t *context, nova_module_t *module, nova_session_t *session, int64_t first,
                     int64_t count) {
    std::vector<int64_t> dims{count, 3};
    nova_tensor_t in{NOVA_F64, 2, dims.data(), rows.data.data() + first * 3};
    nova_tensor_t result{NOVA_F64, 2, dims.data(), out.data.data() + first * 3};
    return run(context, {{module, session, {in, weight.view()}, {result}}});
  }
  Tensor<double> rows, weight, out;
};

/// A context whose threads do something first.
template <typename First> struct Hook {
  First first;
  ContextPtr make(int32_t threads) {
    auto parallelFor = [](void *user, int32_t workers, void (*body)(void *, int32_t), void *argument) {
      static_cast<Hook *>(user)->first();
      std::vector<std::thread> others;
      for (int32_t worker = 1; worker < workers; ++worker)
        others.emplace_back(body, argument, worker);
      body(argument, 0);
      for (std::thread &other : others)
        other.join();
    };
    nova_context_options_t options{sizeof options, threads, parallelFor, this, NOVA_ONEDNN_OFF};
    nova_context_t *context = nullptr;
    EXPECT_EQ(take(nova_context_create(&options, &context)), "");
    return ContextPtr(context);
  }
};

TEST(Cancel, BeforeACall) {
  ModulePtr module = load(runningManifest());
  for (int32_t threads : {1, 3}) {
    ContextPtr context = makeContext(threads);
    SessionPtr session = makeSession(module.get()), other = makeSession(module.get());
    Feed expected(200), feed(200);
    ASSERT_EQ(expected.extend(context.get(), module.get(), other.get(), 0, 200), "");
    ASSERT_EQ(feed.extend(context.get(), module.get(), session.get(), 0, 50), "");
    nova_context_cancel(context.get());
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(feed.extend(context.get(), module.get(), session.get(), 50, 150), kCancelled);
    EXPECT_EQ(nova_session_length(session.get()), 50);
    nova_context_resume(context.get());
    EXPECT_EQ(feed.extend(context.get(), module.get(), session.get(), 50, 150), "");
    EXPECT_EQ(feed.out.data, expected.out.data);
  }
  nova_context_cancel(nullptr);
  nova_context_resume(nullptr);
}

TEST(Cancel, WithinACallAndLowered) {
  ModulePtr module = load(runningManifest());
  Feed expected(5000), feed(5000);
  ContextPtr plain = makeContext(1);
  SessionPtr session = makeSession(module.get()), other = makeSession(module.get());
  ASSERT_EQ(expected.extend(plain.get(), module.get(), other.get(), 0, 5000), "");
  nova_context_t *seen = nullptr;
  int calls = 0;
  auto cancelFirst = [&] {
    if (++calls == 1)
      nova_context_cancel(seen);
  };
  Hook<decltype(cancelFirst)> hook{cancelFirst};
  ContextPtr context = hook.make(3);
  seen = context.get();
  EXPECT_EQ(feed.extend(context.get(), module.get(), session.get(), 0, 2000), kCancelled);
  EXPECT_EQ(nova_session_length(session.get()), 0);
  nova_context_resume(context.get());
  EXPECT_EQ(feed.extend(context.get(), module.get(), session.get(), 0, 5000), "");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(feed.out.data, expected.out.data);
}

// Whenever it comes, a call ends in one of two ways, and the rows are those of a session that was never cancelled.
TEST(Cancel, AtAnyTime) {
  ModulePtr module = load(runningManifest());
  constexpr int64_t count = 2000, piece = 200;
  Feed expected(count), feed(count);
  ContextPtr plain = makeContext(1), context = makeContext(3);
  SessionPtr session = makeSession(module.get()), other = makeSession(module.get());
  ASSERT_EQ(expected.extend(plain.get(), module.get(), other.get(), 0, count), "");
  std::atomic<bool> done{false};
  std::thread impatient([&] {
    for (unsigned i = 0; !done; ++i) {
      nova_context_cancel(context.get());
      for (unsigned spins = 0; spins < i % 7 * 50; ++spins)
        std::this_thread::yield();
      nova_context_resume(context.get());
      std::this_thread::sleep_for(std::chrono::microseconds(200 + i * 37 % 2000));
    }
  });
  for (int64_t first = 0; first < count;) {
    std::string result = feed.extend(context.get(), module.get(), session.get(), first, piece);
    if (!result.empty())
      EXPECT_EQ(result, kCancelled);
    else
      first += piece;
    EXPECT_EQ(nova_session_length(session.get()), first);
  }
  done = true;
  impatient.join();
  EXPECT_EQ(feed.out.data, expected.out.data);
}

} // namespace
