// Sessions of graphs that look back through a window: they give up rows, and nothing else shows.
#include "tests/cases/LoadGraph.h"
#include <cstring>
#include <gmock/gmock.h>
#include <random>
#include <unistd.h>

using namespace nova::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {
constexpr int64_t width = 5, rowCount = 2600;

/// Two layers with these masks, the second over what the first gave: lines that define %hidden from %row and %col.
std::string layers(const std::string &first, const std::string &second) {
  std::string text;
  for (auto [name, mask] : {std::pair("first", first), std::pair("second", second)})
    text += std::string("graph @") + name +
            "(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, d]) -> f64[n, d] where d >= 1 {\n"
            "  %S = call @std.nn.attention_scores(%Q, %K) : f64[n, n]\n"
            "  %row = iota 0 : [n, 1]\n"
            "  %col = iota 1 : [1, n]\n" +
            mask +
            "  %hide = constant -inf\n"
            "  %Sm = where %hidden, %hide, %S\n"
            "  %A = call @std.nn.softmax(%Sm) : f64[n, n]\n"
            "  %O = matmul %A, %V\n"
            "  return %O\n"
            "}\n";
  return text + "graph @both(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, d]) -> f64[n, d] where d >= 1 {\n"
                "  %X = call @first(%Q, %K, %V) : f64[n, d]\n"
                "  %O = call @second(%Q, %X, %X) : f64[n, d]\n"
                "  return %O\n"
                "}\n";
}
std::string window(int64_t reach) {
  return "  %w = constant " + std::to_string(reach) +
         "\n"
         "  %last = subtract %row, %w\n"
         "  %future = greater %col, %row\n"
         "  %past = less_equal %col, %last\n"
         "  %hidden = or %future, %past\n";
}
const std::string causal = "  %hidden = greater %col, %row\n";

struct Rows {
  std::vector<double> numbers;
  explicit Rows(int64_t rows = rowCount) : numbers(size_t(rows * width), -7) {}
  double *at(int64_t row) { return numbers.data() + row * width; }
};

class Fed {
public:
  explicit Fed(const std::string &source) : module(loadGraph(source)) {
    std::mt19937 random(7);
    for (Rows *rows : {&q, &k, &v})
      for (double &x : rows->numbers)
        x = 4.0 * double(random()) / 4294967296.0 - 2;
    EXPECT_EQ(take(nova_budget_create(INT64_MAX, &made)), "");
    budget.reset(made);
    EXPECT_EQ(run(nullptr, 0, rowCount, expected), "");
  }

  std::string run(nova_session_t *session, int64_t first, int64_t count, Rows &out) {
    int64_t dims[] = {count, width};
    nova_tensor_t arguments[3], result{NOVA_F64, 2, dims, out.at(first)};
    for (auto [argument, rows] : llvm::zip(arguments, std::initializer_list<Rows *>{&q, &k, &v}))
      argument = {NOVA_F64, 2, dims, rows->at(first)};
    nova_run_t run{session ? nullptr : module.get(), nullptr, session, arguments, 3, &result, 1};
    return take(nova_run(context.get(), &run, 1));
  }
  /// Feeds rows that follow and compares what comes out, bit for bit.
  void feed(nova_session_t *session, int64_t count) {
    int64_t first = nova_session_length(session);
    Rows out;
    ASSERT_EQ(run(session, first, count, out), "");
    ASSERT_EQ(std::memcmp(out.at(first), expected.at(first), size_t(count * width) * sizeof(double)), 0)
        << first << " and " << count << " more";
  }
  SessionPtr session(nova_budget_t *of = nullptr) const {
    nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
    options.budget = of ? of : budget.get();
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_create(module.get(), &options, &made)), "");
    return SessionPtr(made);
  }
  int64_t taken() const { return nova_budget_taken(budget.get()); }

  ModulePtr module;
  ContextPtr context = makeContext(2);
  nova_budget_t *made = nullptr;
  std::unique_ptr<nova_budget_t, Deleter<nova_budget_t, nova_budget_release>> budget;
  Rows q, k, v, expected;
};

/// Feeds all rows in pieces of all sizes, with forks, ways through a file, and ways back in between.
void feedAll(Fed &fed, unsigned seed) {
  std::mt19937 random(seed);
  char folder[] = "/tmp/nova-window-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string path = std::string(folder) + "/rows";
  SessionPtr session = fed.session();
  while (nova_session_length(session.get()) < rowCount) {
    int64_t length = nova_session_length(session.get()), most = rowCount - length;
    int64_t piece = random() % 9 == 0 ? random() % 900 : random() % 3 == 0 ? 1 : random() % 40;
    ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), std::min(most, piece)));
    length = nova_session_length(session.get());
    switch (random() % 12) {
    case 0:
      ASSERT_EQ(take(nova_session_rewind(session.get(), length - std::min<int64_t>(length, random() % 30))), "");
      break;
    case 1: {
      nova_session_t *fork = nullptr;
      ASSERT_EQ(take(nova_session_fork(session.get(), &fork)), "");
      session.reset(fork);
      break;
    }
    case 2:
      ASSERT_EQ(take(nova_session_save(session.get(), path.c_str())), "");
      session = fed.session();
      ASSERT_EQ(take(nova_session_load(session.get(), path.c_str())), "");
      std::remove(path.c_str());
      break;
    default:
      break;
    }
  }
  rmdir(folder);
}

TEST(Window, AnyPiecesGiveTheBitsOfTheWhole) {
  for (int64_t reach : {1, 64, 256, 257, 700}) {
    SCOPED_TRACE(reach);
    Fed fed(layers(window(reach), window(reach / 2 + 1)));
    for (unsigned seed = 0; seed < 2; seed++)
      ASSERT_NO_FATAL_FAILURE(feedAll(fed, seed));
    EXPECT_EQ(fed.taken(), 0);
  }
}

TEST(Window, BesideAStateThatKeepsAll) {
  Fed fed(layers(window(40), causal));
  for (unsigned seed = 0; seed < 3; seed++)
    ASSERT_NO_FATAL_FAILURE(feedAll(fed, seed));
}

TEST(Window, MemoryDoesNotGrowWithTheLength) {
  Fed fed(layers(window(100), window(30))), all(layers(causal, causal));
  SessionPtr session = fed.session(), other = all.session();
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 300));
  const int64_t atFirst = nova_session_bytes(session.get());
  int64_t most = 0;
  for (int64_t row = 300; row < rowCount; row += 20) {
    ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 20));
    most = std::max(most, fed.taken());
    EXPECT_LT(nova_session_bytes(session.get()), 5 * atFirst);
  }
  ASSERT_NO_FATAL_FAILURE(all.feed(other.get(), rowCount));
  EXPECT_LT(most, all.taken() * 3 / 4); // 100 + 3 * 256 rows, and half as many again

  // Nor does what a long prompt took stay.
  session = fed.session();
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), rowCount - 1));
  const int64_t prompt = fed.taken();
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 1));
  EXPECT_LT(fed.taken(), prompt * 3 / 4);
}

TEST(Window, GoesBackAsFarAsItKeepsRows) {
  Fed fed(layers(window(100), window(30)));
  SessionPtr session = fed.session();
  for (int64_t row = 0; row < 2000; row += 50)
    ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 50));
  EXPECT_THAT(take(nova_session_rewind(session.get(), 500)),
              AllOf(HasSubstr("keeps the last rows only, so the session can go back to "),
                    HasSubstr(" of its 2000 rows at the most, found 500")));
  EXPECT_EQ(nova_session_length(session.get()), 2000);
  ASSERT_EQ(take(nova_session_rewind(session.get(), 2000 - 256)), "");
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 600));
  ASSERT_EQ(take(nova_session_rewind(session.get(), 0)), "");
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 600));
}

TEST(Budget, IsSharedAndGivenBack) {
  Fed fed(layers(causal, causal));
  SessionPtr probe = fed.session();
  ASSERT_NO_FATAL_FAILURE(fed.feed(probe.get(), 1000));
  const int64_t each = fed.taken();
  EXPECT_GE(each, nova_session_bytes(probe.get()));
  nova_budget_t *made = nullptr;
  ASSERT_EQ(take(nova_budget_create(2 * each + each / 2, &made)), "");
  SessionPtr first = fed.session(made), second = fed.session(made), third = fed.session(made);
  nova_budget_release(made); // its sessions keep it
  ASSERT_NO_FATAL_FAILURE(fed.feed(first.get(), 1000));
  ASSERT_NO_FATAL_FAILURE(fed.feed(second.get(), 1000));
  Rows out;
  std::string refused = fed.run(third.get(), 0, 1000, out);
  EXPECT_THAT(refused, HasSubstr("capacity exceeded: the budget of memory is " + std::to_string(2 * each + each / 2) +
                                 " bytes, of which "));
  EXPECT_THAT(refused, HasSubstr(" are taken, so there is no room for "));
  EXPECT_EQ(out.numbers, Rows().numbers);
  EXPECT_EQ(nova_session_length(third.get()), 0);
  ASSERT_NO_FATAL_FAILURE(fed.feed(first.get(), 100)); // others are as they were
  second.reset();
  ASSERT_NO_FATAL_FAILURE(fed.feed(third.get(), 1000));
}

TEST(Budget, CountsOnceWhatForksHaveInCommon) {
  Fed fed(layers(causal, causal));
  nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
  options.budget = fed.budget.get();
  options.initial_rows = 12000; // so much that forks map it
  nova_session_t *made = nullptr;
  ASSERT_EQ(take(nova_session_create(fed.module.get(), &options, &made)), "");
  SessionPtr session(made);
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 2400));
  const int64_t alone = fed.taken();
  std::vector<SessionPtr> forks;
  std::vector<int64_t> each;
  for (int i = 0; i < 3; i++) {
    int64_t before = fed.taken();
    ASSERT_EQ(take(nova_session_fork(session.get(), &made)), "");
    forks.emplace_back(made);
    each.push_back(fed.taken() - before);
  }
  EXPECT_EQ(each[1], each[2]);
  EXPECT_LT(each[1], alone);
  EXPECT_EQ(each[0], alone); // with the rows that all have in common
  // What is written anew becomes the fork's own.
  int64_t before = fed.taken();
  ASSERT_EQ(take(nova_session_rewind(forks[0].get(), 1000)), "");
  ASSERT_NO_FATAL_FAILURE(fed.feed(forks[0].get(), 1500));
  EXPECT_GT(fed.taken(), before);
  EXPECT_LE(fed.taken(), before + alone - each[1]);
  session.reset();
  ASSERT_NO_FATAL_FAILURE(fed.feed(forks[1].get(), 200));
  forks.clear();
  EXPECT_EQ(fed.taken(), 0);
}

TEST(Budget, WhatFailsTakesNothing) {
  Fed fed(layers(causal, causal));
  nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
  options.initial_rows = 12000; // so much that forks map it
  options.budget = fed.budget.get();
  nova_session_t *made = nullptr;
  ASSERT_EQ(take(nova_session_create(fed.module.get(), &options, &made)), "");
  SessionPtr probe(made);
  ASSERT_NO_FATAL_FAILURE(fed.feed(probe.get(), 2000));
  ASSERT_EQ(take(nova_budget_create(fed.taken() * 3 / 2, &options.budget)), "");
  ASSERT_EQ(take(nova_session_create(fed.module.get(), &options, &made)), "");
  SessionPtr session(made);
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 2000));
  const int64_t taken = nova_budget_taken(options.budget);
  EXPECT_THAT(take(nova_session_fork(session.get(), &made)), HasSubstr("capacity exceeded"));
  EXPECT_EQ(nova_budget_taken(options.budget), taken);

  // A file that turns out to be damaged when all is read.
  char name[] = "/tmp/nova-budget-XXXXXX";
  close(mkstemp(name));
  ASSERT_EQ(take(nova_session_save(session.get(), name)), "");
  FILE *file = std::fopen(name, "r+b");
  std::fseek(file, -1, SEEK_END);
  int last = std::fgetc(file);
  std::fseek(file, -1, SEEK_END);
  std::fputc(last ^ 1, file);
  std::fclose(file);
  probe.reset();
  SessionPtr loaded = fed.session();
  EXPECT_THAT(take(nova_session_load(loaded.get(), name)), HasSubstr("its digest does not match"));
  EXPECT_EQ(fed.taken(), 0);
  std::remove(name);
  nova_budget_release(options.budget);
}

TEST(Budget, RefusesForksAndGrowth) {
  Fed fed(layers(causal, causal));
  SessionPtr probe = fed.session();
  ASSERT_NO_FATAL_FAILURE(fed.feed(probe.get(), 200));
  nova_budget_t *made = nullptr;
  ASSERT_EQ(take(nova_budget_create(fed.taken() * 3 / 2, &made)), "");
  SessionPtr session = fed.session(made);
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 200));
  nova_session_t *fork = nullptr;
  EXPECT_THAT(take(nova_session_fork(session.get(), &fork)), HasSubstr("capacity exceeded: the budget of memory is"));
  EXPECT_EQ(fork, nullptr);
  Rows out;
  EXPECT_THAT(fed.run(session.get(), 200, 2000, out), HasSubstr("capacity exceeded: the budget of memory is"));
  EXPECT_EQ(nova_session_length(session.get()), 200);
  ASSERT_NO_FATAL_FAILURE(fed.feed(session.get(), 40)); // what this call needs can be had
  nova_budget_release(made);

  EXPECT_EQ(take(nova_budget_create(-1, &made)), "invalid argument: max_bytes: expected 0 or more, found -1");
  EXPECT_EQ(take(nova_budget_create(1, nullptr)), "invalid argument: budget is null");
  EXPECT_EQ(nova_budget_taken(nullptr), 0);
  nova_budget_release(nullptr);
}
} // namespace
