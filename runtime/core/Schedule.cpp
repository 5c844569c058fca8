//===- Schedule.cpp -------------------------------------------------------===//

#include "runtime/core/Schedule.h"

#include <algorithm>
#include <cstring>
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
  groupCount = 0;
  tasks = 0;
  mostBuffers = 0;
  firstFailure.store(SIZE_MAX, std::memory_order_relaxed);
}

int64_t Schedule::beginGroup(const Batch &batch, int64_t after) {
  Group &group = groups[groupCount];
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
  tasks += group.batch.instances * blocks;
}

/// How many instances a phase lies behind the one before it: none where the idle time at the ends of phases, about half
/// a task for each worker, is little compared with the work, as an instance is best read while it is in cache.
static uint64_t lagFor(uint64_t instanceTasks, size_t workers) {
  constexpr uint64_t kManyTasks = 16; // for each worker
  if (workers == 1 || instanceTasks >= kManyTasks * workers)
    return 0;
  return (workers - 1) / instanceTasks + 1; // as many tasks as there are workers lie between
}

void Schedule::share(size_t workers) {
  concurrent = workers > 1;
  bool independent = true;
  size_t phaseCounters = 0;
  uint64_t places = 0;
  for (size_t i = 0; i < groupCount; ++i) {
    Group &group = groups[i];
    group.lag = group.batch.instances > 1 ? lagFor(group.instanceTasks, workers) : 0;
    group.listBegin = places;
    places += (group.batch.instances + group.lag * (group.phaseCount - 1)) * group.instanceTasks;
    group.listEnd = places;
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
  const uint64_t each = places / rangeCount, more = places % rangeCount;
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
    uint64_t place = range.next.fetch_add(1, std::memory_order_relaxed);
    if (place >= range.end)
      return true;
    while (place >= groups[current].listEnd)
      ++current;
    if (!runPlace(groups[current], place - groups[current].listBegin, worker))
      return false;
  }
}

bool Schedule::runPlace(Group &group, uint64_t place, const Worker &worker) {
  uint64_t instance = 0, task = place;
  if (group.batch.instances > 1) {
    instance = group.instanceTasks == 1 ? place : place / group.instanceTasks;
    task -= instance * group.instanceTasks;
  }
  const Phase *first = &phases[group.firstPhase];
  const Phase *next = std::upper_bound(first + 1, first + group.phaseCount, task,
                                       [](uint64_t task, const Phase &phase) { return task < phase.taskBegin; });
  size_t index = static_cast<size_t>(next - first) - 1;
  instance -= index * group.lag; // what lies before the first instance becomes a huge number
  return instance >= group.batch.instances || runTask(group, instance, index, task - first[index].taskBegin, worker);
}

bool Schedule::runTask(Group &group, uint64_t instance, size_t index, uint64_t block, const Worker &worker) {
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
    if (!runCall(call, group.batch, instance, block, worker))
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
  int32_t code = call.kernel(buffers, call.dims, row0, rows, worker.scratch);
  if (code == 0)
    return true;
  recordFailure(callIndex, code, worker.scratch);
  return false;
}

void Schedule::recordFailure(size_t call, int32_t code, const void *scratch) {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (call >= firstFailure.load(std::memory_order_relaxed))
    return;
  firstReason = {code, 0, 0};
  if (code == kIndexOutside && scratch) {
    std::memcpy(&firstReason.index, static_cast<const char *>(scratch) + 16, sizeof firstReason.index);
    std::memcpy(&firstReason.axisSize, static_cast<const char *>(scratch) + 24, sizeof firstReason.axisSize);
  }
  firstFailure.store(call, std::memory_order_relaxed);
}

const KernelCall *Schedule::failedCall() const {
  size_t first = firstFailure.load(std::memory_order_relaxed);
  return first == SIZE_MAX ? nullptr : &calls[first];
}
