//===- ScheduleTest.cpp - The order of blocks -----------------------------===//

#include "runtime/core/Schedule.h"

#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace nova::runtime;

namespace {

/// What kernels were called with, in the order of their ends.
struct Log {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> entries; // the call's label and row0
};

/// buffers[0] is the log, dims[0] the label; fails where dims[1] is the row.
int32_t record(void *const *buffers, const int64_t *dims, int64_t row0, int64_t rows, void *) {
  Log &log = *static_cast<Log *>(buffers[0]);
  std::lock_guard<std::mutex> lock(log.mutex);
  for (int64_t row = row0; row < row0 + rows; ++row)
    log.entries.emplace_back(dims[0], row);
  return dims[1] >= row0 && dims[1] < row0 + rows;
}

class ScheduleTest : public testing::Test {
protected:
  Log log;
  void *buffers[1] = {&log};
  int64_t dims[8][2] = {{0, -1}, {1, -1}, {2, -1}, {3, -1}, {4, -1}, {5, -1}, {6, -1}, {7, -1}};
  Schedule schedule;

  int64_t add(int label, int64_t rows, int64_t block, bool descending, uint32_t run, int64_t after) {
    return schedule.add({record, buffers, dims[label], rows, block, descending, run, 0}, after);
  }
  void workOn(int threadCount) {
    std::vector<std::thread> threads;
    schedule.share(size_t(threadCount));
    for (int i = 0; i < threadCount; ++i)
      threads.emplace_back([this, i] { schedule.work(size_t(i), nullptr); });
    for (std::thread &thread : threads)
      thread.join();
  }
};

TEST_F(ScheduleTest, OneWorkerKeepsTheOrder) {
  schedule.begin(3);
  int64_t first = add(0, 5, 2, false, 0, -1);
  add(1, 5, 2, true, 0, first);
  add(2, 1, 8, false, 1, -1);
  EXPECT_EQ(schedule.taskCount(), 7u);
  schedule.share(1);
  schedule.work(0, nullptr);
  std::vector<std::pair<int64_t, int64_t>> expected{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 4},
                                                    {1, 2}, {1, 3}, {1, 0}, {1, 1}, {2, 0}};
  EXPECT_EQ(log.entries, expected);
  EXPECT_EQ(schedule.failedCall(), nullptr);
}

TEST_F(ScheduleTest, ShortStepsOfOneRunAreOneTask) {
  schedule.begin(8);
  int64_t stage = add(0, 1, 8, false, 0, -1);
  EXPECT_EQ(add(1, 8, 8, false, 0, stage), stage);
  EXPECT_EQ(add(2, 3, 8, false, 0, stage), stage);
  EXPECT_EQ(schedule.taskCount(), 1u);
  int64_t longer = add(3, 9, 8, false, 0, stage);
  EXPECT_NE(longer, stage);
  int64_t again = add(4, 1, 8, false, 0, longer);
  EXPECT_NE(again, longer) << "it must wait for both blocks";
  EXPECT_NE(add(5, 1, 8, false, 1, again), again) << "runs are tasks of their own";
  EXPECT_EQ(schedule.taskCount(), 5u);
}

TEST_F(ScheduleTest, StagesWaitOnAnyNumberOfThreads) {
  for (int threads : {1, 2, 3, 8}) {
    for (int round = 0; round < 50; ++round) {
      log.entries.clear();
      schedule.begin(8);
      int64_t last = -1;
      for (int label = 0; label < 4; ++label) // a chain
        last = add(label, 40, 3, label % 2, 0, last);
      int64_t other = add(4, 30, 1, false, 1, -1); // beside it
      add(5, 10, 4, true, 2, other);               // after another run, as runs that share memory are
      workOn(threads);
      ASSERT_EQ(log.entries.size(), 200u);
      int64_t highest = 0, done[8] = {};
      for (auto [label, row] : log.entries) {
        ++done[label];
        if (label < 4) {
          ASSERT_GE(label, highest);
          ASSERT_TRUE(label == 0 || done[label - 1] == 40);
          highest = label;
        }
        if (label == 5) {
          ASSERT_EQ(done[4], 30);
        }
      }
    }
  }
}

TEST_F(ScheduleTest, AFailureEndsTheWork) {
  for (int threads : {1, 4}) {
    log.entries.clear();
    dims[1][1] = 5;
    schedule.begin(3);
    int64_t first = add(0, 8, 1, false, 0, -1);
    int64_t second = add(1, 100, 1, false, 0, first);
    add(2, 100, 1, false, 0, second);
    workOn(threads);
    ASSERT_NE(schedule.failedCall(), nullptr);
    EXPECT_EQ(schedule.failedCall()->dims[0], 1);
    for (auto [label, row] : log.entries)
      EXPECT_NE(label, 2) << "nothing after the failed step is run";
    EXPECT_LE(log.entries.size(), 8u + 6u + 4u);
  }
}

TEST_F(ScheduleTest, NothingToDo) {
  schedule.begin(0);
  EXPECT_EQ(schedule.taskCount(), 0u);
  schedule.share(1);
  schedule.work(0, nullptr);
  EXPECT_EQ(schedule.failedCall(), nullptr);
}

} // namespace
