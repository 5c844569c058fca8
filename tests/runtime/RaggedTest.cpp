//===- RaggedTest.cpp - Rows of several sessions in one call --------------===//

#include "tests/runtime/TestModule.h"

#include <deque>
#include <gmock/gmock.h>
#include <numeric>
#include <random>

using namespace nova::test;
using testing::HasSubstr;

namespace {

constexpr int64_t kWidth = 3;

/// A session of raggedManifest with the sums that its rows must give.
struct Fed {
  SessionPtr session;
  std::vector<double> sums = std::vector<double>(kWidth); // of the rows so far
  Tensor<double> rows, out;
  Tensor<int64_t> mates;

  explicit Fed(SessionPtr made) : session(std::move(made)), rows({0, kWidth}), out({0, kWidth}), mates({0}) {}

  ModuleRun next(nova_module_t *module, int64_t count, int seed, Tensor<double> &weight) {
    rows = Tensor<double>({count, kWidth});
    fill(rows, seed);
    out = Tensor<double>({count, kWidth}, -1);
    mates = Tensor<int64_t>({count}, -1);
    return {module, session.get(), {rows.view(), weight.view()}, {out.view(), mates.view()}};
  }
  void check(const Tensor<double> &weight, int64_t expectedMates) {
    for (size_t i = 0; i < rows.data.size(); ++i) {
      sums[i % kWidth] += rows.data[i];
      ASSERT_EQ(out.data[i], sums[i % kWidth] + weight.data[i % kWidth]) << i;
    }
    EXPECT_EQ(mates.data, std::vector<int64_t>(mates.data.size(), expectedMates));
  }
};

/// Sessions that are fed in one call after another.
class Ragged : public testing::TestWithParam<int32_t> {
protected:
  void feed(const std::vector<int64_t> &counts, const std::vector<int64_t> &mates) {
    while (fed.size() < counts.size())
      fed.emplace_back(makeSession(module.get()));
    std::vector<ModuleRun> runs;
    for (size_t i = 0; i < counts.size(); ++i)
      runs.push_back(fed[i].next(module.get(), counts[i], ++seed, weight));
    ASSERT_EQ(run(context.get(), runs), "");
    for (size_t i = 0; i < counts.size(); ++i)
      fed[i].check(weight, mates[i]);
  }

  ModulePtr module = load(raggedManifest());
  ContextPtr context = makeContext(GetParam());
  Tensor<double> weight{{kWidth}, 0.5};
  std::deque<Fed> fed;
  int seed = 0;
};

INSTANTIATE_TEST_SUITE_P(Threads, Ragged, testing::Values(1, 2, 3, 7));

TEST_P(Ragged, FewRowsGoTogether) {
  feed({1, 1, 1}, {3, 3, 3});
  feed({5, 1, 63}, {69, 69, 69});
  feed({2}, {2});
}

TEST_P(Ragged, ManyRowsOrNoneGoAlone) {
  feed({64, 1, 2, 64, 3, 0, 4, 5}, {64, 3, 3, 64, 3, 0, 9, 9});
  feed({0, 0}, {0, 0});
}

TEST_P(Ragged, ManySessionsManyCalls) {
  std::mt19937 random(3);
  for (int call = 0; call < 40; ++call) {
    std::vector<int64_t> counts;
    for (int i = 0; i < 17; ++i)
      counts.push_back(1 + static_cast<int64_t>(random() % (random() % 8 ? 3 : 63)));
    feed(counts, std::vector<int64_t>(17, std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  }
}

TEST_P(Ragged, WhatHasOtherSizesGoesAlone) {
  Fed first(makeSession(module.get()));
  Tensor<double> wide({2, 4}, 1), wideWeight({4}, 1), wideOut({2, 4});
  Tensor<int64_t> mates({2});
  SessionPtr other = makeSession(module.get());
  ASSERT_EQ(run(context.get(),
                {first.next(module.get(), 2, 1, weight),
                 {module.get(), other.get(), {wide.view(), wideWeight.view()}, {wideOut.view(), mates.view()}}}),
            "");
  first.check(weight, 2);
  EXPECT_EQ(mates.data, std::vector<int64_t>(2, 2));
}

TEST_P(Ragged, WhatHasOtherArgumentsGoesAlone) {
  Fed first(makeSession(module.get())), second(makeSession(module.get()));
  Tensor<double> otherWeight({kWidth}, 7);
  ASSERT_EQ(run(context.get(), {first.next(module.get(), 2, 1, weight), second.next(module.get(), 3, 2, otherWeight)}),
            "");
  first.check(weight, 2);
  second.check(otherWeight, 3);
}

TEST_P(Ragged, AFullSessionHoldsBackAll) {
  Fed first(makeSession(module.get())), full(makeSession(module.get(), 0, 1));
  ASSERT_EQ(run(context.get(), {first.next(module.get(), 1, 1, weight), full.next(module.get(), 1, 2, weight)}), "");
  EXPECT_THAT(run(context.get(), {first.next(module.get(), 1, 1, weight), full.next(module.get(), 1, 2, weight)}),
              HasSubstr("the session's capacity is 1 rows and its length 1"));
  EXPECT_EQ(first.out.data, std::vector<double>(kWidth, -1));
  EXPECT_EQ(nova_session_length(first.session.get()), 1);
}

TEST_P(Ragged, AFailureIsThatOfItsRun) {
  ModulePtr faulty = load(raggedFaultyManifest());
  std::vector<SessionPtr> sessions;
  std::vector<Tensor<int64_t>> in, out;
  for (int64_t count : {3, 9, 1}) {
    sessions.push_back(makeSession(faulty.get()));
    in.emplace_back(std::vector<int64_t>{count}, 4);
    out.emplace_back(std::vector<int64_t>{count}, -9);
  }
  auto feed = [&] {
    std::vector<ModuleRun> runs;
    for (size_t i = 0; i < 3; ++i)
      runs.push_back({faulty.get(), sessions[i].get(), {in[i].view()}, {out[i].view()}});
    return run(context.get(), runs);
  };
  ASSERT_EQ(feed(), "");
  EXPECT_EQ(out[1].data, in[1].data);
  in[1].data[7] = in[1].data[8] = in[2].data[0] = -1;
  EXPECT_EQ(feed(), "division by zero: run 1, %p of @f: integer division by zero at [0, 7]");
  EXPECT_EQ(out[1].data, std::vector<int64_t>(9, 4));
  EXPECT_EQ(nova_session_length(sessions[1].get()), 9);
  in[1].data[7] = in[1].data[8] = in[2].data[0] = 5;
  EXPECT_EQ(feed(), "");
  EXPECT_EQ(out[1].data, in[1].data);
}

TEST(RaggedManifest, IsChecked) {
  auto failure = [](const Json &manifest) {
    std::string bytes = makeModule(manifest);
    nova_module_t *made = nullptr;
    return take(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &made));
  };
  Json manifest = raggedManifest();
  manifest["buffers"][0].erase("row");
  EXPECT_THAT(failure(manifest),
              HasSubstr("buffers[0]: expected a row where there is a sequence_axis, and only there"));
  manifest = raggedManifest();
  manifest["buffers"][2]["row"] = constantDim(8);
  EXPECT_THAT(failure(manifest),
              HasSubstr("buffers[2]: expected a row where there is a sequence_axis, and only there"));
  manifest = raggedManifest();
  manifest["buffers"][1]["row"] = constantDim(8);
  EXPECT_THAT(failure(manifest), HasSubstr("buffers[1].row: expected none but in arguments, results and temporaries"));
  manifest = raggedManifest();
  manifest["buffers"][4]["row"] = productDim({"m"}, 8);
  EXPECT_THAT(failure(manifest), HasSubstr("buffers[4].row: the symbol m of the sequence must not occur here"));
  manifest = raggedManifest();
  manifest["results"][1]["sequence_axis"] = nullptr;
  EXPECT_THAT(failure(manifest), HasSubstr("expected a result with a sequence_axis in a ragged module"));
  manifest = raggedManifest();
  manifest["results"][1]["type"] = "i4";
  EXPECT_THAT(failure(manifest), HasSubstr("expected rows of whole bytes in a ragged module"));
  manifest = raggedManifest();
  manifest["steps"][1]["batch"] = Json::array({symbolDim("m")});
  for (Json &buffer : manifest["steps"][1]["buffers"])
    buffer["strides"] = Json::array({constantDim(0)});
  EXPECT_THAT(failure(manifest), HasSubstr("steps[1].batch[0]: the symbol m of the sequence must not occur here"));
  manifest = divideManifest();
  manifest["ragged"] = true;
  EXPECT_THAT(failure(manifest), HasSubstr("ragged: expected false in a module without a sequence, found true"));
  manifest = raggedManifest();
  manifest["steps"] = Json::array({{{"repeat", symbolDim("m")}, {"steps", Json::array()}}});
  EXPECT_THAT(failure(manifest), HasSubstr("steps[0].repeat: the symbol m of the sequence must not occur here"));
}

} // namespace
