// Modules as files, code as code: no foreign symbols, equal bytes, hot loops without spills; and what is refused.
#include "tests/conversion/AttentionTiles.h"
#include "tests/conversion/HotLoops.h"
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nova::test {
namespace {

class Modules : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  std::string type = std::get<0>(GetParam()), target = std::get<1>(GetParam());
};

TEST_P(Modules, HotLoopsKeepVectorsInRegisters) {
  int hot = 0, registerTiles = 0;
  for (const HotLoop &loop : hotLoops(assemblyOf(attentionTiles(type), target))) {
    if (loop.multiplyAdds < 4)
      continue;
    ++hot;
    registerTiles += loop.multiplyAdds >= 12 && loop.instructions <= loop.multiplyAdds + 18;
    EXPECT_TRUE(loop.spills.empty()) << loop.function << ": " << loop.spills.size() << " in " << loop.instructions
                                     << " instructions, first " << loop.spills.front();
  }
  EXPECT_GE(hot, 6);
  EXPECT_GE(registerTiles, 2) << "one for Q K^T and one for A V";
}

// Scalars stand between the passes; the rows are run by one part all the same, which alone can know bounds of them.
TEST_P(Modules, PassesShareOnePart) {
  std::string assembly = assemblyOf(attentionTiles(type), target);
  int parts = 0;
  for (size_t at = assembly.find("_rows:"); at != std::string::npos; at = assembly.find("_rows:", at + 1))
    ++parts;
  EXPECT_EQ(parts, 1);
}

TEST_P(Modules, CallNothingOutside) {
  std::vector<char> bytes = compileModule(attentionTiles(type), target);
  std::string path = std::filesystem::temp_directory_path() / ("nova-nm-" + std::to_string(getpid()) + ".so");
  std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
  FILE *nm = popen((NOVA_LLVM_NM " -D --undefined-only " + path).c_str(), "r");
  std::string undefined;
  for (int c; nm && (c = fgetc(nm)) != EOF;)
    undefined += static_cast<char>(c);
  EXPECT_EQ(nm ? pclose(nm) : -1, 0);
  std::filesystem::remove(path);
  EXPECT_EQ(undefined, "");
}

TEST_P(Modules, SameTextSameBytes) {
  std::vector<char> first = compileModule(attentionTiles(type), target),
                    second = compileModule(attentionTiles(type), target);
  EXPECT_TRUE(first == second);
}

INSTANTIATE_TEST_SUITE_P(Attention, Modules,
                         testing::Combine(testing::Values("f32", "f64"), testing::Values("x86-64-v3", "x86-64-v4")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" + (std::get<1>(info.param) + 7);
                         });

std::string kernel(const std::string &arguments, const std::string &body) {
  return expand("tile.kernel @k symbols [\"m\", \"n\"] rows <m> position <0> block 4 {\n^bb0(" + arguments + "):\n" +
                    body + "\n}",
                {});
}

void expectRefused(const std::string &text, const std::string &message) {
  std::string diagnostics = refusal(text, "x86-64-v3");
  EXPECT_NE(diagnostics.find(message), std::string::npos) << "found: " << diagnostics;
}

TEST(Refused, UnknownSymbol) {
  expectRefused(kernel("%x: b<f32[m, q], rows>, %o: b<f32[m, q], rows>",
                       "tile.copy %x -> %o : <f32[m, q], rows> -> <f32[m, q], rows>"),
                "uses the symbol 'q' of the dimension 'q', which its 'symbols' do not list");
}
TEST(Refused, ContractionOfUnequalTypes) {
  expectRefused(kernel("%a: b<f32[m, n], rows>, %b: b<f64[n, n], panels>, %o: b<f32[m, n], rows>",
                       "tile.contract %a, %b -> %o : <f32[m, n], rows>, <f64[n, n], panels> -> <f32[m, n], rows>"),
                "multiplies 'f32' by 'f64' into 'f32'");
}
TEST(Refused, ContractionWithPlainRightSide) {
  expectRefused(kernel("%a: b<f32[m, n], rows>, %b: b<f32[n, n], rows>, %o: b<f32[m, n], rows>",
                       "tile.contract %a, %b -> %o : <f32[m, n], rows>, <f32[n, n], rows> -> <f32[m, n], rows>"),
                "needs a packed global buffer on the right");
}
TEST(Refused, TooFewYields) {
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, n], rows>",
                       "tile.pass width <n> ins(%x : b<f32[m, n], rows>) stores(%o : b<f32[m, n], rows>) reduces() "
                       "kinds [] hide [] {\n"
                       "^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):\n tile.yield\n}"),
                "must end in a yield of 1 values");
}
TEST(Refused, AnOpThatIsNoArithmetic) {
  expectRefused(
      kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, n], rows>",
             "tile.pass width <n> ins(%x : b<f32[m, n], rows>) stores(%o : b<f32[m, n], rows>) reduces() kinds [] hide "
             "[] {\n"
             "^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):\n"
             "%y = \"nova.transpose\"(%v) {permutation = array<i64>} : (s<f32>) -> s<f32>\n tile.yield %y : s<f32>\n}"),
      "is no elementwise operation that tile code knows");
}
TEST(Refused, MapToAnExpression) {
  expectRefused(
      kernel("%x: b<f32[m], rows>, %o: b<f32[m, n], rows>",
             "tile.map ins(%x : b<f32[m], rows>) out(%o : b<f32[m, n], rows>) maps [affine_map<(i, j) -> (i + j)>] {\n"
             "^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):\n tile.yield %v : s<f32>\n}"),
      "neither 0 nor made of an axis, a step and a start");
}
TEST(Refused, AxisOutOfRange) {
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, 1], rows>",
                       "tile.reduce <sum> %x axis 2 -> %o : <f32[m, n], rows> -> <f32[m, 1], rows>"),
                "reduces axis 2 of rank 2");
}

} // namespace
} // namespace nova::test
