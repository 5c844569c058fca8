//===- ElementaryExhaustiveTests.cpp - Every function on all 2^32 floats -----===//
#include "tests/SlowTests.h"
#include "tests/reference/ElementaryMeasure.h"

#include <gtest/gtest.h>
#include <iostream>
#include <mutex>
#include <thread>

using namespace nova::reference;

namespace {

class ElementaryExhaustive : public testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const ElementaryFunction &function : elementaryFunctions())
    names.push_back(function.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Functions, ElementaryExhaustive, testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

TEST_P(ElementaryExhaustive, AllFloats) {
  if (!nova::test::slowTests())
    GTEST_SKIP() << "slow: set NOVA_SLOW=1";
  const ElementaryFunction &function = elementaryFunction(GetParam());
  constexpr unsigned shards = 1024; // small pieces, as most of the work lies in few binades
  constexpr uint64_t size = (uint64_t(1) << 32) / shards;
  // The negative half of an odd function is compared with the positive one, which is measured.
  const unsigned end = function.odd ? shards / 2 : shards;
  Errors errors;
  unsigned next = 0;
  std::mutex mutex;
  auto worker = [&] {
    for (;;) {
      uint64_t shard;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (next == end)
          return;
        shard = next++;
      }
      // One float more than the shard, so that no pair of neighbours is left out; a sign's last float is NaN.
      uint64_t last = shard * size + size - 1;
      if ((last & 0x7FFFFFFF) != 0x7FFFFFFF)
        ++last;
      Errors part = measureFloats(function, static_cast<uint32_t>(shard * size), static_cast<uint32_t>(last), 1);
      std::lock_guard<std::mutex> lock(mutex);
      errors.merge(part);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(worker);
  for (std::thread &thread : threads)
    thread.join();
  std::cout << errors.summary() << "\n";
  EXPECT_LE(errors.worst, function.boundFloat);
  EXPECT_EQ(errors.filterFaults, 0);
  EXPECT_EQ(errors.firstFault, "");
  EXPECT_LE(errors.deepestDescent, function.deepestDescent);
  EXPECT_GT(errors.measured, int64_t(1'000'000'000));
}

} // namespace
