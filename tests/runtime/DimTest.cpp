//===- DimTest.cpp - Polynomials ------------------------------------------===//

#include "runtime/core/Dim.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace nova::runtime;

TEST(Dim, Evaluates) {
  const int64_t values[] = {3, 4};
  int64_t value = -1;
  EXPECT_TRUE(Dim("x", {{1, {{0, 1}}}}).evaluate(values, value));
  EXPECT_EQ(value, 3);
  EXPECT_TRUE(Dim("2 x^2 y - y + 5", {{2, {{0, 2}, {1, 1}}}, {-1, {{1, 1}}}, {5, {}}}).evaluate(values, value));
  EXPECT_EQ(value, 73);
  EXPECT_TRUE(Dim("0", {}).evaluate(values, value));
  EXPECT_EQ(value, 0);
}

TEST(Dim, FindsOverflow) {
  const int64_t values[] = {INT64_MAX, 2, 0};
  int64_t value;
  EXPECT_FALSE(Dim("x y", {{1, {{0, 1}, {1, 1}}}}).evaluate(values, value));
  EXPECT_FALSE(Dim("x + 1", {{1, {{0, 1}}}, {1, {}}}).evaluate(values, value));
  // A sum that ends in range is in range, whatever the order; so is a product with 0.
  EXPECT_TRUE(Dim("x + 1 - x", {{1, {{0, 1}}}, {1, {}}, {-1, {{0, 1}}}}).evaluate(values, value));
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(Dim("x y z", {{1, {{0, 1}, {1, 1}, {2, 1}}}}).evaluate(values, value));
  EXPECT_EQ(value, 0);
}

TEST(Dim, SplitsLinearly) {
  Dim dim("x y + 3 y - 7", {{1, {{0, 1}, {1, 1}}}, {3, {{1, 1}}}, {-7, {}}}), factor, rest;
  EXPECT_EQ(dim.degree(0), 1u);
  EXPECT_EQ(dim.degree(2), 0u);
  EXPECT_EQ(dim.symbols(), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(dim.plainSymbol(), -1);
  dim.splitLinear(1, factor, rest);
  const int64_t values[] = {10, 0};
  int64_t value;
  EXPECT_TRUE(factor.evaluate(values, value));
  EXPECT_EQ(value, 13);
  EXPECT_TRUE(rest.evaluate(values, value));
  EXPECT_EQ(value, -7);
}

TEST(Dim, DenseBytes) {
  int64_t bytes;
  const int64_t plain[] = {3, 5}, large[] = {INT64_MAX, 2}, empty[] = {INT64_MAX, INT64_MAX, 0};
  EXPECT_TRUE(denseBytes(plain, 2, 8, bytes));
  EXPECT_EQ(bytes, 120);
  EXPECT_TRUE(denseBytes(nullptr, 0, 8, bytes));
  EXPECT_EQ(bytes, 8);
  EXPECT_FALSE(denseBytes(large, 2, 1, bytes));
  EXPECT_TRUE(denseBytes(empty, 3, 8, bytes));
  EXPECT_EQ(bytes, 0);
}
