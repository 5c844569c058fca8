//===- ExpExhaustiveTests.cpp - exp on all 2^32 floats -----------------------===//
#include "tests/SlowTests.h"
#include "tests/reference/ExpMeasure.h"

#include <gtest/gtest.h>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

using namespace nova::reference;

namespace {

TEST(ExpExhaustive, AllFloats) {
  if (!nova::test::slowTests())
    GTEST_SKIP() << "slow: set NOVA_SLOW=1";
  constexpr unsigned shards = 1024; // small pieces, as most of the work lies in few binades
  constexpr uint64_t size = (uint64_t(1) << 32) / shards;
  ExpErrors errors;
  unsigned next = 0;
  std::mutex mutex;
  auto worker = [&] {
    for (;;) {
      uint64_t shard;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (next == shards)
          return;
        shard = next++;
      }
      // One float more than the shard, so that no pair of neighbours is left out; a sign's last float is NaN.
      uint64_t last = shard * size + size - 1;
      if ((last & 0x7FFFFFFF) != 0x7FFFFFFF)
        ++last;
      ExpErrors part = measureFloats(static_cast<uint32_t>(shard * size), static_cast<uint32_t>(last), 1);
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
  EXPECT_LE(errors.worst, expBoundFloat);
  EXPECT_EQ(errors.filterFaults, 0);
  EXPECT_EQ(errors.firstFault, "");
  EXPECT_LE(errors.deepestDescent, 1.0);
  EXPECT_GT(errors.measured, int64_t(2'200'000'000));
}

} // namespace
