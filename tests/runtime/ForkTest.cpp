//===- ForkTest.cpp - Sessions that have rows in common -------------------===//

#include "tests/runtime/TestModule.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace nova::test;

namespace {

// Sanitizers keep memory of their own for all that is touched.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NOVA_TEST_SHADOW_MEMORY
#endif
#endif
#ifdef NOVA_TEST_SHADOW_MEMORY
constexpr bool kHasShadow = true;
#else
constexpr bool kHasShadow = false;
#endif

constexpr int64_t kHeads = 3, kWidth = 64;

/// A session of runningBatchManifest beside the sums that its rows must give.
struct Tree {
  SessionPtr session;
  std::vector<std::vector<double>> sums; // after each row, of all heads

  std::string extend(nova_context_t *context, nova_module_t *module, int64_t rows, int64_t seed) {
    Tensor<double> in({1, kHeads, rows, kWidth}), weight({kWidth}, 1), out({1, kHeads, rows, kWidth}, -1);
    fill(in, static_cast<int>(seed));
    std::string failure = run(context, {{module, session.get(), {in.view(), weight.view()}, {out.view()}}});
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<double> sum = sums.empty() ? std::vector<double>(kHeads * kWidth) : sums.back();
      for (int64_t head = 0; head < kHeads; ++head)
        for (int64_t j = 0; j < kWidth; ++j) {
          size_t at = static_cast<size_t>((head * rows + row) * kWidth + j);
          double &mine = sum[static_cast<size_t>(head * kWidth + j)];
          mine += in.data[at];
          if (failure.empty() && out.data[at] != mine + 1)
            failure = "row " + std::to_string(sums.size()) + " of head " + std::to_string(head);
        }
      sums.push_back(std::move(sum));
    }
    return failure;
  }
  Tree fork() const {
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_fork(session.get(), &made)), "");
    return {SessionPtr(made), sums};
  }
  void rewind(int64_t length) {
    ASSERT_EQ(take(nova_session_rewind(session.get(), length)), "");
    sums.resize(static_cast<size_t>(length));
  }
};

/// What the process has in memory, what it shares with itself counted once, in bytes.
int64_t memoryInUse() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;)
    if (word == "Pss:") {
      int64_t kilobytes;
      rollup >> kilobytes;
      return kilobytes << 10;
    }
  return -1;
}

TEST(Fork, ManyHaveTheMemoryOfOne) {
  ModulePtr module = load(described(runningBatchManifest()));
  ContextPtr context = makeContext(1);
  Tree tree{makeSession(module.get()), {}};
  constexpr int64_t kRows = 4096, kBytes = kRows * kHeads * kWidth * 8;
  ASSERT_EQ(tree.extend(context.get(), module.get(), kRows, 1), "");
  std::vector<SessionPtr> forks;
  int64_t before = memoryInUse();
  Tensor<double> in({1, kHeads, 1, kWidth}), weight({kWidth}, 1), first({1, kHeads, 1, kWidth}), out = first;
  for (int i = 0; i < 16; ++i) {
    forks.push_back(tree.fork().session);
    ASSERT_EQ(run(context.get(), {{module.get(),
                                   forks[static_cast<size_t>(i)].get(),
                                   {in.view(), weight.view()},
                                   {(i ? out : first).view()}}}),
              "");
    if (i > 0)
      ASSERT_EQ(out.data, first.data);
  }
  if (!kHasShadow)
    EXPECT_LT(memoryInUse() - before, 4 * kBytes); // and not 16 times as much: all have been read
  EXPECT_EQ(first.data[0], tree.sums.back()[0] + 1);
}

TEST(Fork, WhatOneDoesNoOtherSees) {
  ModulePtr module = load(described(runningBatchManifest()));
  ContextPtr context = makeContext(2);
  for (int seed = 0; seed < 4; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
    std::vector<Tree> trees(1);
    trees[0].session = makeSession(module.get());
    ASSERT_EQ(trees[0].extend(context.get(), module.get(), 300 + below(900), seed), "");
    for (int step = 0; step < 60; ++step) {
      Tree &tree = trees[random() % trees.size()];
      auto length = static_cast<int64_t>(tree.sums.size());
      switch (random() % 6) {
      case 0:
        if (trees.size() < 8)
          trees.push_back(tree.fork());
        break;
      case 1:
        tree.rewind(below(length + 1));
        break;
      case 2:
        if (trees.size() > 1) // in any order, the first one too
          trees.erase(trees.begin() + below(static_cast<int64_t>(trees.size())));
        break;
      case 3:
        if (below(5) == 0) {
          nova_session_reset(tree.session.get());
          tree.sums.clear();
        }
        break;
      default:
        ASSERT_EQ(tree.extend(context.get(), module.get(), 1 + below(below(4) ? 5 : 400), step), "")
            << "seed " << seed << ", step " << step;
      }
    }
  }
}

} // namespace
