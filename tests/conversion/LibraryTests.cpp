// Contractions of which library tiles may carry blocks of 64 rows: what a tile is given, and when.
#include "compiler/reference/Canonical.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>
#include <limits>
#include <memory>

namespace nova::test {
namespace {

// Twice: from memory into scratch, and from there into memory.
const char kernels[] = R"(
tile.storage @P symbols ["c", "d", "k", "m"] : b<f32[k, c], pages>
tile.storage @Q symbols ["c", "d", "k", "m"] : b<f32[c, d], pages>
tile.kernel @packP symbols ["c", "d", "k", "m"] rows <k> position <0> block 256 {
^bb0(%b: b<f32[k, c], rows>, %p: b<f32[k, c], pages>):
  tile.pack %b -> %p : <f32[k, c], rows> -> <f32[k, c], pages>
}
tile.kernel @packQ symbols ["c", "d", "k", "m"] rows <c> position <0> block 256 {
^bb0(%b: b<f32[c, d], rows>, %p: b<f32[c, d], pages>):
  tile.pack %b -> %p : <f32[c, d], rows> -> <f32[c, d], pages>
}
tile.kernel @twice symbols ["c", "d", "k", "m"] rows <m> position <0> block 64 {
^bb0(%a: b<f32[m, k], rows>, %p: b<f32[k, c], pages>, %b: b<f32[k, c], rows>, %q: b<f32[c, d], pages>,
     %e: b<f32[c, d], rows>, %o: b<f32[m, d], rows>):
  %s = tile.scratch : <f32[m, c], rows>
  tile.contract %a, %p -> %s plain %b : b<f32[k, c], rows> : <f32[m, k], rows>, <f32[k, c], pages> -> <f32[m, c], rows>
  tile.contract %s, %q -> %o plain %e : b<f32[c, d], rows> : <f32[m, c], rows>, <f32[c, d], pages> -> <f32[m, d], rows>
}
)";

struct Tile {
  int32_t (*run)(const Tile *self, const float *a, const float *b, float *c);
  const int64_t *shape; // terms, columns, strides of A, B and C
  int calls = 0;
  const float *lastB = nullptr;
};

int32_t multiply(const Tile *self, const float *a, const float *b, float *c) {
  auto *tile = const_cast<Tile *>(self);
  ++tile->calls;
  tile->lastB = b;
  const int64_t *s = self->shape;
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t j = 0; j < s[1]; ++j) {
      reference::Contraction<float> sum;
      for (int64_t k = 0; k < s[0]; ++k)
        sum.term(k, a[r * s[2] + k], b[k * s[3] + j]);
      c[r * s[4] + j] = sum.result();
    }
  return 1;
}

// Spoils the totals and says that it could not compute them.
int32_t spoil(const Tile *self, const float *, const float *, float *c) {
  ++const_cast<Tile *>(self)->calls;
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t j = 0; j < self->shape[1]; ++j)
      c[r * self->shape[4] + j] = std::numeric_limits<float>::quiet_NaN();
  return 0;
}

class Library : public testing::Test {
protected:
  void SetUp() override {
    if (!canRun("x86-64-v3"))
      GTEST_SKIP() << "this CPU cannot run x86-64-v3";
    module = std::make_unique<Kernels>(expand(kernels, {}), "x86-64-v3");
    shapes = module->shapes("twice", dims(64), 2);
    for (size_t i = 0; i < p.size(); ++i)
      p[i] = float(int(i * 7 % 23) - 11) / 8;
    for (size_t i = 0; i < q.size(); ++i)
      q[i] = float(int(i * 5 % 19) - 9) / 4;
    ASSERT_EQ(module->run("packP", dims(64), k, 256, {p.data(), packedP.data()}), 0);
    ASSERT_EQ(module->run("packQ", dims(64), c, 256, {q.data(), packedQ.data()}), 0);
  }
  std::vector<int64_t> dims(int64_t m) const { return {c, d, k, m}; }

  std::vector<float> run(int64_t m, const void *const *tiles) {
    Array<float> a(m * k), o(m * d, 0x55);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = i % 997 == 5 ? std::numeric_limits<float>::infinity() : float(int(i * 3 % 31) - 15);
    EXPECT_EQ(module->run("twice", dims(m), m, 64,
                          {a.data(), packedP.data(), p.data(), packedQ.data(), q.data(), o.data()}, false, tiles),
              0);
    return o.values();
  }
  static bool same(const std::vector<float> &x, const std::vector<float> &y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  }

  static constexpr int64_t c = 77, d = 35, k = 300;
  std::unique_ptr<Kernels> module;
  std::vector<int64_t> shapes;
  Array<float> p{k * c}, q{c * d};
  Array<char> packedP{512 * 80 * 4}, packedQ{256 * 48 * 4};
};

// Scratch tiles of contractions are whole panels and one more; totals of results are whole panels.
TEST_F(Library, TellsTheShapes) { EXPECT_EQ(shapes, (std::vector<int64_t>{300, 77, 300, 77, 96, 77, 35, 96, 35, 48})); }

TEST_F(Library, CarriesBlocksOf64Rows) {
  for (int64_t m : {1, 2, 63, 64, 65, 128, 200}) {
    Tile tiles[] = {{multiply, shapes.data()}, {multiply, shapes.data() + 5}};
    const void *table[] = {&tiles[0], &tiles[1]};
    EXPECT_TRUE(same(run(m, table), run(m, nullptr))) << m;
    EXPECT_EQ(tiles[0].calls, m / 64);
    EXPECT_EQ(tiles[1].calls, m / 64);
    if (m >= 64) {
      EXPECT_EQ(tiles[0].lastB, p.data());
      EXPECT_EQ(tiles[1].lastB, q.data());
    }
  }
}

TEST_F(Library, CarriesOneOfTwo) {
  Tile tile{multiply, shapes.data() + 5};
  const void *table[] = {nullptr, &tile};
  EXPECT_TRUE(same(run(130, table), run(130, nullptr)));
  EXPECT_EQ(tile.calls, 2);
}

TEST_F(Library, LeavesTheRestToGeneratedCodeWhereATileFails) {
  Tile tiles[] = {{spoil, shapes.data()}, {spoil, shapes.data() + 5}};
  const void *table[] = {&tiles[0], &tiles[1]};
  EXPECT_TRUE(same(run(64, table), run(64, nullptr)));
  EXPECT_EQ(tiles[0].calls + tiles[1].calls, 2);
}

struct Refusal {
  const char *parameters, *contract, *message;
};
TEST(LibraryRefusals, NameWhatIsWrong) {
  const Refusal refusals[] = {
      {"%b: b<f32[k, d], rows>", "plain %b : b<f32[k, d], rows>",
       "needs the plain factor to be a global f32 buffer of layout 'rows' with the dims of the packed one"},
      {"%b: b<f32[k, c], rows>", "plain %b : b<f32[k, c], rows> terms <[]>", "has a plain factor and hidden terms"},
      {"%b: b<f32[k, c], rows>", "plain %b : b<f32[k, c], rows> columns <[]>", "has a plain factor and hidden terms"},
  };
  for (const Refusal &each : refusals) {
    std::string text = expand(R"(
tile.kernel @one symbols ["c", "d", "k", "m"] rows <m> position <0> block 64 {
^bb0(%a: b<f32[m, k], rows>, %p: b<f32[k, c], pages>, $parameters, %o: b<f32[m, c], rows>):
  tile.contract %a, %p -> %o $contract : <f32[m, k], rows>, <f32[k, c], pages> -> <f32[m, c], rows>
}
)",
                              {{"parameters", each.parameters}, {"contract", each.contract}});
    EXPECT_NE(refusal(expand(text, {}), "x86-64-v3").find(each.message), std::string::npos) << each.message;
  }
  std::string oneRow = expand(R"(
tile.kernel @one symbols ["c", "k", "m"] rows <m> position <0> block 64 {
^bb0(%a: b<f32[1, k], rows>, %p: b<f32[k, c], pages>, %b: b<f32[k, c], rows>, %o: b<f32[m, c], rows>):
  tile.contract %a, %p -> %o plain %b : b<f32[k, c], rows> : <f32[1, k], rows>, <f32[k, c], pages> -> <f32[m, c], rows>
}
)",
                              {});
  EXPECT_NE(refusal(oneRow, "x86-64-v3")
                .find("has a plain factor and a first factor without a row for every row of the kernel"),
            std::string::npos);
}

} // namespace
} // namespace nova::test
