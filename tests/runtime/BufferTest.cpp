//===- BufferTest.cpp - Memory for kernels --------------------------------===//

#include "runtime/core/Buffer.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

using namespace nova::runtime;

static bool isZero(const Buffer &buffer, size_t from, size_t to) {
  const char *bytes = static_cast<const char *>(buffer.data());
  return std::all_of(bytes + from, bytes + to, [](char byte) { return byte == 0; });
}

TEST(Buffer, GrowsKeepingContentsAndZeroingTheRest) {
  // Sizes on the heap, at the border to mappings, and with huge pages.
  constexpr size_t hugePage = 2 << 20;
  const size_t sizes[] = {1,        100,     4096,          (256 << 10) - 1, 256 << 10, (1 << 20) + 13, hugePage - 4096,
                          hugePage, 9 << 20, (9 << 20) + 1, 20 << 20};
  Buffer buffer;
  size_t before = 0;
  for (size_t size : sizes) {
    ASSERT_TRUE(buffer.growKeeping(size));
    ASSERT_GE(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kBufferAlignment, 0u);
    if (size >= hugePage)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % hugePage, 0u);
    char *bytes = static_cast<char *>(buffer.data());
    EXPECT_TRUE(std::all_of(bytes, bytes + before, [](char byte) { return byte == 'x'; }));
    EXPECT_TRUE(isZero(buffer, before, size));
    std::fill(bytes, bytes + size, 'x');
    before = size;
  }
  ASSERT_TRUE(buffer.growKeeping(10));
  EXPECT_EQ(static_cast<char *>(buffer.data())[before - 1], 'x') << "a buffer never shrinks";
}

TEST(Buffer, SpreadsItsPieces) {
  for (size_t count : {0, 1, 2, 3, 7}) {
    Buffer buffer;
    size_t size = 0;
    for (size_t larger : {64, 128, 4096, 4160, 100032, 700032, 3 << 20}) { // overlapping moves and distant ones
      ASSERT_TRUE(buffer.spread(count, size, larger));
      ASSERT_GE(buffer.size(), count * larger);
      char *bytes = static_cast<char *>(buffer.data());
      for (size_t piece = 0; piece < count; ++piece) {
        char *own = bytes + piece * larger;
        for (size_t i = 0; i < size; ++i)
          ASSERT_EQ(own[i], static_cast<char>(piece * 31 + i * 7)) << "piece " << piece << ", byte " << i;
        for (size_t i = size; i < larger; ++i)
          own[i] = static_cast<char>(piece * 31 + i * 7);
      }
      size = larger;
    }
  }
}

TEST(Buffer, SpreadFailsWithoutHarm) {
  Buffer buffer;
  ASSERT_TRUE(buffer.spread(2, 0, 64));
  std::fill_n(static_cast<char *>(buffer.data()), 128, 'x');
  EXPECT_FALSE(buffer.spread(2, 64, size_t{1} << 60));
  EXPECT_FALSE(buffer.spread(2, 64, size_t{1} << 63)) << "twice as much is no number any more";
  EXPECT_FALSE(buffer.spread(2, 64, static_cast<size_t>(INT64_MAX)));
  const char *bytes = static_cast<char *>(buffer.data());
  EXPECT_TRUE(std::all_of(bytes, bytes + 128, [](char byte) { return byte == 'x'; }));
}

TEST(Buffer, MultipliesSizes) {
  EXPECT_EQ(multiplyBytes(0, INT64_MAX), 0);
  EXPECT_EQ(multiplyBytes(3, 64), 192);
  EXPECT_EQ(multiplyBytes(int64_t{1} << 32, int64_t{1} << 31), INT64_MAX);
}

TEST(Buffer, FailsWithoutHarm) {
  Buffer small, large;
  ASSERT_TRUE(small.growKeeping(10));
  ASSERT_TRUE(large.growKeeping(1 << 20));
  *static_cast<char *>(small.data()) = *static_cast<char *>(large.data()) = 'x';
  for (size_t impossible : {size_t{1} << 60, static_cast<size_t>(INT64_MAX), SIZE_MAX}) {
    EXPECT_FALSE(small.growKeeping(impossible));
    EXPECT_FALSE(large.growKeeping(impossible));
    Buffer other;
    EXPECT_FALSE(other.growDiscarding(impossible));
    EXPECT_EQ(other.size(), 0u);
  }
  EXPECT_EQ(*static_cast<char *>(small.data()), 'x');
  EXPECT_EQ(*static_cast<char *>(large.data()), 'x');
}

TEST(Buffer, Moves) {
  Buffer buffer;
  ASSERT_TRUE(buffer.growDiscarding(1 << 20));
  void *memory = buffer.data();
  Buffer moved(std::move(buffer));
  EXPECT_EQ(moved.data(), memory);
  Buffer assigned;
  ASSERT_TRUE(assigned.growDiscarding(5));
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), memory);
  assigned.clear();
  EXPECT_EQ(assigned.data(), nullptr);
  EXPECT_TRUE(assigned.growDiscarding(7));
}

TEST(Buffer, RoundsToTheAlignment) {
  EXPECT_EQ(alignedBytes(0), 0);
  EXPECT_EQ(alignedBytes(1), 64);
  EXPECT_EQ(alignedBytes(64), 64);
  EXPECT_EQ(alignedBytes(INT64_MAX - 3), INT64_MAX);
}
