// Modules as files, code as code: no foreign symbols, equal bytes, hot loops without spills.
#include "tests/conversion/AttentionTiles.h"
#include "tests/conversion/HotLoops.h"
#include "tests/conversion/KernelHarness.h"
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

} // namespace
} // namespace nova::test
