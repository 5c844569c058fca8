//===- SessionTest.cpp - Runs that extend a session -----------------------===//

#include "tests/runtime/TestModule.h"

#include <atomic>
#include <gmock/gmock.h>
#include <random>
#include <thread>

using namespace nova::test;
using testing::HasSubstr;

namespace {

/// Rows to feed to the running-sum module, and the results of a whole run.
struct Sequence {
  Tensor<double> rows, weight, expected;

  Sequence(int64_t n, int64_t d, int seed) : rows({n, d}), weight({d}), expected({n, d}) {
    fill(rows, seed);
    fill(weight, seed + 1);
    expect();
  }
  /// The first `kept` rows of one sequence and then those of another of the same sizes, with the weight of the first.
  Sequence(const Sequence &first, const Sequence &second, int64_t kept) : Sequence(first) {
    std::copy(second.rows.data.begin() + kept * rows.dims[1], second.rows.data.end(),
              rows.data.begin() + kept * rows.dims[1]);
    expect();
  }
  void expect() {
    for (int64_t i = 0; i < rows.dims[0]; ++i)
      for (int64_t j = 0; j < rows.dims[1]; ++j)
        at(expected, i, j) = (i ? at(expected, i - 1, j) - weight.data[j] : 0) + at(rows, i, j) + weight.data[j];
  }
  static double &at(Tensor<double> &tensor, int64_t i, int64_t j) { return tensor.data[i * tensor.dims[1] + j]; }
};

/// Rows from .. from + m of a sequence as one extension, results into `out`.
struct Piece {
  std::vector<int64_t> dims;
  nova_tensor_t in, weight, out;

  Piece(Sequence &sequence, int64_t from, int64_t m, Tensor<double> &result) : dims{m, sequence.rows.dims[1]} {
    in = {NOVA_F64, 2, dims.data(), sequence.rows.data.data() + from * dims[1]};
    weight = sequence.weight.view();
    out = {NOVA_F64, 2, dims.data(), result.data.data() + from * dims[1]};
  }
  Piece(const Piece &) = delete;
  ModuleRun asRun(nova_module_t *module, nova_session_t *session) const {
    return {module, session, {in, weight}, {out}};
  }
};

std::string extend(nova_context_t *context, nova_module_t *module, nova_session_t *session, Sequence &sequence,
                   int64_t from, int64_t m, Tensor<double> &result) {
  Piece piece(sequence, from, m, result);
  return run(context, {piece.asRun(module, session)});
}

TEST(Session, WholeRunsUseNoSession) {
  ModulePtr module = load(runningManifest());
  for (int32_t threads : {1, 2, 3, 4, 7, 16}) {
    ContextPtr context = makeContext(threads);
    for (int64_t n : {0, 1, 5, 17, 200, 3}) { // smaller after larger: the state's memory is used again
      Sequence sequence(n, 33, 5);
      Tensor<double> out({n, 33}, -1);
      ASSERT_EQ(
          run(context.get(), {{module.get(), nullptr, {sequence.rows.view(), sequence.weight.view()}, {out.view()}}}),
          "");
      EXPECT_EQ(out.data, sequence.expected.data);
    }
  }
}

TEST(Session, AnySplitGivesTheWholeRun) {
  ModulePtr module = load(runningManifest());
  std::mt19937 random(7);
  for (int32_t threads : {1, 2, 3, 4, 7, 16}) {
    ContextPtr context = makeContext(threads);
    SessionPtr session = makeSession(module.get());
    for (int round = 0; round < 6; ++round) {
      int64_t n = static_cast<int64_t>(random() % 400), d = 1 + static_cast<int64_t>(random() % 40);
      Sequence sequence(n, d, round);
      Tensor<double> out({n, d}, -1);
      int64_t done = 0;
      while (done < n) {
        int64_t m = std::min<int64_t>(n - done, static_cast<int64_t>(random() % 4 ? random() % 3 : random() % 150));
        ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, done, m, out), "");
        done += m;
        ASSERT_EQ(nova_session_length(session.get()), done);
      }
      EXPECT_EQ(out.data, sequence.expected.data) << "n " << n << ", d " << d << ", threads " << threads;
      nova_session_reset(session.get()); // the next round has other sizes
      EXPECT_EQ(nova_session_length(session.get()), 0);
    }
  }
}

TEST(Session, ManyInOneCall) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(3);
  constexpr int kCount = 9;
  std::vector<SessionPtr> sessions;
  std::vector<Sequence> sequences;
  std::vector<Tensor<double>> outs;
  for (int i = 0; i < kCount; ++i) {
    sessions.push_back(makeSession(module.get(), i * 10));
    sequences.emplace_back(300, 3 + i, i);
    outs.emplace_back(std::vector<int64_t>{300, 3 + i}, -1);
  }
  std::vector<int64_t> done(kCount);
  for (int call = 0; call < 30; ++call) { // ragged: each session gets its own number of rows
    std::vector<std::unique_ptr<Piece>> pieces;
    std::vector<ModuleRun> runs;
    for (int i = 0; i < kCount; ++i) {
      int64_t m = (call * i) % 10;
      pieces.push_back(std::make_unique<Piece>(sequences[i], done[i], m, outs[i]));
      runs.push_back(pieces.back()->asRun(module.get(), sessions[i].get()));
      done[i] += m;
    }
    ASSERT_EQ(run(context.get(), runs), "");
  }
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(nova_session_length(sessions[i].get()), done[i]);
    size_t count = static_cast<size_t>(done[i] * (3 + i));
    EXPECT_TRUE(std::equal(outs[i].data.begin(), outs[i].data.begin() + count, sequences[i].expected.data.begin()));
  }
}

TEST(Session, GrowsAndKeepsItsRows) {
  // Wide rows: the state passes from the heap to mappings and grows there.
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(2);
  SessionPtr session = makeSession(module.get(), 1);
  Sequence sequence(700, 500, 3);
  Tensor<double> out({700, 500}, -1);
  for (int64_t from = 0; from < 700; from += 7)
    ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, from, 7, out), "");
  EXPECT_EQ(out.data, sequence.expected.data);
}

TEST(Session, GoesBackAndOnDifferently) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(2);
  SessionPtr session = makeSession(module.get());
  Sequence first(300, 5, 1), second(300, 5, 2);
  for (int64_t kept : {0, 1, 37, 200}) {
    Sequence both(first, second, kept);
    Tensor<double> out({300, 5}, -1);
    ASSERT_EQ(take(nova_session_rewind(session.get(), 0)), "");
    ASSERT_EQ(extend(context.get(), module.get(), session.get(), first, 0, 250, out), "");
    ASSERT_EQ(take(nova_session_rewind(session.get(), kept)), "");
    EXPECT_EQ(nova_session_length(session.get()), kept);
    ASSERT_EQ(extend(context.get(), module.get(), session.get(), both, kept, 300 - kept, out), "");
    EXPECT_EQ(out.data, both.expected.data) << kept;
  }
}

TEST(Session, GoesBackOnlyToRowsThatItHolds) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  EXPECT_EQ(take(nova_session_rewind(session.get(), 0)), "");
  EXPECT_EQ(take(nova_session_rewind(session.get(), 1)),
            "invalid argument: expected a length of 0 .. 0, the rows that the session holds, found 1");
  Sequence sequence(8, 2, 1);
  Tensor<double> out({8, 2}, -1);
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 5, out), "");
  for (int64_t length : {int64_t{6}, int64_t{-1}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(take(nova_session_rewind(session.get(), length)),
              "invalid argument: expected a length of 0 .. 5, the rows that the session holds, found " +
                  std::to_string(length));
  EXPECT_EQ(nova_session_length(session.get()), 5);
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 5, 3, out), "");
  EXPECT_EQ(out.data, sequence.expected.data);
  EXPECT_THAT(take(nova_session_rewind(nullptr, 0)), HasSubstr("session"));
}

TEST(Session, WhatOnlyFollowsFromAllRowsCannotGoBack) {
  ModulePtr module = load(carryManifest());
  ContextPtr context = makeContext(2);
  SessionPtr session = makeSession(module.get());
  Tensor<double> x({6, 3}), w({2}), out({6, 3}, -1);
  fill(x, 1);
  auto feed = [&] { return run(context.get(), {{module.get(), session.get(), {x.view(), w.view()}, {out.view()}}}); };
  ASSERT_EQ(feed(), "");
  std::vector<double> once = out.data;
  EXPECT_THAT(
      take(nova_session_rewind(session.get(), 4)),
      testing::AllOf(HasSubstr("the state "), HasSubstr(" holds what follows from all rows, so the session cannot go "
                                                        "back to 4 of its 6")));
  EXPECT_EQ(nova_session_length(session.get()), 6);
  EXPECT_EQ(take(nova_session_rewind(session.get(), 6)), "");
  ASSERT_EQ(feed(), "");
  EXPECT_NE(out.data, once);
  EXPECT_EQ(take(nova_session_rewind(session.get(), 0)), "");
  ASSERT_EQ(feed(), "");
  EXPECT_EQ(out.data, once);
}

TEST(Session, ForksGoOnOnTheirOwn) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(2);
  for (int64_t width : {3, 700}) { // on the heap, and in mappings
    Sequence sequence(400, width, 1), other(sequence, Sequence(400, width, 2), 150);
    SessionPtr session = makeSession(module.get());
    Tensor<double> out({400, width}, -1), outFork({400, width}, -1);
    nova_session_t *made = nullptr;
    ASSERT_EQ(take(nova_session_fork(session.get(), &made)), ""); // of nothing
    SessionPtr empty(made);
    EXPECT_EQ(nova_session_length(empty.get()), 0);
    ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 150, out), "");
    ASSERT_EQ(take(nova_session_fork(session.get(), &made)), "");
    SessionPtr fork(made);
    EXPECT_EQ(nova_session_length(fork.get()), 150);
    std::copy_n(out.data.begin(), 150 * width, outFork.data.begin());
    for (int64_t from = 150; from < 400; from += 50) { // in turns
      ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, from, 50, out), "");
      ASSERT_EQ(extend(context.get(), module.get(), fork.get(), other, from, 50, outFork), "");
    }
    EXPECT_EQ(out.data, sequence.expected.data);
    EXPECT_EQ(outFork.data, other.expected.data);
    session.reset(); // a fork outlives what it was made of
    ASSERT_EQ(take(nova_session_rewind(fork.get(), 390)), "");
    ASSERT_EQ(extend(context.get(), module.get(), fork.get(), other, 390, 10, outFork), "");
    EXPECT_EQ(outFork.data, other.expected.data);
  }
  EXPECT_THAT(take(nova_session_fork(nullptr, nullptr)), HasSubstr("session"));
}

TEST(Session, NeitherGoesBackNorForksDuringACall) {
  struct Caller {
    nova_session_t *session;
    std::string rewind, fork;
    nova_session_t *made = nullptr;
  };
  ModulePtr module = load(runningManifest());
  SessionPtr session = makeSession(module.get());
  Caller caller{session.get(), "", ""};
  nova_context_options_t options{sizeof options, 2, nullptr, &caller, NOVA_ONEDNN_OFF};
  options.parallel_for = [](void *user, int32_t workers, void (*body)(void *, int32_t), void *argument) {
    auto *caller = static_cast<Caller *>(user);
    caller->rewind = take(nova_session_rewind(caller->session, 0));
    caller->fork = take(nova_session_fork(caller->session, &caller->made));
    for (int32_t worker = 0; worker < workers; ++worker)
      body(argument, worker);
  };
  nova_context_t *made = nullptr;
  ASSERT_EQ(take(nova_context_create(&options, &made)), "");
  ContextPtr context(made);
  Sequence sequence(2000, 300, 1); // enough work to be shared
  Tensor<double> out({2000, 300}, -1);
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 2000, out), "");
  EXPECT_EQ(caller.rewind, "invalid argument: the session takes part in a call");
  EXPECT_EQ(caller.fork, "invalid argument: the session takes part in a call");
  EXPECT_EQ(caller.made, nullptr);
  EXPECT_EQ(out.data, sequence.expected.data);
  EXPECT_EQ(take(nova_session_rewind(session.get(), 10)), "");
}

TEST(Session, ForksKeepTheLimit) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get(), 0, 4);
  Sequence sequence(8, 2, 1);
  Tensor<double> out({8, 2}, -1);
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 3, out), "");
  nova_session_t *made = nullptr;
  ASSERT_EQ(take(nova_session_fork(session.get(), &made)), "");
  SessionPtr fork(made);
  EXPECT_THAT(extend(context.get(), module.get(), fork.get(), sequence, 3, 2, out), HasSubstr("capacity is 4 rows"));
  ASSERT_EQ(extend(context.get(), module.get(), fork.get(), sequence, 3, 1, out), "");
}

TEST(Session, InfersFromItsLength) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  Sequence sequence(10, 2, 1);
  Tensor<double> out({10, 2});
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 4, out), "");
  std::vector<int64_t> shape{3, 2}, width{2}, found(2);
  nova_tensor_t arguments[] = {{NOVA_F64, 2, shape.data(), nullptr}, {NOVA_F64, 1, width.data(), nullptr}};
  int64_t *resultDims[] = {found.data()};
  ASSERT_EQ(take(nova_module_infer(module.get(), nullptr, session.get(), arguments, 2, resultDims)), "");
  EXPECT_EQ(found, shape);
}

TEST(Session, SizesStayWhatTheyWere) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  Sequence narrow(4, 2, 1), wide(4, 3, 1);
  Tensor<double> outNarrow({4, 2}), outWide({4, 3}, -1);
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), narrow, 0, 2, outNarrow), "");
  EXPECT_EQ(extend(context.get(), module.get(), session.get(), wide, 0, 2, outWide),
            "shape mismatch: argument X, axis 1: expected d = 2 (from the session), found 3");
  EXPECT_EQ(nova_session_length(session.get()), 2);
  EXPECT_EQ(outWide.data, std::vector<double>(12, -1));
  ASSERT_EQ(extend(context.get(), module.get(), session.get(), narrow, 2, 2, outNarrow), "");
  EXPECT_EQ(outNarrow.data, narrow.expected.data);
}

TEST(Session, RowsOfAllTensorsAgree) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  Tensor<double> in({2, 2}), weight({2}), out({3, 2});
  EXPECT_EQ(run(context.get(), {{module.get(), session.get(), {in.view(), weight.view()}, {out.view()}}}),
            "shape mismatch: result O, axis 0: expected m = 2, found 3");
}

TEST(Session, ClausesHoldForExtensionsToo) {
  ModulePtr module = load(runningManifest());
  SessionPtr session = makeSession(module.get());
  Tensor<double> in({2, 0}), weight({0}), out({2, 0});
  EXPECT_EQ(run(makeContext(1).get(), {{module.get(), session.get(), {in.view(), weight.view()}, {out.view()}}}),
            "shape mismatch: clause d >= 1 does not hold: d = 0");
}

TEST(Session, CapacityIsNamed) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get(), 0, 4);
  Sequence sequence(8, 1, 1);
  Tensor<double> out({8, 1}, -1);
  for (int64_t i = 0; i < 4; ++i)
    ASSERT_EQ(extend(context.get(), module.get(), session.get(), sequence, i, 1, out), "");
  EXPECT_EQ(extend(context.get(), module.get(), session.get(), sequence, 4, 1, out),
            "capacity exceeded: the session's capacity is 4 rows and its length 4, so there is no room for 1 more");
  EXPECT_EQ(nova_session_length(session.get()), 4);
  EXPECT_EQ(out.data[4], -1);
  nova_session_reset(session.get());
  EXPECT_THAT(extend(context.get(), module.get(), session.get(), sequence, 0, 5, out), HasSubstr("capacity is 4"));
  EXPECT_EQ(extend(context.get(), module.get(), session.get(), sequence, 0, 4, out), "");

  SessionPtr none = makeSession(module.get(), 0, 0);
  EXPECT_THAT(extend(context.get(), module.get(), none.get(), sequence, 0, 1, out), HasSubstr("capacity is 0"));
}

TEST(Session, OccursOnceInACall) {
  ModulePtr module = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(module.get());
  Sequence sequence(2, 1, 1);
  Tensor<double> out({2, 1}, -1);
  Piece first(sequence, 0, 1, out), second(sequence, 1, 1, out);
  EXPECT_EQ(run(context.get(), {first.asRun(module.get(), session.get()), second.asRun(module.get(), session.get())}),
            "invalid argument: run 1, the session already takes part in this or another call");
  EXPECT_EQ(run(context.get(), {first.asRun(module.get(), session.get())}), "") << "a refused call lets go of sessions";
}

TEST(Session, ServesOneThreadAtATime) {
  ModulePtr module = load(runningManifest());
  SessionPtr session = makeSession(module.get());
  std::atomic<int64_t> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      ContextPtr context = makeContext(2);
      Tensor<double> rows({50, 40}), weight({40}), out({50, 40});
      for (int call = 0; call < 20; ++call) {
        std::string status =
            run(context.get(), {{module.get(), session.get(), {rows.view(), weight.view()}, {out.view()}}});
        if (status.empty())
          taken += 50;
        else
          EXPECT_EQ(status, "invalid argument: the session already takes part in this or another call");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(taken, 0);
  EXPECT_EQ(nova_session_length(session.get()), taken);
}

TEST(Session, BelongsToItsModule) {
  ModulePtr module = load(runningManifest()), other = load(runningManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(other.get());
  Sequence sequence(1, 1, 1);
  Tensor<double> out({1, 1});
  Piece piece(sequence, 0, 1, out);
  EXPECT_EQ(run(context.get(), {piece.asRun(module.get(), session.get())}),
            "invalid argument: the session belongs to another module");
  int64_t *none[] = {nullptr};
  EXPECT_EQ(take(nova_module_infer(module.get(), nullptr, session.get(), nullptr, 0, none)),
            "invalid argument: the session belongs to another module");
}

TEST(Session, KeepsItsModuleAlive) {
  ModulePtr module = load(runningManifest());
  SessionPtr session = makeSession(module.get());
  module.reset();
  ContextPtr context = makeContext(1);
  Sequence sequence(1, 1, 1);
  Tensor<double> out({1, 1});
  Piece piece(sequence, 0, 1, out);
  EXPECT_EQ(run(context.get(), {piece.asRun(nullptr, session.get())}), "");
  EXPECT_EQ(nova_session_length(session.get()), 1);
  session.reset(); // the last owner goes
}

TEST(Session, ChecksItsOptions) {
  ModulePtr sequence = load(runningManifest()), plain = load(scaleManifest());
  nova_session_t *session = nullptr;
  nova_session_options_t negative{sizeof negative, -1, -1, nullptr}, beyond{sizeof beyond, 5, 4, nullptr},
      unsized{3, 0, -1, nullptr};
  EXPECT_EQ(take(nova_session_create(plain.get(), nullptr, &session)),
            "invalid argument: test.scale was compiled without a sequence to extend");
  EXPECT_EQ(take(nova_session_create(sequence.get(), &negative, &session)),
            "invalid argument: initial_rows: expected 0 or more and at most max_rows, found -1");
  EXPECT_EQ(take(nova_session_create(sequence.get(), &beyond, &session)),
            "invalid argument: initial_rows: expected 0 or more and at most max_rows, found 5");
  EXPECT_THAT(take(nova_session_create(sequence.get(), &unsized, &session)), HasSubstr("options: expected size"));
  EXPECT_EQ(take(nova_session_create(nullptr, nullptr, &session)), "invalid argument: module is null");
  EXPECT_EQ(take(nova_session_create(sequence.get(), nullptr, nullptr)), "invalid argument: session is null");
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(nova_session_length(nullptr), 0);
  nova_session_reset(nullptr);
  nova_session_free(nullptr);
}

} // namespace
