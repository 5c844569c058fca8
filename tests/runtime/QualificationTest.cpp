//===- QualificationTest.cpp - Who is let in --------------------------------===//

#include "runtime/core/Qualification.h"
#include "tests/runtime/StandIns.h"

#include <gtest/gtest.h>
#include <immintrin.h>

using namespace nova::runtime;
using namespace nova::test;

namespace {

// An odd number of terms and columns, and strides beyond them: everything that can go wrong shows.
constexpr ProductShape kOdd{77, 19, 80, 24, 21};

TEST(Qualification, LetsInWhatIsRight) {
  Vendor right = rightVendor();
  for (const ProductShape &shape : {kOdd, ProductShape{256, 48, 256, 48, 48}, ProductShape{256, 16, 576, 640, 656},
                                    ProductShape{1, 1, 1, 1, 1}, ProductShape{2, 3, 5, 7, 11}})
    EXPECT_EQ(qualify(right, shape), Verdict::Canonical) << shape.terms << " x " << shape.columns;
}

TEST(Qualification, RefusesEveryFault) {
  for (const Vendor &wrong : wrongVendors())
    EXPECT_EQ(qualify(wrong, kOdd), Verdict::Different) << wrong.name;
}

TEST(Qualification, RefusesEveryFaultOfArithmeticInWholeChunks) {
  for (const Vendor &wrong : wrongVendors())
    if (wrong.name != "reads past the terms" && wrong.name != "writes past the columns")
      EXPECT_EQ(qualify(wrong, ProductShape{256, 32, 256, 32, 32}), Verdict::Different) << wrong.name;
}

TEST(Qualification, KnowsNothingOfWhatCannotWork) { EXPECT_EQ(qualify(failingVendor(), kOdd), Verdict::Unknown); }

TEST(Qualification, TakesOnlyTheMemoryThatItTouches) {
  // Rows a gigabyte apart.
  EXPECT_EQ(qualify(rightVendor(), ProductShape{3, 4, 1 << 28, 1 << 28, 1 << 28}), Verdict::Canonical);
  EXPECT_EQ(qualify(rightVendor(), ProductShape{3, 4, INT64_MAX / 4, 4, 4}), Verdict::Unknown);
}

// The caller may round otherwise or flush subnormals: kernels do not.
TEST(Qualification, IsDoneUnderTheControlOfKernels) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x6000);
  Verdict verdict = qualify(rightVendor(), kOdd);
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(verdict, Verdict::Canonical);
  EXPECT_EQ(after & 0xffc0, (before | 0x8040 | 0x6000) & 0xffc0);
}

} // namespace
