//===- FailureTest.cpp - Kernels that fail, memory that cannot be had -----===//

#include "tests/runtime/TestModule.h"

#include <gmock/gmock.h>

using namespace nova::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(Failure, DivisionWritesNothingWhenItFails) {
  ModulePtr module = load(divideManifest());
  for (int32_t threads : {1, 2, 3, 4, 7, 16}) {
    ContextPtr context = makeContext(threads);
    for (int64_t n : {1, 4, 5, 10000}) {
      Tensor<int64_t> a({n}, 17), b({n}, 5), quotient({n}, -1), rest({n}, -1);
      std::vector<ModuleRun> runs{{module.get(), nullptr, {a.view(), b.view()}, {quotient.view(), rest.view()}}};
      ASSERT_EQ(run(context.get(), runs), "");
      EXPECT_EQ(quotient.data, std::vector<int64_t>(static_cast<size_t>(n), 3));
      EXPECT_EQ(rest.data, std::vector<int64_t>(static_cast<size_t>(n), 3)); // 2, plus 1 by the second step

      std::vector<int64_t> before(static_cast<size_t>(n), -9);
      quotient.data = rest.data = before;
      b.data[static_cast<size_t>(n) / 2] = 0;
      EXPECT_EQ(run(context.get(), runs), "division by zero: integer division by zero in step divide of test.divide");
      EXPECT_EQ(quotient.data, before);
      EXPECT_EQ(rest.data, before);
    }
  }
}

TEST(Failure, AnIndexOutsideItsAxis) {
  Json manifest = divideManifest();
  Json step = manifest["steps"][0];
  step["kernel"] = "lookup";
  step["entry"] = {{"x86-64-v3", "lookup"}, {"x86-64-v4", "lookup"}};
  step["buffers"] = {manifest["steps"][0]["buffers"][0], manifest["steps"][0]["buffers"][1],
                     manifest["steps"][0]["buffers"][2]};
  step["scratch"] = "scratch_rows";
  manifest["steps"] = Json::array({step});
  manifest["results"].erase(1);
  manifest["buffers"].erase(3);
  ModulePtr module = load(manifest);
  for (int32_t threads : {1, 4}) {
    ContextPtr context = makeContext(threads);
    Tensor<int64_t> a({5000}, 17), b({5000}, 4999), out({5000}, -1);
    std::vector<ModuleRun> runs{{module.get(), nullptr, {a.view(), b.view()}, {out.view()}}};
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(out.data[0], 17);
    out.data[0] = -9;
    b.data[4321] = -7;
    EXPECT_EQ(run(context.get(), runs),
              "index out of range: index -7 is outside an axis of size 5000 in step lookup of test.divide");
    EXPECT_EQ(out.data[0], -9);
  }
}

TEST(Failure, TheFirstEntryOfTheFirstOperationIsTold) {
  ModulePtr module = load(faultyManifest());
  for (int32_t threads : {1, 2, 4, 16}) {
    ContextPtr context = makeContext(threads);
    Tensor<int64_t> a({5, 3000}, 17), b({5, 3000}, 4), first({5, 3000}, -9), second({5, 3000}, -9);
    std::vector<ModuleRun> runs{{module.get(), nullptr, {a.view(), b.view()}, {first.view(), second.view()}}};
    ASSERT_EQ(run(context.get(), runs), "");
    EXPECT_EQ(second.data[7], 4);
    auto at = [](int64_t instance, int64_t row) { return static_cast<size_t>(instance * 3000 + row); };
    b.data[at(0, 1)] = b.data[at(4, 2999)] = -2; // of the last operation
    EXPECT_EQ(run(context.get(), runs), "division by zero: %r of @g: integer division by zero at [0, 1]");
    a.data[at(2, 30)] = a.data[at(1, 2800)] = a.data[at(1, 2801)] = a.data[at(4, 0)] = -1;
    EXPECT_EQ(run(context.get(), runs), "division by zero: %q of @f: integer division by zero at [1, 2800]");
    b.data[at(3, 8)] = b.data[at(3, 4)] = -1; // of the first one, in the last step
    EXPECT_EQ(run(context.get(), runs), "division by zero: %p of @f: integer division by zero at [3, 4]");
    runs.insert(runs.begin(), runs[0]); // of several runs the first
    Tensor<int64_t> good({5, 3000}, 1), otherFirst({5, 3000}), otherSecond({5, 3000});
    runs[0].arguments = {good.view(), good.view()};
    runs[0].results = {otherFirst.view(), otherSecond.view()};
    EXPECT_EQ(run(context.get(), runs), "division by zero: run 1, %p of @f: integer division by zero at [3, 4]");
  }
}

TEST(Failure, OneFailedRunHoldsBackAll) {
  ModulePtr module = load(divideManifest());
  for (int32_t threads : {1, 4}) {
    ContextPtr context = makeContext(threads);
    constexpr int kRuns = 12;
    std::vector<Tensor<int64_t>> a, b, quotient, rest;
    for (int i = 0; i < kRuns; ++i) {
      std::vector<int64_t> shape{3000 + i};
      a.emplace_back(shape, 6 + i);
      b.emplace_back(shape, i == 7 ? 0 : 2);
      quotient.emplace_back(shape, -1);
      rest.emplace_back(shape, -1);
    }
    std::vector<ModuleRun> runs;
    for (int i = 0; i < kRuns; ++i)
      runs.push_back({module.get(), nullptr, {a[i].view(), b[i].view()}, {quotient[i].view(), rest[i].view()}});
    EXPECT_EQ(run(context.get(), runs),
              "division by zero: run 7, integer division by zero in step divide of test.divide");
    for (int i = 0; i < kRuns; ++i)
      EXPECT_EQ(quotient[i].data, std::vector<int64_t>(quotient[i].data.size(), -1)) << i;
    b[7].data.assign(b[7].data.size(), 2);
    EXPECT_EQ(run(context.get(), runs), "") << "the context is as good as before";
    for (int i = 0; i < kRuns; ++i) {
      EXPECT_EQ(quotient[i].data, std::vector<int64_t>(quotient[i].data.size(), (6 + i) / 2)) << i;
      EXPECT_EQ(rest[i].data, std::vector<int64_t>(rest[i].data.size(), (6 + i) % 2 + 1)) << i;
    }
  }
}

/// The failure of a run of the prefix module with one of its functions replaced.
std::string failureWith(const char *pointer, const char *function, Tensor<double> &prefix) {
  Json manifest = prefixManifest();
  manifest[Json::json_pointer(pointer)] = function;
  ModulePtr module = load(manifest);
  Tensor<double> in({4, 4}), total({1}, -1);
  return run(makeContext(2).get(), {{module.get(), nullptr, {in.view()}, {total.view(), prefix.view()}}});
}

TEST(Failure, MemoryThatCannotBeHad) {
  Tensor<double> prefix({4}, -1);
  EXPECT_EQ(failureWith("/buffers/1/bytes", "bytes_huge", prefix),
            "out of memory: cannot get 1152921504606846976 bytes for the temporaries of run 0");
  EXPECT_THAT(failureWith("/buffers/1/bytes", "bytes_most", prefix), StartsWith("out of memory: "));
  EXPECT_EQ(failureWith("/buffers/1/bytes", "bytes_negative", prefix),
            "out of memory: the size of buffer sums is more than 63 bits hold");
  EXPECT_EQ(failureWith("/steps/0/scratch", "scratch_huge", prefix),
            "out of memory: cannot get 1152921504606846976 bytes of scratch for each of 1 threads");
  EXPECT_EQ(failureWith("/steps/0/scratch", "scratch_negative", prefix),
            "out of memory: the scratch of step rowsum is more than 63 bits hold");
  EXPECT_EQ(prefix.data, std::vector<double>(4, -1));
}

TEST(Failure, StagedResultsThatHaveNoRoom) {
  // What can fail writes results only in the end. No entry of these tensors is ever looked at.
  ModulePtr module = load(divideManifest());
  const int64_t n = int64_t{1} << 55;
  std::vector<nova_tensor_t> tensors;
  for (uintptr_t i = 1; i <= 4; ++i)
    tensors.push_back({NOVA_I64, 1, &n, reinterpret_cast<void *>(i << 60)});
  std::vector<ModuleRun> runs{{module.get(), nullptr, {tensors[0], tensors[1]}, {tensors[2], tensors[3]}}};
  EXPECT_EQ(run(makeContext(1).get(), runs),
            "out of memory: cannot get 576460752303423488 bytes for staged arguments and results");
}

TEST(Failure, MoreRunsThanACallTakes) {
  nova_run_t none{};
  EXPECT_EQ(take(nova_run(makeContext(1).get(), &none, size_t{1} << 32)),
            "invalid argument: expected at most 4294967295 runs, found 4294967296");
}

TEST(Failure, AContextSurvivesLackOfMemory) {
  Json manifest = prefixManifest();
  ModulePtr good = load(manifest);
  manifest["buffers"][1]["bytes"] = "bytes_huge";
  ModulePtr bad = load(manifest);
  ContextPtr context = makeContext(2);
  Tensor<double> in({4, 4}, 1), total({1}), prefix({4});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(context.get(), {{good.get(), nullptr, {in.view()}, {total.view(), prefix.view()}}}), "");
    EXPECT_EQ(prefix.data, (std::vector<double>{4, 8, 12, 16}));
    EXPECT_THAT(run(context.get(), {{bad.get(), nullptr, {in.view()}, {total.view(), prefix.view()}}}),
                StartsWith("out of memory: "));
  }
}

TEST(Failure, ASessionThatCannotGrowKeepsItsRows) {
  Json manifest = runningManifest();
  manifest["buffers"][1]["bytes"] = "bytes_growing"; // more than 100 rows cannot be had
  ModulePtr module = load(manifest);
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get(), 1000); // room wished for, but not needed
  Tensor<double> rows({1, 3}, 1), weight({3}), out({1, 3});
  std::vector<ModuleRun> runs{{module.get(), session.get(), {rows.view(), weight.view()}, {out.view()}}};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(run(context.get(), runs), "") << i;
    EXPECT_EQ(out.data[2], i + 1);
  }
  EXPECT_EQ(run(context.get(), runs),
            "out of memory: cannot get 1152921504606846976 bytes for the state rows of 101 rows");
  EXPECT_EQ(nova_session_length(session.get()), 100);
  EXPECT_EQ(out.data[2], 100);
}

TEST(Failure, RowsOfStepsAreChecked) {
  Json manifest = scaleManifest();
  Json rows = symbolDim("n");
  rows["text"] = "n - 5";
  rows["terms"].push_back(Json::array({-5}));
  manifest["steps"][0]["rows"] = rows;
  ModulePtr module = load(manifest);
  Tensor<float> in({4, 1}), out({4, 1});
  EXPECT_EQ(run(makeContext(1).get(), {{module.get(), nullptr, {in.view()}, {out.view()}}}),
            "module invalid: step scale: expected n - 5 rows to be 0 or more, found -1");
}

} // namespace
