// The attention kernels against the definition, bit for bit: every tail, wide and tiny scores, NaN and infinities,
// chunks.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/AttentionTiles.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>

namespace nova::test {
namespace {

/// Compiled once per type and target: sizes are symbolic.
template <typename T> const Kernels &attention(const std::string &target) {
  static std::map<std::string, std::unique_ptr<Kernels>> known;
  std::unique_ptr<Kernels> &kernels = known[target];
  if (!kernels)
    kernels = std::make_unique<Kernels>(attentionTiles(typeName<T>), target);
  return *kernels;
}

template <typename T> struct Inputs {
  int64_t n, d, e;
  std::vector<T> q, k, v;
  Inputs(int64_t n, int64_t d, int64_t e, double scale = 1, unsigned seed = 1)
      : n(n), d(d), e(e), q(n * d), k(n * d), v(n * e) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (T &x : q)
      x = T(normal(random) * scale);
    for (T &x : k)
      x = T(normal(random));
    for (T &x : v)
      x = T(normal(random));
  }
};

/// The definition, row by row, in canonical arithmetic.
template <typename T> std::vector<T> expected(const Inputs<T> &in) {
  using namespace reference;
  std::vector<T> out(in.n * in.e), s(in.n);
  T rd = castTo<T>(squareRoot(castTo<double>(in.d)));
  for (int64_t i = 0; i < in.n; ++i) {
    T m = maximumOfNothing<T>();
    for (int64_t j = 0; j <= i; ++j) {
      Contraction<T> dot;
      for (int64_t k = 0; k < in.d; ++k)
        dot.term(k, in.q[i * in.d + k], in.k[j * in.d + k]);
      s[j] = divide(dot.result(), rd);
      m = maximum(m, s[j]);
    }
    Sum<T> total;
    for (int64_t j = 0; j <= i; ++j) {
      s[j] = canonicalExp(subtract(s[j], m));
      total.term(j, s[j]);
    }
    for (int64_t j = 0; j <= i; ++j)
      s[j] = divide(s[j], total.result());
    for (int64_t c = 0; c < in.e; ++c) {
      Contraction<T> dot;
      for (int64_t j = 0; j <= i; ++j)
        dot.term(j, s[j], in.v[j * in.e + c]);
      out[i * in.e + c] = canonicalize(dot.result());
    }
  }
  return out;
}

/// Feeds the rows in pieces, as a session does.
template <typename T>
std::vector<T> run(const std::string &target, const Inputs<T> &in, const std::vector<int64_t> &pieces,
                   int64_t block = 48) {
  const Kernels &kernels = attention<T>(target);
  std::vector<int64_t> whole{in.d, in.e, in.n, in.n, 0};
  Array<char> kp(kernels.bytes("Kp", whole), 0xFF), vp(kernels.bytes("Vp", whole), 0xFF);
  std::vector<T> result;
  int64_t t = 0;
  for (int64_t m : pieces) {
    std::vector<int64_t> dims{in.d, in.e, m, t + m, t};
    auto rows = [&](const std::vector<T> &x, int64_t width) {
      return Array<T>(std::vector<T>(x.begin() + t * width, x.begin() + (t + m) * width));
    };
    Array<T> q = rows(in.q, in.d), k = rows(in.k, in.d), v = rows(in.v, in.e), o(m * in.e, 0x55);
    EXPECT_EQ(kernels.run("pack_k", dims, m, 256, {k.data(), kp.data()}), 0);
    EXPECT_EQ(kernels.run("pack_v", dims, m, 256, {v.data(), vp.data()}), 0);
    EXPECT_EQ(kernels.run("attention", dims, m, block, {q.data(), kp.data(), vp.data(), o.data()}, true), 0);
    std::vector<T> values = o.values();
    result.insert(result.end(), values.begin(), values.end());
    t += m;
  }
  return result;
}

template <typename T> int64_t differing(const std::vector<T> &a, const std::vector<T> &b) {
  int64_t count = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    count += std::memcmp(&a[i], &b[i], sizeof(T)) != 0;
  return count;
}

class Attention : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!canRun(GetParam()))
      GTEST_SKIP() << "this CPU cannot run " << GetParam();
  }
  template <typename T> void check(const Inputs<T> &in, const std::string &what, std::vector<int64_t> pieces = {}) {
    if (pieces.empty())
      pieces = {in.n};
    EXPECT_EQ(differing(expected(in), run(GetParam(), in, pieces)), 0)
        << typeName<T> << " n " << in.n << " d " << in.d << " e " << in.e << " " << what;
  }
  template <typename T> void sizes() {
    const int64_t shapes[][3] = {{0, 3, 3},    {1, 1, 1},    {2, 1, 0},     {5, 2, 5},    {6, 7, 6},    {7, 5, 7},
                                 {15, 16, 15}, {16, 15, 16}, {17, 17, 17},  {48, 6, 48},  {97, 48, 80}, {255, 2, 33},
                                 {256, 8, 16}, {257, 9, 17}, {300, 300, 5}, {520, 16, 64}};
    for (auto [n, d, e] : shapes)
      check(Inputs<T>(n, d, e), "normal scores");
  }
  template <typename T> void scales() {
    bool single = sizeof(T) == 4;
    for (double scale : {40.0, 14.0, 10.0, 3.0, 1e-22, single ? 1e-38 : 1e-290, single ? 1e-42 : 1e-320,
                         single ? 1e20 : 1e160, single ? 1e38 : 1e308, 0.0})
      for (int64_t d : {16, 20})
        check(Inputs<T>(280, d, 17, scale), "scores times " + std::to_string(scale));
  }
  template <typename T> void pieces() {
    Inputs<T> in(270, 12, 20, 2);
    std::vector<std::vector<int64_t>> splits{
        {1, 269}, {5, 7, 20, 100, 138}, {16, 16, 238}, {255, 1, 1, 13}, {100, 0, 3, 167}};
    splits.push_back(std::vector<int64_t>(270, 1));
    for (const auto &split : splits)
      check(in, "in pieces", split);
    EXPECT_EQ(differing(expected(in), run(GetParam(), in, {270}, 7)), 0) << "in blocks of 7 rows";
  }
  template <typename T> void specials() {
    T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    T payload = reference::ScalarBuilder<T>().floatBits(sizeof(T) == 4 ? 0xFFC00155 : 0xFFF8000000000155);
    for (T special : {nan, payload, inf, -inf, T(-0.0)})
      for (int64_t row : {0, 13, 50, 99}) {
        Inputs<T> in(100, 16, 18);
        in.k[row * in.d + 3] = special;
        check(in, "special key");
        in = Inputs<T>(100, 16, 18);
        in.v[row * in.e + 17] = special;
        check(in, "special value");
        in = Inputs<T>(100, 16, 18);
        in.q[row * in.d] = special;
        check(in, "special query");
      }
    // Later rows with NaN and infinities, after a piece and within it.
    Inputs<T> in(60, 8, 8);
    for (int64_t j = 33; j < 60; ++j)
      in.k[j * 8] = j % 2 ? nan : inf, in.v[j * 8 + 1] = j % 2 ? -inf : nan;
    check(in, "special future");
    check(in, "special future", {20, 13, 27});
  }
};

TEST_P(Attention, EverySizeF32) { sizes<float>(); }
TEST_P(Attention, EverySizeF64) { sizes<double>(); }
TEST_P(Attention, EveryScaleF32) { scales<float>(); }
TEST_P(Attention, EveryScaleF64) { scales<double>(); }
TEST_P(Attention, PiecesF32) { pieces<float>(); }
TEST_P(Attention, PiecesF64) { pieces<double>(); }
TEST_P(Attention, SpecialValuesF32) { specials<float>(); }
TEST_P(Attention, SpecialValuesF64) { specials<double>(); }

INSTANTIATE_TEST_SUITE_P(Targets, Attention, testing::Values("x86-64-v3", "x86-64-v4", emulatedWide),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace nova::test
