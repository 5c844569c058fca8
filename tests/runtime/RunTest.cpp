//===- RunTest.cpp - Whole runs, threads, lists of runs -------------------===//

#include "tests/runtime/TestModule.h"

#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace nova::test;

namespace {

/// A run of the prefix module with what it should give.
struct PrefixCase {
  Tensor<double> in, total, prefix;
  std::vector<double> expected;

  PrefixCase(int64_t n, int64_t d, int seed) : in({n, d}), total({1}, -1), prefix({n}, -1) {
    fill(in, seed);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += std::accumulate(in.data.begin() + i * d, in.data.begin() + (i + 1) * d, 0.0);
      expected.push_back(sum);
    }
  }
  ModuleRun asRun(nova_module_t *module) { return {module, nullptr, {in.view()}, {total.view(), prefix.view()}}; }
  void check() const {
    EXPECT_EQ(prefix.data, expected);
    EXPECT_EQ(total.data[0], expected.empty() ? 0 : expected.back());
  }
};

class Threads : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Run, Threads, testing::Values(1, 2, 3, 4, 7, 16));

TEST_P(Threads, StepsSeeAllBlocksOfTheStepBefore) {
  ModulePtr module = load(prefixManifest());
  ContextPtr context = makeContext(GetParam());
  EXPECT_EQ(nova_context_threads(context.get()), GetParam());
  for (int64_t n : {0, 1, 2, 3, 4, 5, 6, 15, 16, 17, 300})
    for (int64_t d : {0, 1, 7, 64}) {
      PrefixCase one(n, d, 1);
      ASSERT_EQ(run(context.get(), {one.asRun(module.get())}), "");
      one.check();
    }
}

TEST_P(Threads, RunsOfDifferentShapesAndModules) {
  ModulePtr prefix = load(prefixManifest()), scale = load(scaleManifest());
  ContextPtr context = makeContext(GetParam());
  for (int round = 0; round < 20; ++round) {
    std::vector<PrefixCase> cases;
    for (int i = 0; i < 40; ++i)
      cases.emplace_back((i * 37 + round * 11) % 60, 1 + (i * 5) % 90, i);
    Tensor<float> in({500, 9}, 1), out({500, 9});
    std::vector<ModuleRun> runs;
    for (PrefixCase &one : cases)
      runs.push_back(one.asRun(prefix.get()));
    runs.push_back({scale.get(), nullptr, {in.view()}, {out.view()}});
    ASSERT_EQ(run(context.get(), runs), "");
    for (const PrefixCase &one : cases)
      one.check();
    for (size_t i = 0; i < out.data.size(); ++i)
      ASSERT_EQ(out.data[i], 2.0f + static_cast<float>(i / 9));
  }
}

TEST(Run, ZeroRowsAndZeroColumns) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(2);
  for (std::vector<int64_t> shape : {std::vector<int64_t>{0, 3}, {3, 0}, {0, 0}}) {
    nova_tensor_t empty{NOVA_F32, 2, shape.data(), nullptr};
    EXPECT_EQ(run(context.get(), {{module.get(), nullptr, {empty}, {empty}}}), "");
  }
}

TEST(Run, RankZero) {
  Json manifest = scaleManifest();
  manifest["symbols"] = {"n", "d"};
  manifest["arguments"].push_back(
      {{"name", "s"}, {"type", "f32"}, {"dims", Json::array()}, {"sequence_axis", nullptr}});
  ModulePtr module = load(manifest);
  Tensor<float> in({1, 1}, 4), scalar({}), out({1, 1});
  ASSERT_EQ(scalar.data.size(), 1u);
  nova_tensor_t view = scalar.view();
  view.dims = nullptr;
  EXPECT_EQ(run(makeContext(1).get(), {{module.get(), nullptr, {in.view(), view}, {out.view()}}}), "");
  EXPECT_EQ(out.data[0], 8);
}

TEST(Run, ConstantsOfTheModule) {
  Json manifest = scaleManifest();
  manifest["symbols"] = Json::array({"n"});
  for (const char *ports : {"arguments", "results"}) {
    manifest[ports][0]["type"] = "f64";
    manifest[ports][0]["dims"] = Json::array({symbolDim("n")});
  }
  manifest["buffers"].insert(manifest["buffers"].begin() + 1, Json{{"kind", "constant"}, {"symbol", "table"}});
  manifest["steps"][0]["entry"] = {{"x86-64-v3", "addtable"}, {"x86-64-v4", "addtable"}};
  manifest["steps"][0]["buffers"] = stepBuffers({0, 1, 2});
  ModulePtr module = load(manifest);
  Tensor<double> in({5}, 1), out({5});
  EXPECT_EQ(run(makeContext(2).get(), {{module.get(), nullptr, {in.view()}, {out.view()}}}), "");
  EXPECT_EQ(out.data, (std::vector<double>{1.5, 2.5, 3.5, 4.5, 1.5}));
}

TEST(Run, NewMemoryIsZeroAndAligned) {
  Json manifest = divideManifest();
  manifest["can_fail"] = false;
  manifest["results"].erase(1);
  manifest["buffers"] = {{{"kind", "temporary"}, {"name", "fresh"}, {"bytes", "bytes_n"}, {"count", constantDim(1)}},
                         {{"kind", "result"}, {"index", 0}}};
  Json step = manifest["steps"][0];
  step["kernel"] = "inspect";
  step["entry"] = {{"x86-64-v3", "inspect"}, {"x86-64-v4", "inspect"}};
  step["buffers"] = stepBuffers({0, 1});
  step["scratch"] = "scratch_rows";
  manifest["steps"] = Json::array({step});
  ModulePtr module = load(manifest);
  for (int64_t n : {1, 100, 100000}) {
    ContextPtr context = makeContext(2);
    Tensor<int64_t> a({n}), b({n}), out({n}, -1);
    ASSERT_EQ(run(context.get(), {{module.get(), nullptr, {a.view(), b.view()}, {out.view()}}}), "");
    EXPECT_EQ(out.data, std::vector<int64_t>(static_cast<size_t>(n), 0));
    nova_context_trim(context.get());
    ASSERT_EQ(run(context.get(), {{module.get(), nullptr, {a.view(), b.view()}, {out.view()}}}), "");
    EXPECT_EQ(out.data[0], 0);
  }
}

TEST(Run, TheCallersParallelFor) {
  struct Pool {
    int calls = 0;
    static void parallelFor(void *user, int32_t workers, void (*body)(void *, int32_t), void *argument) {
      ++static_cast<Pool *>(user)->calls;
      std::vector<std::thread> threads;
      for (int32_t worker = 0; worker < workers; ++worker)
        threads.emplace_back(body, argument, worker);
      for (std::thread &thread : threads)
        thread.join();
    }
  } pool;
  nova_context_options_t options{sizeof options, 3, Pool::parallelFor, &pool, NOVA_ONEDNN_ON};
  nova_context_t *made = nullptr;
  ASSERT_EQ(take(nova_context_create(&options, &made)), "");
  ContextPtr context(made);
  ModulePtr module = load(prefixManifest());
  PrefixCase large(400, 100, 3), tiny(2, 2, 4);
  EXPECT_EQ(run(context.get(), {tiny.asRun(module.get())}), "");
  EXPECT_EQ(pool.calls, 0) << "tiny work wakes no threads";
  EXPECT_EQ(run(context.get(), {large.asRun(module.get())}), "");
  EXPECT_EQ(pool.calls, 1);
  tiny.check();
  large.check();
}

TEST(Run, AParallelForThatRunsWorkersOneByOneOrNotAtAll) {
  // Workers must not need each other, and what nobody claimed the calling thread does.
  auto inTurn = [](void *, int32_t workers, void (*body)(void *, int32_t), void *argument) {
    for (int32_t worker = workers - 1; worker >= 0; --worker)
      body(argument, worker);
  };
  auto lazy = [](void *, int32_t, void (*)(void *, int32_t), void *) {};
  for (nova_parallel_for_t hook : {nova_parallel_for_t(inTurn), nova_parallel_for_t(lazy)}) {
    nova_context_options_t options{sizeof options, 4, hook, nullptr, NOVA_ONEDNN_ON};
    nova_context_t *made = nullptr;
    ASSERT_EQ(take(nova_context_create(&options, &made)), "");
    ContextPtr context(made);
    ModulePtr module = load(prefixManifest());
    PrefixCase large(400, 100, 3);
    EXPECT_EQ(run(context.get(), {large.asRun(module.get())}), "");
    large.check();
  }
}

TEST(Run, ManyThreadsOfTheCaller) {
  ModulePtr module = load(prefixManifest());
  ContextPtr shared = makeContext(2);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      ContextPtr own = makeContext(2);
      for (int i = 0; i < 20; ++i)
        for (nova_context_t *context : {shared.get(), own.get()}) {
          PrefixCase one(100 + thread, 80, thread + i);
          EXPECT_EQ(run(context, {one.asRun(module.get())}), "");
          one.check();
        }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Context, ChecksItsOptions) {
  nova_context_t *context = nullptr;
  nova_context_options_t negative{sizeof negative, -1, nullptr, nullptr, NOVA_ONEDNN_ON},
      many = negative, unsized = negative, odd = negative;
  many.threads = 5000;
  unsized.size = 0;
  odd.threads = 1;
  odd.onednn = static_cast<nova_onednn_t>(7);
  EXPECT_EQ(take(nova_context_create(&negative, &context)), "invalid argument: threads: expected 0 .. 4096, found -1");
  EXPECT_EQ(take(nova_context_create(&many, &context)), "invalid argument: threads: expected 0 .. 4096, found 5000");
  EXPECT_EQ(take(nova_context_create(&unsized, &context)), "invalid argument: options: expected size 40, found 0");
  EXPECT_EQ(take(nova_context_create(&odd, &context)),
            "invalid argument: onednn: expected NOVA_ONEDNN_ON or NOVA_ONEDNN_OFF, found 7");
  EXPECT_EQ(take(nova_context_create(nullptr, nullptr)), "invalid argument: context is null");
  EXPECT_EQ(context, nullptr);
  ASSERT_EQ(take(nova_context_create(nullptr, &context)), "");
  EXPECT_GE(nova_context_threads(context), 1);
  nova_context_free(context);
  nova_context_free(nullptr);
  nova_context_trim(nullptr);
  EXPECT_EQ(nova_context_threads(nullptr), 0);
}

TEST(OneDnn, WrongArguments) {
  int32_t qualified = 0;
  EXPECT_EQ(take(nova_onednn_qualify(0, 4, &qualified)), "invalid argument: expected sizes in 1 .. 65536, found 0");
  EXPECT_EQ(take(nova_onednn_qualify(4, 4, nullptr)), "invalid argument: qualified is null");
  nova_onednn_info_t info{};
  info.size = 1;
  EXPECT_EQ(take(nova_onednn_describe(&info)),
            "invalid argument: info: expected size " + std::to_string(sizeof info) + ", found 1");
}

TEST(Run, KernelsAreMeasured) {
  ModulePtr module = load(prefixManifest());
  for (int32_t threads : {1, 3}) {
    ContextPtr context = makeContext(threads);
    Tensor<double> in({30, 4}, 1), total({1}), prefix({30});
    std::vector<ModuleRun> runs{{module.get(), nullptr, {in.view()}, {total.view(), prefix.view()}}};
    auto measured = [&] {
      std::vector<nova_kernel_time_t> times(nova_context_kernel_times(context.get(), nullptr, 0));
      EXPECT_EQ(nova_context_kernel_times(context.get(), times.data(), times.size()), times.size());
      std::string text;
      for (const nova_kernel_time_t &time : times) {
        EXPECT_GE(time.nanoseconds, 0);
        text += std::string(time.kernel) + " " + std::to_string(time.calls) + ", ";
      }
      return text;
    };
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(measured(), "");
    nova_context_measure(context.get(), 1);
    ASSERT_EQ(run(context.get(), runs), "");
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(measured(), "last 2, prefix 12, rowsum 20, "); // blocks of 5 and of 3 rows
    nova_context_measure(context.get(), 0);
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(measured(), "");
  }
  nova_context_measure(nullptr, 1);
  EXPECT_EQ(nova_context_kernel_times(nullptr, nullptr, 0), 0u);
}

} // namespace
