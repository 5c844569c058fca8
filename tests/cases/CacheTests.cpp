// B05 and B06 (README.md): caches that are full, and caches that go back, of compiled attention, through libnova.
#include "tests/cases/LoadGraph.h"
#include <gmock/gmock.h>

using namespace nova::test;
using testing::HasSubstr;

namespace {
// Two heads of two layers each: the second layer attends over what the first gave, so that a row that stays too long in
// either shows in the result. With queries and keys 0 a layer gives means.
constexpr const char *source = R"(
graph @head(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, d]) -> f64[n, d] where d >= 1 {
  %first  = call @std.nn.causal_attention(%Q, %K, %V) : f64[n, d]
  %second = call @std.nn.causal_attention(%Q, %K, %V) : f64[n, d]
  %both   = call @std.nn.causal_attention(%Q, %K, %first) : f64[n, d]
  %rest   = subtract %first, %second
  %O      = add %both, %rest
  return %O
}
graph @one(%Q: f64[n, d], %K: f64[n, d], %V: f64[n, d]) -> f64[n, d] where d >= 1 {
  %O = call @std.nn.causal_attention(%Q, %K, %V) : f64[n, d]
  return %O
}
graph @heads(%Q: f64[H, n, d], %K: f64[H, n, d], %V: f64[H, n, d]) -> (f64[H, n, d], f64[H, n, d]) where d >= 1 {
  %O = scan @one over(%Q, %K, %V) : f64[H, n, d]
  %L = scan @head over(%Q, %K, %V) : f64[H, n, d]
  return %O, %L
}
)";

nova_module_t *heads() {
  static ModulePtr module = loadGraph(source);
  return module.get();
}

/// A session of two heads with one number per row; the value in the second head is eight times that in the first.
class Cache {
public:
  explicit Cache(int64_t capacity = -1) {
    nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
    options.max_rows = capacity;
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_create(heads(), &options, &made)), "");
    session.reset(made);
    context = makeContext(2);
  }

  std::string feed(const std::vector<double> &values) {
    auto m = int64_t(values.size());
    int64_t dims[] = {2, m, 1};
    std::vector<double> zeros(2 * m), v = values;
    for (double value : values)
      v.push_back(8 * value);
    one.assign(2 * m, -1);
    layers.assign(2 * m, -1);
    nova_tensor_t q{NOVA_F64, 3, dims, zeros.data()}, arguments[] = {q, q, {NOVA_F64, 3, dims, v.data()}};
    nova_tensor_t results[] = {{NOVA_F64, 3, dims, one.data()}, {NOVA_F64, 3, dims, layers.data()}};
    nova_run_t run{nullptr, nullptr, session.get(), arguments, 3, results, 2};
    return take(nova_run(context.get(), &run, 1));
  }
  /// The mean that the last row of the first head gave; the second head must agree.
  double mean(double value) {
    EXPECT_EQ(feed({value}), "");
    EXPECT_EQ(one[1], 8 * one[0]);
    EXPECT_EQ(layers[1], 8 * layers[0]);
    return one[0];
  }
  int64_t length() const { return nova_session_length(session.get()); }

  SessionPtr session;
  ContextPtr context;
  std::vector<double> one, layers; // the last results
};

TEST(CacheCases, B05Overflow) {
  Cache cache(4);
  const double means[] = {1, 1.5, 2, 2.5};
  for (int step = 1; step <= 4; step++)
    EXPECT_NEAR(cache.mean(step), means[step - 1], 1e-12);
  EXPECT_THAT(cache.feed({5}), HasSubstr("capacity is 4 rows and its length 4"));
  EXPECT_EQ(cache.one, std::vector<double>(2, -1)); // nothing was written
  EXPECT_EQ(cache.length(), 4);
  ASSERT_EQ(take(nova_session_rewind(cache.session.get(), 3)), "");
  EXPECT_NEAR(cache.mean(6), 3, 1e-12);

  Cache prefill(4);
  EXPECT_THAT(prefill.feed({1, 2, 3, 4, 5}), HasSubstr("capacity is 4 rows and its length 0"));
  EXPECT_EQ(prefill.one, std::vector<double>(10, -1));
  EXPECT_EQ(prefill.length(), 0);
  nova_session_reset(cache.session.get());
  EXPECT_NEAR(cache.mean(10), 10, 1e-12);
  EXPECT_THAT(Cache(0).feed({1}), HasSubstr("capacity is 0 rows"));
}

TEST(CacheCases, B06Rewind) {
  Cache cache;
  for (double value : {1, 2, 3})
    cache.mean(value);
  ASSERT_EQ(take(nova_session_rewind(cache.session.get(), 1)), "");
  EXPECT_NEAR(cache.mean(10), 5.5, 1e-12);
  EXPECT_NEAR(cache.layers[0], (1 + 5.5) / 2, 1e-12); // the second layer has gone back too
  EXPECT_THAT(take(nova_session_rewind(cache.session.get(), 5)), HasSubstr("expected a length of 0 .. 2"));
  EXPECT_EQ(cache.length(), 2);

  Cache other;
  nova_session_t *fork = nullptr;
  ASSERT_EQ(take(nova_session_fork(cache.session.get(), &fork)), "");
  other.session.reset(fork);
  EXPECT_NEAR(cache.mean(4), 5, 1e-12);
  EXPECT_NEAR(other.mean(7), 6, 1e-12);
  EXPECT_NEAR(cache.mean(5), 5, 1e-12);
  EXPECT_NEAR(other.mean(2), 5, 1e-12);
  ASSERT_EQ(take(nova_session_rewind(other.session.get(), 1)), "");
  EXPECT_NEAR(other.mean(3), 2, 1e-12);
  EXPECT_NEAR(cache.mean(0), 4, 1e-12);
}

// Code whose sums are in another order, for benchmarks, is never taken for what users compile.
TEST(CacheCases, B12OrderIsPartOfTheKey) {
  mlir::DialectRegistry registry;
  nova::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<nova::Program> program =
      nova::Program::parse(context, "graph @f(%x: f64[n]) -> f64[n] {\n  return %x\n}\n", "f.nova", {});
  nova::CompileOptions exact, free;
  free.freeOrder = true;
  EXPECT_NE(*nova::versionHash(program->getEntry(), exact), *nova::versionHash(program->getEntry(), free));
}
} // namespace
