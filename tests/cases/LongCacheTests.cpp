// Few rows on a long cache: threads share the rows of one session, and the bits are those of one thread.
#include "tests/cases/LoadGraph.h"
#include <cstring>
#include <random>

using namespace nova::test;

namespace {
struct Shape {
  std::vector<int64_t> heads; // before the rows
  int64_t width;

  std::vector<int64_t> dims(int64_t rows) const {
    std::vector<int64_t> all = heads;
    all.push_back(rows);
    all.push_back(width);
    return all;
  }
  size_t count(int64_t rows) const {
    size_t entries = size_t(rows * width);
    for (int64_t head : heads)
      entries *= size_t(head);
    return entries;
  }
};

template <typename T> class LongCache {
public:
  LongCache(const std::string &source, Shape q, Shape kv) : module(loadGraph(source)), q(q), kv(kv) {}

  /// Feeds a prompt and then pieces; gives all that comes out of the pieces.
  std::vector<T> run(int32_t threads, int64_t prompt, const std::vector<int64_t> &pieces) {
    ContextPtr context = makeContext(threads);
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_create(module.get(), nullptr, &made)), "");
    SessionPtr session(made);
    std::mt19937 random(5);
    std::vector<T> all;
    extend(context.get(), session.get(), prompt, random);
    for (int64_t piece : pieces) {
      std::vector<T> out = extend(context.get(), session.get(), piece, random);
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  }

  void expectTheBitsOfOneThread(int64_t prompt, const std::vector<int64_t> &pieces) {
    const std::vector<T> expected = run(1, prompt, pieces);
    for (int32_t threads : {2, 3, 4, 7}) {
      std::vector<T> out = run(threads, prompt, pieces);
      ASSERT_EQ(out.size(), expected.size());
      EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(T)), 0)
          << threads << " threads, " << prompt << " rows before";
    }
  }

  /// How often the longest kernel is called for one row on so many.
  int64_t callsOfAStep(int32_t threads, int64_t rows) {
    ContextPtr context = makeContext(threads);
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_create(module.get(), nullptr, &made)), "");
    SessionPtr session(made);
    std::mt19937 random(5);
    extend(context.get(), session.get(), rows, random);
    nova_context_measure(context.get(), 1);
    extend(context.get(), session.get(), 1, random);
    nova_kernel_time_t times[8];
    size_t count = nova_context_kernel_times(context.get(), times, 8);
    int64_t most = 0;
    for (size_t i = 0; i < std::min<size_t>(count, 8); i++)
      most = std::max(most, times[i].calls);
    return most;
  }

private:
  std::vector<T> extend(nova_context_t *context, nova_session_t *session, int64_t rows, std::mt19937 &random) {
    constexpr nova_type_t type = sizeof(T) == 4 ? NOVA_F32 : NOVA_F64;
    std::vector<T> numbers[3], out(q.count(rows), T(-7));
    std::vector<int64_t> dims[3] = {q.dims(rows), kv.dims(rows), kv.dims(rows)};
    nova_tensor_t arguments[3], result{type, int32_t(dims[0].size()), dims[0].data(), out.data()};
    for (int i = 0; i < 3; i++) {
      numbers[i].resize((i == 0 ? q : kv).count(rows));
      for (T &x : numbers[i])
        x = T(4.0 * double(random()) / 4294967296.0 - 2);
      arguments[i] = {type, int32_t(dims[i].size()), dims[i].data(), numbers[i].data()};
    }
    nova_run_t run{nullptr, nullptr, session, arguments, 3, &result, 1};
    EXPECT_EQ(take(nova_run(context, &run, 1)), "");
    return out;
  }

  ModulePtr module;
  Shape q, kv;
};

std::string attention(const std::string &type, const std::string &mask) {
  std::string matrix = type + "[n, d]", scores = type + "[n, n]";
  return "graph @attention(%Q: " + matrix + ", %K: " + matrix + ", %V: " + matrix + ") -> " + matrix +
         " where d >= 1 {\n"
         "  %S = call @std.nn.attention_scores(%Q, %K) : " +
         scores +
         "\n"
         "  %row = iota 0 : [n, 1]\n"
         "  %col = iota 1 : [1, n]\n" +
         mask +
         "  %hide = constant -inf\n"
         "  %Sm = where %hidden, %hide, %S\n"
         "  %A = call @std.nn.softmax(%Sm) : " +
         scores +
         "\n"
         "  %O = matmul %A, %V\n"
         "  return %O\n"
         "}\n";
}
const std::string causal = "  %hidden = greater %col, %row\n";

TEST(LongCache, OneHead) {
  LongCache<float> cache(attention("f32", causal), {{}, 64}, {{}, 64});
  cache.expectTheBitsOfOneThread(6000, {1, 1, 2, 3, 5, 8, 13, 1, 0, 1});
  cache.expectTheBitsOfOneThread(4095, {1, 1, 1});
  cache.expectTheBitsOfOneThread(8190, {1, 1, 1, 48, 49});
  EXPECT_EQ(cache.callsOfAStep(1, 8192), 1);
  EXPECT_EQ(cache.callsOfAStep(2, 8192), 5); // the passes are not cut
  EXPECT_EQ(cache.callsOfAStep(2, 1000), 1);
}

TEST(LongCache, OddWidths) {
  LongCache<double> cache(attention("f64", causal), {{}, 21}, {{}, 21});
  cache.expectTheBitsOfOneThread(6143, {1, 1, 4, 7, 12, 1});
}

// Where a block begins may lie in any of the pieces.
TEST(LongCache, Masks) {
  for (const char *mask :
       {"  %w = constant 3000\n  %last = subtract %row, %w\n  %future = greater %col, %row\n"
        "  %past = less_equal %col, %last\n  %hidden = or %future, %past\n",
        "  %w = constant 5\n  %last = subtract %row, %w\n  %future = greater %col, %row\n"
        "  %past = less_equal %col, %last\n  %hidden = or %future, %past\n",
        // the first rows, and the last ones
        "  %w = constant 100\n  %last = subtract %row, %w\n  %future = greater %col, %row\n"
        "  %past = less_equal %col, %last\n  %p = constant 2100\n  %behind = greater_equal %col, %p\n"
        "  %between = and %past, %behind\n  %hidden = or %future, %between\n"}) {
    SCOPED_TRACE(mask);
    LongCache<double> cache(attention("f64", mask), {{}, 9}, {{}, 9});
    cache.expectTheBitsOfOneThread(5000, {1, 1, 3, 8, 1});
  }
}

// Heads that share keys become the rows of a block; three of them on two threads leave one standing.
TEST(LongCache, GroupedHeads) {
  LongCache<float> cache(
      attention("f32", causal) +
          "graph @group(%Q: f32[R, n, d], %K: f32[n, d], %V: f32[n, d]) -> f32[R, n, d] where d >= 1 {\n"
          "  %O = scan @attention over(%Q) with(%K, %V) : f32[R, n, d]\n  return %O\n}\n"
          "graph @groups(%Q: f32[G, R, n, d], %K: f32[G, n, d], %V: f32[G, n, d]) -> f32[G, R, n, d] where d >= 1 {\n"
          "  %O = scan @group over(%Q, %K, %V) : f32[G, R, n, d]\n  return %O\n}\n",
      {{3, 3}, 16}, {{3}, 16});
  cache.expectTheBitsOfOneThread(5000, {1, 1, 3, 1});
}
} // namespace
