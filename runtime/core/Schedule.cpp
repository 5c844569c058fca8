//===- Schedule.cpp -------------------------------------------------------===//

#include "runtime/core/Schedule.h"

#include <immintrin.h>
#include <thread>

using namespace nova::runtime;

void Schedule::begin(size_t callCount) {
  calls.clear();
  calls.reserve(callCount);
  if (stageCapacity < callCount) {
    stages.reset();
    stageCapacity = 0;
    stages.reset(new Stage[callCount]);
    stageCapacity = callCount;
  }
  stageCount = 0;
  independent = true;
  firstFailure.store(SIZE_MAX, std::memory_order_relaxed);
}

/// The number of blocks of a call: at least 1.
static uint64_t blockCount(const KernelCall &call) { return static_cast<uint64_t>((call.rows - 1) / call.block) + 1; }

int64_t Schedule::add(const KernelCall &call, int64_t after) {
  uint64_t blocks = blockCount(call);
  calls.push_back(call);
  if (blocks == 1 && after >= 0 && after == static_cast<int64_t>(stageCount) - 1) {
    Stage &last = stages[after];
    const KernelCall &previous = calls[last.firstCall];
    if (previous.run == call.run && last.remaining.load(std::memory_order_relaxed) == 1) {
      ++last.callCount;
      return after;
    }
  }
  Stage &stage = stages[stageCount];
  stage.taskEnd = taskCount() + blocks;
  stage.firstCall = calls.size() - 1;
  stage.callCount = 1;
  stage.after = after;
  independent &= after < 0;
  stage.remaining.store(blocks, std::memory_order_relaxed);
  return static_cast<int64_t>(stageCount++);
}

void Schedule::waitFor(const Stage &stage) const {
  constexpr int kSpins = 200;
  for (int spins = 0; stage.remaining.load(std::memory_order_acquire) != 0; ++spins) {
    if (firstFailure.load(std::memory_order_relaxed) != SIZE_MAX)
      return; // its tasks may never be run; ours will not be either
    if (spins < kSpins)
      _mm_pause();
    else
      std::this_thread::yield(); // the thread that runs the stage may need this core
  }
}

void Schedule::share(size_t workers) {
  rangeCount = independent ? workers : 1;
  if (rangeCapacity < rangeCount) {
    ranges.reset();
    rangeCapacity = 0;
    ranges.reset(new Range[rangeCount]);
    rangeCapacity = rangeCount;
  }
  const uint64_t total = taskCount(), each = total / rangeCount, more = total % rangeCount;
  uint64_t begin = 0;
  for (size_t i = 0; i < rangeCount; ++i) {
    ranges[i].next.store(begin, std::memory_order_relaxed);
    ranges[i].end = begin += each + (i < more);
  }
}

void Schedule::work(size_t worker, void *scratch) {
  for (size_t i = 0; i < rangeCount; ++i)
    if (!workOn(ranges[(worker + i) % rangeCount], scratch))
      return;
}

// False where a kernel has failed.
bool Schedule::workOn(Range &range, void *scratch) {
  size_t current = 0; // claims only go up, and so does the stage they fall into
  for (;;) {
    uint64_t task = range.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= range.end)
      return true;
    while (task >= stages[current].taskEnd)
      ++current;
    Stage &stage = stages[current];
    if (stage.after >= 0)
      waitFor(stages[stage.after]);
    if (firstFailure.load(std::memory_order_relaxed) != SIZE_MAX)
      return false;
    uint64_t begin = current ? stages[current - 1].taskEnd : 0;
    if (!runTask(stage, task - begin, scratch))
      return false;
    stage.remaining.fetch_sub(1, std::memory_order_acq_rel);
  }
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
bool Schedule::runTask(const Stage &stage, uint64_t taskInStage, void *scratch) {
  for (size_t i = 0; i < stage.callCount; ++i) {
    const KernelCall &call = calls[stage.firstCall + i];
    int64_t block = static_cast<int64_t>(taskInStage);
    if (call.descending)
      block = static_cast<int64_t>(blockCount(call)) - 1 - block;
    int64_t row0 = block * call.block;
    int64_t rows = call.rows - row0 < call.block ? call.rows - row0 : call.block;
    if (call.kernel(call.buffers, call.dims, row0, rows, scratch) != 0) {
      recordFailure(stage.firstCall + i);
      return false;
    }
  }
  return true;
}

void Schedule::recordFailure(size_t call) {
  size_t first = firstFailure.load(std::memory_order_relaxed);
  while (call < first && !firstFailure.compare_exchange_weak(first, call, std::memory_order_relaxed)) {
  }
}

const KernelCall *Schedule::failedCall() const {
  size_t first = firstFailure.load(std::memory_order_relaxed);
  return first == SIZE_MAX ? nullptr : &calls[first];
}
