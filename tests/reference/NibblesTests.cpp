//===- NibblesTests.cpp - i4 as modules have it in memory ---------------------===//
#include "compiler/reference/Nibbles.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace nova::reference;

namespace {

Tensor nibbles(Shape shape, std::vector<int8_t> values) {
  Tensor tensor(Element::I4, std::move(shape));
  EXPECT_EQ(tensor.bytes.size(), values.size());
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), values.size());
  return tensor;
}

std::vector<uint8_t> packed(const Tensor &tensor) {
  auto bytes = packNibbles(tensor);
  return {bytes.begin(), bytes.end()};
}

TEST(Nibbles, TheFirstIsTheLowHalf) {
  EXPECT_EQ(packed(nibbles({4}, {1, 2, -1, -8})), (std::vector<uint8_t>{0x21, 0x8F}));
}

TEST(Nibbles, RowsBeginAtBytes) {
  EXPECT_EQ(packed(nibbles({2, 3}, {1, 2, 3, 4, 5, 6})), (std::vector<uint8_t>{0x21, 0x03, 0x54, 0x06}));
  EXPECT_EQ(packed(nibbles({2, 2, 1}, {1, 2, 3, 4})), (std::vector<uint8_t>{1, 2, 3, 4}));
}

TEST(Nibbles, ScalarsAndNothing) {
  EXPECT_EQ(packed(nibbles({}, {-3})), (std::vector<uint8_t>{0x0D}));
  EXPECT_TRUE(packed(nibbles({3, 0}, {})).empty());
  EXPECT_TRUE(packed(nibbles({0, 3}, {})).empty());
}

TEST(Nibbles, UnpackingGivesEveryNumberBack) {
  for (int64_t width : {1, 2, 3, 16, 17}) {
    Tensor tensor(Element::I4, {3, width}), back(Element::I4, {3, width});
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<int8_t>()[i] = static_cast<int8_t>(i * 5 % 16 - 8);
    auto bytes = packNibbles(tensor);
    EXPECT_EQ(static_cast<int64_t>(bytes.size()), 3 * ((width + 1) / 2));
    unpackNibbles(bytes.data(), back);
    EXPECT_EQ(back.bytes, tensor.bytes) << width;
  }
}

} // namespace
