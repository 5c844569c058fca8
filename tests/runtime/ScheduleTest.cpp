//===- ScheduleTest.cpp - The order of blocks -----------------------------===//

#include "runtime/core/Schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace nova::runtime;

namespace {

/// A row of an instance of a step that was run.
struct Entry {
  int64_t label;    // of the step
  int64_t instance; // the distance of its second buffer
  int64_t row;
  std::thread::id thread = {};
  bool operator==(const Entry &other) const {
    return label == other.label && instance == other.instance && row == other.row;
  }
};

void PrintTo(const Entry &entry, std::ostream *to) {
  *to << "step " << entry.label << " instance " << entry.instance << " row " << entry.row;
}

/// What kernels were called with, in the order of their ends.
struct Log {
  std::mutex mutex;
  std::vector<Entry> entries;
  std::vector<Entry> take() { return std::move(entries); }
};

char instances[1 << 20]; // addresses, never read

/// buffers[0] is the log, buffers[1] points into `instances`, dims[0] is the label; fails where dims[1] is the row and
/// dims[2] the instance.
int32_t record(void *const *buffers, const int64_t *dims, int64_t row0, int64_t rows, void *) {
  Log &log = *static_cast<Log *>(buffers[0]);
  int64_t instance = static_cast<char *>(buffers[1]) - instances;
  std::lock_guard<std::mutex> lock(log.mutex);
  for (int64_t row = row0; row < row0 + rows; ++row)
    log.entries.push_back({dims[0], instance, row, std::this_thread::get_id()});
  return dims[2] == instance && dims[1] >= row0 && dims[1] < row0 + rows;
}

class ScheduleTest : public testing::Test {
protected:
  Log log;
  void *buffers[2] = {&log, instances};
  int64_t strides[6] = {0, 1, 0, 100, 0, 10000}; // up to three axes of a batch
  int64_t loopStrides[4] = {0, 100, 0, 10};      // up to two loops around it
  int64_t dims[8][3] = {{0, -1}, {1, -1}, {2, -1}, {3, -1}, {4, -1}, {5, -1}, {6, -1}, {7, -1}};
  const Manifest manifest;
  const Step step{};
  Schedule schedule;

  /// The label is the step's number, and its place in the order of failures.
  void add(int label, int64_t rows, int64_t block, bool descending = false, uint32_t run = 0) {
    schedule.add({record,
                  2,
                  buffers,
                  strides,
                  loopStrides,
                  dims[label],
                  rows,
                  block,
                  descending,
                  {&manifest, &step, dims[label], run, uint32_t(label)},
                  false,
                  nullptr,
                  false,
                  false,
                  1,
                  false});
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
  schedule.beginGroup({}, -1);
  add(0, 5, 2);
  add(1, 5, 2, true);
  schedule.beginGroup({}, -1);
  add(2, 1, 8, false, 1);
  EXPECT_EQ(schedule.taskCount(), 7u);
  schedule.share(1);
  schedule.work(0, nullptr);
  std::vector<Entry> expected{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}, {1, 0, 4},
                              {1, 0, 2}, {1, 0, 3}, {1, 0, 0}, {1, 0, 1}, {2, 0, 0}};
  EXPECT_EQ(log.entries, expected);
  EXPECT_EQ(schedule.failure(), nullptr);
}

TEST_F(ScheduleTest, InstancesFollowEachOther) {
  const int64_t sizes[] = {2, 3}; // the inner loop first
  schedule.begin(3);
  int64_t first = schedule.beginGroup({6, 2, sizes}, -1);
  add(0, 3, 2);
  add(1, 1, 1);
  schedule.beginGroup({6, 2, sizes}, first);
  add(2, 1, 1);
  EXPECT_EQ(schedule.taskCount(), 24u);
  schedule.share(1);
  schedule.work(0, nullptr);
  std::vector<Entry> expected;
  for (int64_t instance : {0, 1, 100, 101, 200, 201})
    for (auto [label, row] : {std::pair(0, 0), {0, 1}, {0, 2}, {1, 0}})
      expected.push_back({label, instance, row});
  for (int64_t instance : {0, 1, 100, 101, 200, 201})
    expected.push_back({2, instance, 0});
  EXPECT_EQ(log.entries, expected);
}

TEST_F(ScheduleTest, EveryIndexOfThreeLoops) {
  const int64_t sizes[] = {3, 5, 2};
  for (int threads : {1, 3}) {
    schedule.begin(1);
    schedule.beginGroup({30, 3, sizes}, -1);
    add(0, 1, 1);
    workOn(threads);
    std::multiset<int64_t> seen, expected;
    for (const Entry &entry : log.take())
      seen.insert(entry.instance);
    for (int64_t i = 0; i < 30; ++i)
      expected.insert(i % 3 + i / 3 % 5 * 100 + i / 15 * 10000);
    EXPECT_EQ(seen, expected);
  }
}

TEST_F(ScheduleTest, ShortStepsOfAGroupAreOneTask) {
  for (uint64_t instanceCount : {1, 5}) {
    const int64_t size = static_cast<int64_t>(instanceCount);
    Batch batch{instanceCount, instanceCount > 1, &size};
    schedule.begin(8);
    int64_t group = schedule.beginGroup(batch, -1);
    add(0, 1, 8);
    add(1, 8, 8);
    add(2, 3, 8);
    EXPECT_EQ(schedule.taskCount(), instanceCount);
    add(3, 9, 8);
    EXPECT_EQ(schedule.taskCount(), 3 * instanceCount);
    add(4, 1, 8); // it must wait for both blocks
    EXPECT_EQ(schedule.taskCount(), 4 * instanceCount);
    schedule.beginGroup(batch, group);
    add(5, 1, 8, false, 1);
    EXPECT_EQ(schedule.taskCount(), 5 * instanceCount);
  }
}

TEST_F(ScheduleTest, PhasesAndGroupsWaitOnAnyNumberOfThreads) {
  const int64_t size = 4;
  for (int threads : {1, 2, 3, 8}) {
    for (int round = 0; round < 50; ++round) {
      schedule.begin(8);
      schedule.beginGroup({}, -1);
      for (int label = 0; label < 3; ++label) // a chain
        add(label, 40, 3, label % 2);
      int64_t other = schedule.beginGroup({4, 1, &size}, -1); // beside it, instances of a chain
      add(3, 20, 2, false, 1);
      add(4, 30, 4, true, 1);
      schedule.beginGroup({4, 1, &size}, other); // after another run, as runs that share memory are
      add(5, 10, 4, true, 2);
      workOn(threads);
      std::map<std::pair<int64_t, int64_t>, int64_t> done; // by step and instance
      for (const Entry &entry : log.take()) {
        if (entry.label == 1 || entry.label == 2)
          ASSERT_EQ((done[{entry.label - 1, 0}]), 40);
        if (entry.label == 4)
          ASSERT_EQ((done[{3, entry.instance}]), 20);
        for (int64_t instance = 0; entry.label == 5 && instance < size; ++instance)
          ASSERT_EQ((done[{4, instance}]), 30);
        ++done[{entry.label, entry.instance}];
      }
      int64_t rows = 0;
      for (auto [place, count] : done)
        rows += count;
      ASSERT_EQ(rows, 3 * 40 + 4 * (20 + 30 + 10));
    }
  }
}

TEST_F(ScheduleTest, PhasesLagBehindForManyWorkers) {
  // One place after another, as one of 16 workers sees them: 5 tasks, so 4 instances from phase to phase.
  const int64_t size = 6;
  schedule.begin(3);
  schedule.beginGroup({6, 1, &size}, -1);
  add(0, 1, 1);
  add(1, 3, 1);
  add(2, 1, 1);
  EXPECT_EQ(schedule.taskCount(), 30u);
  schedule.share(16);
  schedule.work(0, nullptr);
  std::vector<Entry> expected;
  for (int64_t wave = 0; wave < 6 + 2 * 4; ++wave)
    for (int64_t label = 0; label < 3; ++label)
      for (int64_t row = 0; row < (label == 1 ? 3 : 1); ++row)
        if (int64_t instance = wave - 4 * label; instance >= 0 && instance < 6)
          expected.push_back({label, instance, row});
  EXPECT_EQ(log.take(), expected);
}

TEST_F(ScheduleTest, EveryTaskOnceWithAnyLag) {
  for (int threads : {2, 5, 16})
    for (int64_t size : {1, 2, 3, 40}) {
      schedule.begin(3);
      schedule.beginGroup({static_cast<uint64_t>(size), size > 1, &size}, -1);
      add(0, 1, 1);
      add(1, 3, 1);
      add(2, 2, 1);
      workOn(threads);
      std::map<std::pair<int64_t, int64_t>, int64_t> done;
      for (const Entry &entry : log.take()) {
        if (entry.label > 0)
          ASSERT_EQ((done[{entry.label - 1, entry.instance}]), entry.label == 1 ? 1 : 3);
        ++done[{entry.label, entry.instance}];
      }
      for (int64_t instance = 0; instance < size; ++instance)
        ASSERT_EQ((done[{2, instance}]), 2);
      ASSERT_EQ(done.size(), static_cast<size_t>(3 * size));
    }
}

TEST_F(ScheduleTest, WhereNothingWaitsEveryWorkerHasARange) {
  const int64_t size = 8;
  schedule.begin(8);
  schedule.beginGroup({8, 1, &size}, -1);
  add(0, 1, 1);
  add(1, 1, 1);
  schedule.share(2);
  schedule.work(1, nullptr); // begins with its half and goes on with the other's
  std::vector<Entry> expected;
  for (int64_t instance : {4, 5, 6, 7, 0, 1, 2, 3})
    for (int64_t label : {0, 1})
      expected.push_back({label, instance, 0});
  EXPECT_EQ(log.take(), expected);

  schedule.begin(8); // runs of one phase each are cut like instances
  for (int label = 0; label < 4; ++label) {
    schedule.beginGroup({}, -1);
    add(label, 1, 1, false, static_cast<uint32_t>(label));
  }
  schedule.share(2);
  schedule.work(1, nullptr);
  EXPECT_EQ(log.take(), (std::vector<Entry>{{2, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
}

TEST_F(ScheduleTest, AFailureEndsTheWork) {
  for (int threads : {1, 4}) {
    dims[1][1] = 5;
    schedule.begin(3);
    schedule.beginGroup({}, -1);
    add(0, 8, 1);
    add(1, 100, 1);
    add(2, 100, 1);
    workOn(threads);
    ASSERT_NE(schedule.failure(), nullptr);
    EXPECT_EQ(schedule.failure()->text(), "integer division by zero in step  of ");
    EXPECT_EQ(schedule.failure()->order(), uint64_t{1} << 31 | 1);
    std::vector<Entry> entries = log.take();
    for (const Entry &entry : entries)
      EXPECT_NE(entry.label, 2) << "nothing after the failed step is run";
    EXPECT_EQ(entries.size(), 8u + 100u) << "an earlier block might fail too";
  }
}

TEST_F(ScheduleTest, AFailureInOneInstance) {
  const int64_t size = 50;
  for (int threads : {1, 4}) {
    dims[1][1] = 3;
    dims[1][2] = 20;
    schedule.begin(3);
    int64_t group = schedule.beginGroup({50, 1, &size}, -1);
    add(0, 2, 1);
    add(1, 4, 1);
    schedule.beginGroup({50, 1, &size}, group);
    add(2, 1, 1);
    workOn(threads);
    ASSERT_NE(schedule.failure(), nullptr);
    EXPECT_EQ(schedule.failure()->text(), "integer division by zero in step  of ");
    EXPECT_EQ(schedule.failure()->order(), uint64_t{1} << 31 | 1);
    for (const Entry &entry : log.take())
      EXPECT_NE(entry.label, 2) << "nothing after the failed group is run";
  }
}

TEST_F(ScheduleTest, LoopsRunTheirGroupsAgainAndAgain) {
  const int64_t size = 2;
  schedule.begin(5);
  schedule.beginGroup({}, -1);
  add(0, 1, 1);
  schedule.beginLoop(3);
  schedule.beginGroup({}, 0);
  add(1, 2, 1);
  schedule.beginLoop(2); // of its own in each run of the one around it
  schedule.beginGroup({2, 1, &size}, 1);
  add(2, 1, 1);
  schedule.endLoop();
  schedule.endLoop();
  schedule.beginGroup({}, 2);
  add(3, 1, 1);
  EXPECT_EQ(schedule.taskCount(), 1u + 3 * (2 + 2 * 2) + 1);
  schedule.share(1);
  schedule.work(0, nullptr);
  std::vector<Entry> expected{{0, 0, 0}};
  for (int64_t outer = 0; outer < 3; ++outer) {
    expected.push_back({1, 100 * outer, 0});
    expected.push_back({1, 100 * outer, 1});
    for (int64_t inner = 0; inner < 2; ++inner)
      for (int64_t instance = 0; instance < 2; ++instance)
        expected.push_back({2, 100 * outer + 10 * inner + instance, 0});
  }
  expected.push_back({3, 0, 0});
  EXPECT_EQ(log.take(), expected);
}

TEST_F(ScheduleTest, RunsOfALoopWaitOnAnyNumberOfThreads) {
  const int64_t size = 3;
  for (int threads : {2, 3, 8})
    for (int round = 0; round < 30; ++round) {
      schedule.begin(8);
      schedule.beginLoop(20); // a loop is the first of its run
      schedule.beginGroup({3, 1, &size}, -1);
      add(0, 4, 1); // phases of instances
      add(1, 3, 1);
      schedule.beginGroup({}, 0);
      add(2, 5, 2);
      schedule.endLoop();
      schedule.beginGroup({}, 1);
      add(3, 2, 1);
      schedule.beginGroup({}, -1); // another run
      add(4, 9, 1, false, 1);
      schedule.beginGroup({}, 1); // that shares memory with the first one
      add(5, 1, 1, false, 2);
      workOn(threads);
      std::map<std::pair<int64_t, int64_t>, int64_t> done; // by step and place
      for (const Entry &entry : log.take()) {
        int64_t run = entry.instance / 100;
        for (int64_t instance = 0; entry.label == 2 && instance < size; ++instance)
          ASSERT_EQ((done[{1, entry.instance + instance}]), 3);
        if (entry.label == 0 && run > 0)
          ASSERT_EQ((done[{2, 100 * (run - 1)}]), 5);
        if (entry.label == 1)
          ASSERT_EQ((done[{0, entry.instance}]), 4);
        if (entry.label == 3 || entry.label == 5)
          ASSERT_EQ((done[{2, 1900}]), 5);
        ++done[{entry.label, entry.instance}];
      }
      int64_t rows = 0;
      for (auto [place, count] : done)
        rows += count;
      ASSERT_EQ(rows, 20 * (3 * (4 + 3) + 5) + 2 + 9 + 1);
    }
}

TEST_F(ScheduleTest, WhatCouldFailBeforeAFailureIsStillRun) {
  for (int threads : {1, 4}) {
    dims[1][1] = dims[0][1] = 5;
    dims[2][1] = 0; // also fails, but comes later
    schedule.begin(4);
    int64_t group = schedule.beginGroup({}, -1);
    add(1, 8, 1);
    group = schedule.beginGroup({}, group);
    add(2, 3, 1);
    add(0, 8, 1);
    add(3, 8, 1);
    workOn(threads);
    ASSERT_NE(schedule.failure(), nullptr);
    EXPECT_EQ(schedule.failure()->order(), uint64_t{1} << 31);
    std::map<int64_t, int> count;
    for (const Entry &entry : log.take())
      ++count[entry.label];
    EXPECT_EQ(count, (std::map<int64_t, int>{{0, 8}, {1, 8}, {2, 3}}));
  }
}

TEST_F(ScheduleTest, AFailureInALoopEndsTheWorkBehindIt) {
  for (int threads : {1, 4}) {
    dims[1][1] = 1;
    dims[1][2] = 700; // in the run with this place
    schedule.begin(3);
    schedule.beginLoop(50);
    schedule.beginGroup({}, -1);
    add(0, 2, 1);
    schedule.beginGroup({}, 0);
    add(1, 3, 1);
    schedule.endLoop();
    schedule.beginGroup({}, 1);
    add(2, 3, 1);
    workOn(threads);
    ASSERT_NE(schedule.failure(), nullptr);
    EXPECT_EQ(schedule.failure()->order(), uint64_t{1} << 31 | 1);
    for (const Entry &entry : log.take())
      EXPECT_NE(entry.label, 2) << "nothing behind the loop";
  }
}

TEST_F(ScheduleTest, NothingToDo) {
  schedule.begin(0);
  EXPECT_EQ(schedule.taskCount(), 0u);
  schedule.share(1);
  schedule.work(0, nullptr);
  EXPECT_EQ(schedule.failure(), nullptr);
}

} // namespace
