//===- BatchTest.cpp - Steps that are run for every instance of a batch ---===//

#include "tests/runtime/TestModule.h"

#include <gmock/gmock.h>
#include <numeric>
#include <thread>

using namespace nova::test;
using testing::HasSubstr;

namespace {

/// A run of the batched prefix module with what it should give.
struct PrefixBatch {
  int64_t instances, n, d;
  Tensor<double> in, prefix, raised;

  PrefixBatch(int64_t b, int64_t h, int64_t n, int64_t d, int seed)
      : instances(b * h), n(n), d(d), in({b, h, n, d}), prefix({b, h, n}, -1), raised({b, h, n}, -1) {
    fill(in, seed);
  }
  ModuleRun asRun(nova_module_t *module) { return {module, nullptr, {in.view()}, {prefix.view(), raised.view()}}; }
  void check() const {
    std::vector<double> expected;
    double total = 0;
    for (int64_t instance = 0; instance < instances; ++instance) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        auto row = in.data.begin() + (instance * n + i) * d;
        expected.push_back(sum += std::accumulate(row, row + d, 0.0));
      }
      total += sum;
    }
    ASSERT_EQ(prefix.data, expected);
    for (double &value : expected)
      value += total;
    ASSERT_EQ(raised.data, expected);
  }
};

class Batch : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Run, Batch, testing::Values(1, 2, 3, 4, 7));

TEST_P(Batch, EveryInstanceAndWhoReadsThemAll) {
  ModulePtr module = load(prefixBatchManifest());
  ContextPtr context = makeContext(GetParam());
  for (auto [b, h] : {std::pair(0, 3), {3, 0}, {1, 1}, {1, 5}, {5, 1}, {2, 3}, {3, 8}})
    for (int64_t n : {0, 1, 2, 3, 7, 40})
      for (int64_t d : {0, 1, 33}) {
        PrefixBatch one(b, h, n, d, 3);
        ASSERT_EQ(run(context.get(), {one.asRun(module.get())}), "");
        one.check();
      }
}

TEST_P(Batch, ManyRunsBesideEachOther) {
  ModulePtr module = load(prefixBatchManifest()), single = load(scaleManifest());
  ContextPtr context = makeContext(GetParam());
  for (int round = 0; round < 10; ++round) {
    std::vector<PrefixBatch> cases;
    for (int i = 0; i < 12; ++i) // also runs without instances, and without rows
      cases.emplace_back(i % 3, 1 + (i + round) % 4, (i * 7) % 20, 40, i);
    Tensor<float> in({50, 9}, 1), out({50, 9});
    std::vector<ModuleRun> runs;
    for (PrefixBatch &one : cases)
      runs.push_back(one.asRun(module.get()));
    runs.push_back({single.get(), nullptr, {in.view()}, {out.view()}});
    ASSERT_EQ(run(context.get(), runs), "");
    for (const PrefixBatch &one : cases)
      one.check();
    EXPECT_EQ(out.data[9 * 49], 51);
  }
}

TEST_P(Batch, NotJoiningGivesTheSame) {
  Json manifest = prefixBatchManifest();
  manifest["steps"][1]["joins"] = false;
  ModulePtr module = load(manifest);
  PrefixBatch one(3, 4, 30, 20, 5);
  ASSERT_EQ(run(makeContext(GetParam()).get(), {one.asRun(module.get())}), "");
  one.check();
}

TEST_P(Batch, WhatJoinsAStepThatIsNotRunWaitsLikeIt) {
  // Between two steps that need all instances of the step before stands one without rows; the last joins that.
  Json manifest = prefixBatchManifest();
  Json &steps = manifest["steps"];
  Json none = steps[3], last = steps[3];
  none["rows"] = constantDim(0);
  last["joins"] = true;
  steps.erase(3);
  steps.push_back(none);
  steps.push_back(last);
  ModulePtr module = load(manifest);
  PrefixBatch one(3, 4, 30, 20, 5);
  ASSERT_EQ(run(makeContext(GetParam()).get(), {one.asRun(module.get())}), "");
  one.check();
}

/// Runs the module of foldManifest over B x H x n; gives the positions and the rows of the launches.
std::pair<std::vector<int64_t>, std::vector<int64_t>> placesOf(const Json &manifest, int32_t threads, int64_t b,
                                                               int64_t h, int64_t n) {
  ModulePtr module = load(manifest);
  Tensor<int64_t> x({b, h, n}), place({b, h, n}, -1), count({b, h, n}, -1);
  EXPECT_EQ(run(makeContext(threads).get(), {{module.get(), nullptr, {x.view()}, {place.view(), count.view()}}}), "");
  return {place.data, count.data};
}

TEST_P(Batch, OneRowOfEachInstanceIsALaunchOfAll) {
  using testing::Each;
  Json manifest = foldManifest();
  // More rows than one: launches of their own, in blocks of 4.
  auto [own, ownCount] = placesOf(manifest, GetParam(), 2, 3, 5);
  for (size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i], int64_t(i % 5));
    EXPECT_EQ(ownCount[i], i % 5 < 4 ? 4 : 1);
  }
  // One row: the three heads of each batch are the rows of a launch, all at the first position.
  auto [place, count] = placesOf(manifest, GetParam(), 7, 3, 1);
  EXPECT_THAT(place, Each(0));
  EXPECT_THAT(count, Each(3));
  // More heads than a block has rows.
  auto [many, manyCount] = placesOf(manifest, GetParam(), 2, 6, 1);
  EXPECT_THAT(many, Each(0));
  EXPECT_EQ(manyCount, (std::vector<int64_t>{4, 4, 4, 4, 2, 2, 4, 4, 4, 4, 2, 2}));
  // One head, no head.
  auto [single, singleCount] = placesOf(manifest, GetParam(), 5, 1, 1);
  EXPECT_THAT(single, Each(0));
  EXPECT_THAT(singleCount, Each(1));
  EXPECT_TRUE(placesOf(manifest, GetParam(), 5, 0, 1).first.empty());
}

TEST_P(Batch, WhatGoesAlongInstanceByInstanceIsNotFolded) {
  Json manifest = foldManifest();
  Json joined = manifest["steps"][0];
  joined["joins"] = true;
  manifest["steps"].push_back(joined);
  EXPECT_THAT(placesOf(manifest, GetParam(), 2, 3, 1).second, testing::Each(1));
}

TEST_P(Batch, AMillionTinyInstances) {
  ModulePtr module = load(prefixBatchManifest());
  ContextPtr context = makeContext(GetParam());
  PrefixBatch row(1000, 1000, 1, 1, 1); // one task for both steps of an instance
  ASSERT_EQ(run(context.get(), {row.asRun(module.get())}), "");
  row.check();
  PrefixBatch rows(1000, 100, 6, 1, 2); // two blocks for each step
  ASSERT_EQ(run(context.get(), {rows.asRun(module.get())}), "");
  rows.check();
}

TEST_P(Batch, AFailureInOneInstance) {
  ModulePtr module = load(divideBatchManifest());
  ContextPtr context = makeContext(GetParam());
  for (int64_t n : {1, 9, 1000}) {
    Tensor<int64_t> a({20, n}, 17), b({20, n}, 5), quotient({20, n}, -1), rest({20, n}, -1);
    std::vector<ModuleRun> runs{{module.get(), nullptr, {a.view(), b.view()}, {quotient.view(), rest.view()}}};
    const std::vector<int64_t> before = quotient.data, after(before.size(), 3);
    for (int64_t instance : {0, 7, 19}) {
      int64_t &divisor = b.data[static_cast<size_t>(instance * n + n / 2)];
      divisor = 0;
      EXPECT_EQ(run(context.get(), runs),
                "division by zero: integer division by zero in step divide of test.divide_batch");
      EXPECT_EQ(quotient.data, before);
      EXPECT_EQ(rest.data, before);
      divisor = 5;
    }
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(quotient.data, after);
    EXPECT_EQ(rest.data, after);
  }
}

TEST_P(Batch, SessionsGrowMatrixByMatrix) {
  ModulePtr module = load(runningBatchManifest());
  ContextPtr context = makeContext(GetParam());
  for (auto [b, h, d] : {std::tuple(1, 3, 5), {3, 1, 1}, {2, 2, 300}, {0, 4, 3}}) {
    SessionPtr session = makeSession(module.get());
    const int64_t instances = b * h, width = d;
    Tensor<double> weight({d}, 0.5);
    std::vector<double> sums(static_cast<size_t>(instances * width));
    int64_t length = 0;
    for (int call = 0; call < 60; ++call) {
      int64_t m = call % 7 == 3 ? 40 : call % 3;
      Tensor<double> rows({b, h, m, d}), out({b, h, m, d}, -1), expected({b, h, m, d});
      fill(rows, call);
      for (int64_t instance = 0; instance < instances; ++instance)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < width; ++j) {
            size_t at = static_cast<size_t>((instance * m + i) * width + j);
            expected.data[at] = (sums[static_cast<size_t>(instance * width + j)] += rows.data[at]) + 0.5;
          }
      ASSERT_EQ(run(context.get(), {{module.get(), session.get(), {rows.view(), weight.view()}, {out.view()}}}), "");
      ASSERT_EQ(out.data, expected.data) << "call " << call;
      ASSERT_EQ(nova_session_length(session.get()), length += m);
    }
  }
}

TEST_P(Batch, WholeRunsOfASequence) {
  ModulePtr module = load(runningBatchManifest());
  ContextPtr context = makeContext(GetParam());
  for (int64_t n : {30, 1, 0, 100}) {
    Tensor<double> rows({2, 3, n, 4}, 1), weight({4}, 2), out({2, 3, n, 4}, -1), expected({2, 3, n, 4});
    for (size_t i = 0; i < expected.data.size(); ++i)
      expected.data[i] = 3.0 + static_cast<double>(i / 4 % static_cast<size_t>(n));
    ASSERT_EQ(run(context.get(), {{module.get(), nullptr, {rows.view(), weight.view()}, {out.view()}}}), "");
    EXPECT_EQ(out.data, expected.data);
  }
}

TEST(BatchRun, TheCallersParallelFor) {
  auto threads = [](void *, int32_t workers, void (*body)(void *, int32_t), void *argument) {
    std::vector<std::thread> team;
    for (int32_t worker = 0; worker < workers; ++worker)
      team.emplace_back(body, argument, worker);
    for (std::thread &thread : team)
      thread.join();
  };
  auto inTurn = [](void *, int32_t workers, void (*body)(void *, int32_t), void *argument) {
    for (int32_t worker = workers - 1; worker >= 0; --worker)
      body(argument, worker);
  };
  auto lazy = [](void *, int32_t, void (*)(void *, int32_t), void *) {};
  ModulePtr module = load(prefixBatchManifest());
  for (nova_parallel_for_t hook :
       {nova_parallel_for_t(threads), nova_parallel_for_t(inTurn), nova_parallel_for_t(lazy)})
    for (int64_t n : {1, 2, 50}) {
      nova_context_options_t options{sizeof options, 3, hook, nullptr, NOVA_ONEDNN_ON};
      nova_context_t *made = nullptr;
      ASSERT_EQ(take(nova_context_create(&options, &made)), "");
      ContextPtr context(made);
      PrefixBatch one(7, 9, n, 300, 3);
      ASSERT_EQ(run(context.get(), {one.asRun(module.get())}), "");
      one.check();
    }
}

/// The failure of a run of 2 x 3 instances of the batched prefix module with one value of its manifest replaced.
std::string failureWith(const char *pointer, const Json &value) {
  Json manifest = prefixBatchManifest();
  manifest[Json::json_pointer(pointer)] = value;
  ModulePtr module = load(manifest);
  PrefixBatch one(2, 3, 4, 5, 1);
  return run(makeContext(2).get(), {one.asRun(module.get())});
}

TEST(BatchRun, NumbersAreChecked) {
  const int64_t most = INT64_MAX, far = int64_t{1} << 62;
  EXPECT_EQ(failureWith("/buffers/1/count", constantDim(-1)),
            "module invalid: buffer sums: expected the count -1 to be 0 or more, found -1");
  EXPECT_EQ(failureWith("/buffers/1/count", constantDim(5)),
            "module invalid: step rowsum: its last instance is at matrix 5 of buffer sums, which has 5");
  EXPECT_EQ(failureWith("/buffers/1/count", constantDim(0)),
            "module invalid: step rowsum: its last instance is at matrix 5 of buffer sums, which has 0");
  EXPECT_EQ(failureWith("/buffers/1/count", constantDim(6)), "");
  EXPECT_EQ(failureWith("/buffers/1/count", constantDim(far)),
            "out of memory: cannot get 9223372036854775807 bytes for the temporaries of run 0");
  EXPECT_EQ(failureWith("/buffers/1/count", productDim({"n"}, most)),
            "out of memory: the size of buffer sums is more than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/3/batch/1", constantDim(-3)),
            "module invalid: step addtotal: expected the batch -3 to be 0 or more, found -3");
  EXPECT_EQ(failureWith("/steps/3/batch/1", productDim({"n"}, most)),
            "shape mismatch: step addtotal: the batch 9223372036854775807 * n is more than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/3/batch", Json::array({constantDim(most), constantDim(most)})),
            "shape mismatch: step addtotal: its instances are more than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/3/batch/0", constantDim(most / 3)),
            "shape mismatch: step addtotal: its last instance is farther than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/3/buffers/0/strides/0", constantDim(-8)),
            "module invalid: step addtotal: expected the stride -8 to be 0 or more, found -8");
  EXPECT_EQ(failureWith("/steps/3/buffers/0/strides/1", productDim({"n"}, most)),
            "shape mismatch: step addtotal: the stride 9223372036854775807 * n is more than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/3/buffers/0/strides/1", constantDim(far)),
            "shape mismatch: step addtotal: its last instance is farther than 63 bits hold");
}

TEST(BatchRun, TasksBeyondCountingAreRefused) {
  Json manifest = prefixBatchManifest();
  for (Json &buffer : manifest["steps"][3]["buffers"])
    buffer["strides"] = {constantDim(0), constantDim(0)};
  manifest["steps"][3]["batch"] = {constantDim(int64_t{1} << 62), constantDim(1)};
  ModulePtr module = load(manifest);
  PrefixBatch one(1, 1, 8, 1, 1); // two blocks
  EXPECT_EQ(run(makeContext(1).get(), {one.asRun(module.get())}),
            "shape mismatch: step addtotal: its blocks are more than 63 bits hold");
}

TEST(BatchRun, AMatrixWithoutLoopsMustExist) {
  Json manifest = prefixManifest();
  manifest["buffers"][1]["count"] = constantDim(0);
  manifest["steps"][1]["buffers"][0]["unit"] = "matrix";
  ModulePtr module = load(manifest);
  Tensor<double> in({2, 2}), total({1}), prefix({2});
  EXPECT_EQ(run(makeContext(1).get(), {{module.get(), nullptr, {in.view()}, {total.view(), prefix.view()}}}),
            "module invalid: step prefix: its last instance is at matrix 0 of buffer sums, which has 0");
}

TEST(BatchRun, NumbersOfStepsThatAreNotRunDoNotMatter) {
  Json manifest = prefixBatchManifest();
  manifest["steps"][3]["batch"][1] = constantDim(0);
  manifest["steps"][3]["buffers"][0]["strides"][0] = constantDim(-8);
  ModulePtr module = load(manifest);
  PrefixBatch one(1, 2, 3, 4, 1);
  EXPECT_EQ(run(makeContext(1).get(), {one.asRun(module.get())}), "");
  EXPECT_EQ(one.raised.data, std::vector<double>(6, -1));
}

TEST(BatchRun, ASessionThatCannotGrowKeepsItsMatrices) {
  Json manifest = runningBatchManifest();
  // A second state, found to lack memory after the first has grown.
  manifest["buffers"].push_back(
      {{"kind", "state"}, {"name", "more"}, {"bytes", "bytes_growing"}, {"count", productDim({"B", "H"})}});
  ModulePtr module = load(manifest);
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  Tensor<double> rows({2, 3, 1, 3}, 1), weight({3}), out({2, 3, 1, 3}, -1);
  std::vector<ModuleRun> runs{{module.get(), session.get(), {rows.view(), weight.view()}, {out.view()}}};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(run(context.get(), runs), "") << i;
    EXPECT_EQ(out.data, std::vector<double>(18, i + 1));
  }
  EXPECT_THAT(run(context.get(), runs), HasSubstr("bytes for the state more of 101 rows"));
  EXPECT_EQ(nova_session_length(session.get()), 100);
}

} // namespace
