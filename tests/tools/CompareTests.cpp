// Distances in units in the last place, and places.
#include "tools/nova/Compare.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace nova::tool;
using nova::reference::Element;
using nova::reference::Tensor;

template <class T> static uint64_t steps(Element element, T a, T b) {
  Tensor left(element, {}), right(element, {});
  *left.data<T>() = a;
  *right.data<T>() = b;
  Difference there = compare(left, right, 0), back = compare(right, left, 0);
  EXPECT_EQ(there.largest, back.largest);
  EXPECT_EQ(there.beyond, there.largest ? 1 : 0);
  return there.largest;
}

template <class T> static void checkFloats(Element element) {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(),
              tiny = std::numeric_limits<T>::denorm_min(), most = std::numeric_limits<T>::max();
  EXPECT_EQ(steps<T>(element, 1, 1), 0u);
  EXPECT_EQ(steps<T>(element, 1, std::nextafter(T(1), inf)), 1u);
  EXPECT_EQ(steps<T>(element, -1, std::nextafter(T(-1), inf)), 1u);
  EXPECT_EQ(steps<T>(element, 0, -T(0)), 1u);
  EXPECT_EQ(steps<T>(element, 0, tiny), 1u);
  EXPECT_EQ(steps<T>(element, -T(0), -tiny), 1u);
  EXPECT_EQ(steps<T>(element, tiny, -tiny), 3u);
  EXPECT_EQ(steps<T>(element, most, inf), 1u);
  EXPECT_EQ(steps<T>(element, nan, -nan), 0u);
  EXPECT_EQ(steps<T>(element, nan, inf), nanDistance);
  EXPECT_EQ(steps<T>(element, 1, 2), uint64_t(1) << (std::numeric_limits<T>::digits - 1));
  EXPECT_LT(steps<T>(element, -inf, inf), nanDistance);
  EXPECT_GT(steps<T>(element, -inf, inf), steps<T>(element, -most, most));
}

TEST(Compare, StepsOfDouble) { checkFloats<double>(Element::F64); }
TEST(Compare, StepsOfFloat) { checkFloats<float>(Element::F32); }

TEST(Compare, StepsOfSmallFloats) {
  for (Element element : {Element::BF16, Element::F16}) {
    uint16_t infinity = element == Element::BF16 ? 0x7F80 : 0x7C00, nan = infinity + 3;
    auto apart = [&](uint16_t a, uint16_t b) { return steps<uint16_t>(element, a, b); };
    EXPECT_EQ(apart(0x3C00, 0x3C00), 0u);
    EXPECT_EQ(apart(0x3C00, 0x3C05), 5u);
    EXPECT_EQ(apart(0xBC00, 0xBC05), 5u);
    EXPECT_EQ(apart(0, 0x8000), 1u);
    EXPECT_EQ(apart(1, 0x8001), 3u);
    EXPECT_EQ(apart(infinity - 1, infinity), 1u);
    EXPECT_EQ(apart(nan, infinity + 1), 0u);
    EXPECT_EQ(apart(nan, infinity), nanDistance);
  }
}

TEST(Compare, IntegersByTheirDifference) {
  EXPECT_EQ(steps<int64_t>(Element::I64, INT64_MIN, INT64_MAX), UINT64_MAX);
  EXPECT_EQ(steps<int32_t>(Element::I32, -7, 8), 15u);
  EXPECT_EQ(steps<int8_t>(Element::I8, -128, 127), 255u);
  EXPECT_EQ(steps<uint8_t>(Element::I1, 0, 1), 1u);
}

TEST(Compare, FirstAndLargest) {
  Tensor a(Element::I64, {2, 3}), b(Element::I64, {2, 3});
  b.data<int64_t>()[1] = 2;
  b.data<int64_t>()[4] = -9;
  b.data<int64_t>()[5] = 9;
  Difference all = compare(a, b, 0), far = compare(a, b, 2);
  EXPECT_EQ(all.firstAt, 1);
  EXPECT_EQ(all.firstDistance, 2u);
  EXPECT_EQ(all.largestAt, 4);
  EXPECT_EQ(all.beyond, 3);
  EXPECT_EQ(far.firstAt, 4);
  EXPECT_EQ(far.beyond, 2);
  EXPECT_EQ(far.largest, 9u);
  EXPECT_EQ(placeOf(a, 4), "[1, 1]");
  EXPECT_EQ(placeOf(Tensor(Element::F64, {}), 0), "[]");
  Tensor empty(Element::F64, {0, 3});
  EXPECT_EQ(compare(empty, empty, 0).largestAt, -1);
}
