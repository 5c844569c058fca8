//===- Schedule.cpp -------------------------------------------------------===//

#include "runtime/core/Schedule.h"

#include <algorithm>
#include <immintrin.h>
#include <thread>

using namespace nova::runtime;

/// Room for at least `count` elements, the contents unspecified.
template <typename T> static void makeRoom(std::unique_ptr<T[]> &array, size_t &capacity, size_t count) {
  if (capacity >= count)
    return;
  array.reset();
  capacity = 0;
  array.reset(new T[count]);
  capacity = count;
}

void Schedule::begin(size_t callCount) {
  calls.clear();
  calls.reserve(callCount);
  phases.clear();
  phases.reserve(callCount);
  makeRoom(groups, groupCapacity, callCount);
  groupCount = phaseCounters = 0;
  mostBuffers = 0;
  firstFailure.store(SIZE_MAX, std::memory_order_relaxed);
}

int64_t Schedule::beginGroup(const Batch &batch, int64_t after) {
  uint64_t begin = taskCount();
  Group &group = groups[groupCount];
  group.taskBegin = group.taskEnd = begin;
  group.instanceTasks = 0;
  group.batch = batch;
  group.firstPhase = phases.size();
  group.phaseCount = 0;
  group.after = after;
  group.awaited = false;
  group.done.store(0, std::memory_order_relaxed);
  if (after >= 0)
    groups[after].awaited = true;
  return static_cast<int64_t>(groupCount++);
}

void Schedule::add(const KernelCall &call) {
  Group &group = groups[groupCount - 1];
  uint64_t blocks = blockCount(call.rows, call.block);
  calls.push_back(call);
  if (group.batch.instances > 1)
    mostBuffers = std::max(mostBuffers, call.bufferCount);
  if (group.phaseCount > 0 && blocks == 1 && phases.back().taskCount == 1) {
    ++phases.back().callCount;
    return;
  }
  phases.push_back({group.instanceTasks, blocks, calls.size() - 1, 1});
  ++group.phaseCount;
  group.instanceTasks += blocks;
  group.taskEnd = group.taskBegin + group.batch.instances * group.instanceTasks;
}

void Schedule::share(size_t workers) {
  concurrent = workers > 1;
  bool independent = true;
  phaseCounters = 0;
  for (size_t i = 0; i < groupCount; ++i) {
    Group &group = groups[i];
    group.firstDone = phaseCounters;
    phaseCounters += group.batch.instances * (group.phaseCount - 1);
    independent &= group.after < 0 && group.phaseCount == 1;
  }
  if (concurrent) { // one alone never waits
    makeRoom(phaseDone, phaseDoneCapacity, phaseCounters);
    for (size_t i = 0; i < phaseCounters; ++i)
      phaseDone[i].store(0, std::memory_order_relaxed);
  }
  constexpr size_t kLinePointers = sizeof(Line) / sizeof(void *);
  workerLines = (mostBuffers + kLinePointers - 1) / kLinePointers;
  makeRoom(instanceBuffers, lineCapacity, workers * workerLines);

  rangeCount = independent ? workers : 1;
  makeRoom(ranges, rangeCapacity, rangeCount);
  const uint64_t total = taskCount(), each = total / rangeCount, more = total % rangeCount;
  uint64_t begin = 0;
  for (size_t i = 0; i < rangeCount; ++i) {
    ranges[i].next.store(begin, std::memory_order_relaxed);
    ranges[i].end = begin += each + (i < more);
  }
}

void Schedule::work(size_t worker, void *scratch) {
  void **buffers = workerLines ? instanceBuffers[worker * workerLines].pointers : nullptr;
  for (size_t i = 0; i < rangeCount; ++i)
    if (!workOn(ranges[(worker + i) % rangeCount], {scratch, buffers}))
      return;
}

// False where a kernel has failed.
bool Schedule::workOn(Range &range, const Worker &worker) {
  size_t current = 0; // claims only go up, and so does the group they fall into
  for (;;) {
    uint64_t task = range.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= range.end)
      return true;
    while (task >= groups[current].taskEnd)
      ++current;
    if (!runTask(groups[current], task - groups[current].taskBegin, worker))
      return false;
  }
}

bool Schedule::runTask(Group &group, uint64_t task, const Worker &worker) {
  uint64_t instance = 0;
  if (group.batch.instances > 1) {
    instance = group.instanceTasks == 1 ? task : task / group.instanceTasks;
    task -= instance * group.instanceTasks;
  }
  size_t index = 0;
  while (index + 1 < group.phaseCount && task >= phases[group.firstPhase + index + 1].taskBegin)
    ++index;
  const Phase &phase = phases[group.firstPhase + index];
  std::atomic<uint64_t> *counters = nullptr; // of the instance's phases
  if (concurrent) {
    if (group.after >= 0) {
      const Group &before = groups[group.after];
      waitFor(before.done, before.batch.instances * phases[before.firstPhase + before.phaseCount - 1].taskCount);
    }
    if (group.phaseCount > 1)
      counters = &phaseDone[group.firstDone + instance * (group.phaseCount - 1)];
    if (index > 0)
      waitFor(counters[index - 1], (&phase)[-1].taskCount);
    if (firstFailure.load(std::memory_order_relaxed) != SIZE_MAX)
      return false;
  }
  for (size_t call = phase.firstCall; call < phase.firstCall + phase.callCount; ++call)
    if (!runCall(call, group.batch, instance, task - phase.taskBegin, worker))
      return false;
  if (!concurrent)
    return true;
  if (index + 1 < group.phaseCount)
    counters[index].fetch_add(1, std::memory_order_acq_rel);
  else if (group.awaited) // an instance whose last phase is complete is complete
    group.done.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void Schedule::waitFor(const std::atomic<uint64_t> &done, uint64_t count) const {
  constexpr int kSpins = 200;
  for (int spins = 0; done.load(std::memory_order_acquire) != count; ++spins) {
    if (firstFailure.load(std::memory_order_relaxed) != SIZE_MAX)
      return; // its tasks may never be run; ours will not be either
    if (spins < kSpins)
      _mm_pause();
    else
      std::this_thread::yield(); // the thread that runs them may need this core
  }
}

/// The addresses of an instance's buffers.
static void *const *instanceBuffersOf(const KernelCall &call, const Batch &batch, uint64_t instance, void **room) {
  void *const *from = call.buffers;
  const int64_t *strides = call.strides;
  for (uint32_t loop = 0; loop < batch.loops; ++loop, strides += call.bufferCount) {
    uint64_t index = instance;
    if (loop + 1 < batch.loops) { // the outermost loop has what is left
      auto size = static_cast<uint64_t>(batch.sizes[loop]);
      instance /= size;
      index -= instance * size;
    }
    for (uint32_t i = 0; i < call.bufferCount; ++i)
      room[i] = static_cast<char *>(from[i]) + static_cast<int64_t>(index) * strides[i];
    from = room;
  }
  return room;
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
bool Schedule::runCall(size_t callIndex, const Batch &batch, uint64_t instance, uint64_t block, const Worker &worker) {
  const KernelCall &call = calls[callIndex];
  void *const *buffers = call.buffers;
  if (instance > 0)
    buffers = instanceBuffersOf(call, batch, instance, worker.buffers);
  if (call.descending)
    block = blockCount(call.rows, call.block) - 1 - block;
  int64_t row0 = static_cast<int64_t>(block) * call.block;
  int64_t rows = std::min(call.rows - row0, call.block);
  if (call.kernel(buffers, call.dims, row0, rows, worker.scratch) == 0)
    return true;
  recordFailure(callIndex);
  return false;
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
