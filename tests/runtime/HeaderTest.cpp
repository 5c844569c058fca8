//===- HeaderTest.cpp - The interface from C ------------------------------===//

#include "tests/runtime/TestModule.h"

#include <gtest/gtest.h>

extern "C" int headerTestRun(const void *bytes, size_t size, int64_t rows, int64_t columns, float *in, float *out);

using namespace nova::test;

TEST(Header, WorksFromC) {
  std::string bytes = makeModule(scaleManifest());
  float in[] = {1, 2, 3, 4, 5, 6}, out[6] = {};
  ASSERT_EQ(headerTestRun(bytes.data(), bytes.size(), 3, 2, in, out), NOVA_OK);
  EXPECT_EQ(std::vector<float>(out, out + 6), (std::vector<float>{2, 4, 7, 9, 12, 14}));
  EXPECT_EQ(headerTestRun(bytes.data(), bytes.size() / 2, 3, 2, in, out), NOVA_MODULE_DAMAGED);
  EXPECT_EQ(headerTestRun(bytes.data(), bytes.size(), -3, 2, in, out), NOVA_SHAPE_MISMATCH);
}
