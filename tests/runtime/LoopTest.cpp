//===- LoopTest.cpp - Steps that repeat, states that do not grow ----------===//

#include "tests/runtime/TestModule.h"

#include <gmock/gmock.h>
#include <random>
#include <thread>

using namespace nova::test;
using testing::HasSubstr;

namespace {

/// Rows for the module with layers of carries, and what it makes of them.
struct Layers {
  Tensor<double> rows, depth, expected;

  Layers(int64_t n, int64_t d, int64_t layers, int seed) : rows({n, d}), depth({layers}), expected({n, d}) {
    fill(rows, seed);
    expected.data = rows.data;
    for (int64_t l = 0; l < layers; ++l)
      for (int64_t j = 0; j < d; ++j) {
        double carry = static_cast<double>(j + 1);
        for (int64_t i = 0; i < n; ++i)
          carry = expected.data[i * d + j] = carry / 2 + expected.data[i * d + j];
      }
  }
};

/// Rows from .. from + m, results into the same rows of `out`.
std::string feed(nova_context_t *context, nova_module_t *module, nova_session_t *session, Layers &layers, int64_t from,
                 int64_t m, Tensor<double> &out) {
  int64_t d = layers.rows.dims[1], dims[] = {m, d};
  nova_tensor_t in{NOVA_F64, 2, dims, layers.rows.data.data() + from * d},
      result{NOVA_F64, 2, dims, out.data.data() + from * d};
  return run(context, {{module, session, {in, layers.depth.view()}, {result}}});
}

TEST(Loop, WholeRuns) {
  ModulePtr module = load(carryManifest());
  for (int32_t threads : {1, 2, 3, 8}) {
    ContextPtr context = makeContext(threads);
    for (auto [n, d, depth] :
         {std::tuple(0, 3, 2), {4, 0, 2}, {4, 3, 0}, {1, 1, 1}, {5, 7, 3}, {200, 33, 2}, {3, 2, 4}}) {
      Layers layers(n, d, depth, 3);
      Tensor<double> out({n, d}, -1);
      ASSERT_EQ(feed(context.get(), module.get(), nullptr, layers, 0, n, out), "");
      EXPECT_EQ(out.data, layers.expected.data) << n << " " << d << " " << depth;
    }
  }
}

TEST(Loop, AnySplitHandsTheCarryOn) {
  ModulePtr module = load(carryManifest());
  std::mt19937 random(11);
  for (int32_t threads : {1, 3}) {
    ContextPtr context = makeContext(threads);
    SessionPtr session = makeSession(module.get());
    for (int round = 0; round < 6; ++round) {
      int64_t n = static_cast<int64_t>(random() % 200);
      Layers layers(n, 1 + static_cast<int64_t>(random() % 20), 1 + static_cast<int64_t>(random() % 4), round);
      Tensor<double> out({n, layers.rows.dims[1]}, -1);
      for (int64_t done = 0; done < n;) { // also pieces without rows
        int64_t m = std::min<int64_t>(n - done, static_cast<int64_t>(random() % 4 ? random() % 3 : random() % 90));
        ASSERT_EQ(feed(context.get(), module.get(), session.get(), layers, done, m, out), "");
        done += m;
      }
      EXPECT_EQ(out.data, layers.expected.data);
      nova_session_reset(session.get());
    }
  }
}

TEST(Loop, AFailedPieceLeavesTheCarryAsItWas) {
  ModulePtr module = load(carryManifest());
  for (int32_t threads : {1, 3}) {
    ContextPtr context = makeContext(threads);
    SessionPtr failing = makeSession(module.get()), other = makeSession(module.get());
    Layers layers(40, 5, 3, 1), beside(40, 5, 3, 2);
    Tensor<double> out({40, 5}, -1), besideOut({40, 5}, -1);
    ASSERT_EQ(feed(context.get(), module.get(), failing.get(), layers, 0, 10, out), "");
    ASSERT_EQ(feed(context.get(), module.get(), other.get(), beside, 0, 10, besideOut), "");
    double good = layers.rows.data[25 * 5 + 2];
    layers.rows.data[25 * 5 + 2] = -1000;
    // Both in one call: neither goes on.
    int64_t dims[] = {30, 5};
    auto piece = [&](Layers &from, Tensor<double> &to, nova_session_t *session) {
      return ModuleRun{module.get(),
                       session,
                       {{NOVA_F64, 2, dims, from.rows.data.data() + 50}, from.depth.view()},
                       {{NOVA_F64, 2, dims, to.data.data() + 50}}};
    };
    EXPECT_THAT(run(context.get(), {piece(beside, besideOut, other.get()), piece(layers, out, failing.get())}),
                HasSubstr("run 1, integer division by zero in step recur of test.carry"));
    EXPECT_EQ(nova_session_length(failing.get()), 10);
    EXPECT_EQ(out.data[50], -1);
    layers.rows.data[25 * 5 + 2] = good;
    ASSERT_EQ(run(context.get(), {piece(beside, besideOut, other.get()), piece(layers, out, failing.get())}), "");
    EXPECT_EQ(out.data, layers.expected.data);
    EXPECT_EQ(besideOut.data, beside.expected.data);
  }
}

TEST(Loop, SessionsOfManyThreads) {
  ModulePtr module = load(carryManifest());
  ContextPtr shared = makeContext(2);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      ContextPtr own = makeContext(2);
      SessionPtr session = makeSession(module.get());
      Layers layers(240, 40 + thread, 3, thread);
      Tensor<double> out({240, 40 + thread}, -1);
      for (int64_t from = 0; from < 240; from += 80) {
        nova_context_t *context = from == 80 ? own.get() : shared.get();
        EXPECT_EQ(feed(context, module.get(), session.get(), layers, from, 80, out), "");
      }
      EXPECT_EQ(out.data, layers.expected.data);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Loop, NumbersThatCannotBe) {
  ContextPtr context = makeContext(2);
  auto failure = [&](Json manifest) {
    ModulePtr module = load(manifest);
    Layers layers(4, 3, 2, 1);
    Tensor<double> out({4, 3}, -1);
    return feed(context.get(), module.get(), nullptr, layers, 0, 4, out);
  };
  Json manifest = carryManifest();
  manifest["steps"][1]["repeat"] = constantDim(-1);
  EXPECT_EQ(failure(manifest), "module invalid: a loop: expected -1 to be 0 or more, found -1");
  manifest = carryManifest();
  manifest["steps"][1]["repeat"] = constantDim(3); // more than the state has matrices
  EXPECT_EQ(failure(manifest),
            "module invalid: step begin: its last instance is at matrix 2 of buffer carries, which has 2");
  manifest = carryManifest();
  manifest["steps"][1]["steps"][0]["buffers"][1]["loops"]["strides"][0] = constantDim(-8);
  EXPECT_EQ(failure(manifest), "module invalid: step begin: expected the stride -8 to be 0 or more, found -8");
  manifest = carryManifest();
  manifest["steps"][1]["repeat"] = manifest["steps"][1]["steps"][1]["repeat"] = constantDim(INT64_C(1) << 40);
  manifest["steps"][1]["steps"][0]["buffers"][0]["loops"]["strides"][0] = constantDim(0);
  EXPECT_EQ(failure(manifest), "shape mismatch: step recur: the runs of its loops are more than 63 bits hold");
  manifest = carryManifest();
  manifest["buffers"][2]["bytes"] = "bytes_huge";
  ModulePtr module = load(manifest);
  SessionPtr session = makeSession(module.get());
  Layers layers(4, 3, 2, 1);
  Tensor<double> out({4, 3}, -1);
  EXPECT_THAT(
      feed(context.get(), module.get(), session.get(), layers, 0, 4, out),
      HasSubstr(
          "buffer carries.next: expected matrices of 64 bytes, as those of its state, found 1152921504606846976"));
}

} // namespace
