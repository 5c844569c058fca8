// Contractions: every type, both layouts, ranges, masks, tails in rows, k and columns.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/RowRanges.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>
#include <random>

namespace nova::test {
namespace {

const char kernels[] = R"(
tile.storage @B symbols ["c", "k", "m", "t"] : b<$T[k, c], $layout>
tile.kernel @pack symbols ["c", "k", "m", "t"] rows <k> position <0> block 256 {
^bb0(%b: b<$T[k, c], rows>, %p: b<$T[k, c], $layout>):
  tile.pack %b -> %p : <$T[k, c], rows> -> <$T[k, c], $layout>
}
tile.kernel @contract symbols ["c", "k", "m", "t"] rows <m> position <t> block 48 {
^bb0(%a: b<$T[m, k], rows>, %b: b<$T[k, c], $layout>, %h: b<i1[$maskRows, k], rows>, %o: b<$T[m, c], rows>):
  tile.contract %a, %b -> %o $mask $ranges : <$T[m, k], rows>, <$T[k, c], $layout> -> <$T[m, c], rows>
}
)";

struct Form {
  std::string layout, mask = {};
  RowRange terms = {}, columns = {};
  std::string maskRows = "m";
};

template <typename T> T randomValue(std::mt19937 &random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(uint64_t(random()) * random());
  else
    return random() % 64 == 0 ? T(-0.0) : std::normal_distribution<T>()(random);
}

template <typename T> void check(const std::string &target, const Form &form) {
  std::map<std::string, std::string> values{
      {"layout", form.layout},
      {"ranges", (form.terms.text.empty() ? "" : "terms " + form.terms.text) +
                     (form.columns.text.empty() ? "" : " columns " + form.columns.text)},
      {"maskRows", form.maskRows},
      {"mask", form.mask},
      {"T", typeName<T>}};
  Kernels module(expand(kernels, values), target);
  std::mt19937 random(7);
  const int64_t shapes[][4] = {{1, 0, 3, 0},      {2, 1, 1, 0},        {3, 7, 16, 2},    {5, 20, 17, 0},
                               {6, 255, 5, 1},    {7, 256, 64, 9},     {13, 257, 8, 3},  {48, 33, 65, 0},
                               {60, 520, 31, 40}, {49, 530, 130, 500}, {1, 300, 200, 7}, {4, 5, 0, 0}};
  for (auto [m, k, c, t] : shapes) {
    std::vector<int64_t> dims{c, k, m, t};
    int64_t maskRows = form.maskRows == "1" ? 1 : m;
    Array<T> a(m * k), b(k * c), o(m * c, 0x55);
    Array<char> packed(module.bytes("B", dims), 0xFF), hidden(maskRows * k);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = randomValue<T>(random);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = randomValue<T>(random);
    for (size_t i = 0; i < hidden.size(); ++i)
      hidden[i] = random() % 3 == 0;
    ASSERT_EQ(module.run("pack", dims, k, 256, {b.data(), packed.data()}), 0);
    ASSERT_EQ(module.run("contract", dims, m, 48, {a.data(), packed.data(), hidden.data(), o.data()}), 0);
    int64_t wrong = 0;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < c; ++column) {
        if (!form.columns.sees(t + row, column, k, c))
          continue;
        reference::Contraction<T> sum;
        for (int64_t j = 0; j < k; ++j) {
          bool visible = form.terms.sees(t + row, j, k, k);
          if (!form.mask.empty() && hidden[(maskRows == 1 ? 0 : row) * k + j])
            visible = false;
          if (visible)
            sum.term(j, a[row * k + j], b[j * c + column]);
        }
        T expected = reference::canonicalize(sum.result());
        wrong += std::memcmp(&expected, &o[row * c + column], sizeof(T)) != 0;
      }
    EXPECT_EQ(wrong, 0) << typeName<T> << " " << form.layout << " terms " << form.terms.text << " columns "
                        << form.columns.text << " " << form.mask << " m " << m << " k " << k << " c " << c << " t "
                        << t;
  }
}

class Contract : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!canRun("x86-64-v3"))
      GTEST_SKIP() << "this CPU cannot run x86-64-v3";
  }
  std::string target = "x86-64-v3", layout = GetParam();
};

TEST_P(Contract, Plain) {
  check<float>(target, {layout});
  check<double>(target, {layout});
  check<int>(target, {layout});
  check<long>(target, {layout});
}
TEST_P(Contract, TermsInARange) {
  for (const RowRange &range : rowRanges("k"))
    check<float>(target, {layout, "", range});
  check<int>(target, {layout, "", rowRanges("k")[1]});
}
TEST_P(Contract, ColumnsInARange) {
  for (const RowRange &range : rowRanges("k"))
    check<float>(target, {layout, "", {}, range});
}
TEST_P(Contract, BothRanges) {
  for (const char *form : {"d0 - 4", "-d0 + s0", "or", "then"})
    for (const RowRange &range : rowRanges("k"))
      if (range.text.find(form) != std::string::npos)
        check<float>(target, {layout, "", range, range});
}
TEST_P(Contract, HiddenTerms) {
  check<float>(target, {layout, "hidden %h : !tile.buffer<i1[m, k], rows>"});
  for (const RowRange &range : {rowRanges("k")[1], rowRanges("k")[2], rowRanges("k")[9]})
    check<double>(target, {layout, "hidden %h : !tile.buffer<i1[m, k], rows>", range});
  check<float>(target, {layout, "hidden %h : !tile.buffer<i1[1, k], rows>", {}, {}, "1"});
}
// A hidden term is never multiplied: NaN and infinity under the mask do not reach the sum.
TEST_P(Contract, HiddenNaNStaysOut) {
  std::map<std::string, std::string> values{{"layout", layout},
                                            {"T", "f32"},
                                            {"maskRows", "m"},
                                            {"ranges", ""},
                                            {"mask", "hidden %h : !tile.buffer<i1[m, k], rows>"}};
  Kernels module(expand(kernels, values), target);
  std::vector<int64_t> dims{3, 4, 7, 0};
  Array<float> a(std::vector<float>(28, 2.0f)), b(std::vector<float>(12, 1.0f)), o(21);
  Array<char> packed(module.bytes("B", dims)), hidden(28);
  for (int64_t row = 0; row < 7; ++row)
    hidden[row * 4 + 2] = 1;
  b[2 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  a[4 + 2] = std::numeric_limits<float>::infinity();
  module.run("pack", dims, 4, 256, {b.data(), packed.data()});
  module.run("contract", dims, 7, 48, {a.data(), packed.data(), hidden.data(), o.data()});
  EXPECT_EQ(o.values(), std::vector<float>(21, 6.0f));
}

// One column in scratch memory: whole panels are written, where narrow tiles of passes have one entry per row.
TEST_P(Contract, OneColumnInScratch) {
  Kernels module(expand(R"(
tile.storage @B symbols ["k", "m"] : b<f32[k, 1], $layout>
tile.kernel @pack symbols ["k", "m"] rows <k> position <0> block 256 {
^bb0(%b: b<f32[k, 1], rows>, %p: b<f32[k, 1], $layout>):
  tile.pack %b -> %p : <f32[k, 1], rows> -> <f32[k, 1], $layout>
}
tile.kernel @contract symbols ["k", "m"] rows <m> position <0> block 48 {
^bb0(%a: b<f32[m, k], rows>, %b: b<f32[k, 1], $layout>, %o: b<f32[m, 1], rows>):
  %s = tile.scratch : <f32[m, 1], rows>
  tile.contract %a, %b -> %s : <f32[m, k], rows>, <f32[k, 1], $layout> -> <f32[m, 1], rows>
  tile.pass width <1> ins(%s : b<f32[m, 1], rows>) stores() reduces(%o : b<f32[m, 1], rows>)
      kinds [#tile.reduce<sum>] hide [0] {
  ^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):
    tile.yield %v : s<f32>
  }
}
)",
                        {{"layout", layout}}),
                 target);
  for (int64_t m : {1, 2, 3, 13, 60})
    for (int64_t k : {1, 256, 300}) {
      std::vector<int64_t> dims{k, m};
      Array<float> a(m * k), b(std::vector<float>(k, 2.0f)), o(m, 0x55);
      Array<char> packed(module.bytes("B", dims), 0xFF);
      for (int64_t i = 0; i < m * k; ++i)
        a[i] = float(i / k);
      ASSERT_EQ(module.run("pack", dims, k, 256, {b.data(), packed.data()}), 0);
      ASSERT_EQ(module.run("contract", dims, m, 48, {a.data(), packed.data(), o.data()}), 0);
      for (int64_t row = 0; row < m; ++row)
        EXPECT_EQ(o[row], float(2 * row * k)) << "row " << row << " of " << m << ", k " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Contract, testing::Values("panels", "pages"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace nova::test
