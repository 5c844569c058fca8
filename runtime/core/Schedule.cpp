//===- Schedule.cpp -------------------------------------------------------===//

#include "runtime/core/Schedule.h"

#include <algorithm>
#include <chrono>
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
  loops.clear();
  openLoop = -1;
  openRuns = 1;
  tasks = 0;
  mostBuffers = 0;
  firstOrder.store(UINT64_MAX, std::memory_order_relaxed);
  stopped.store(false, std::memory_order_relaxed);
}

int64_t Schedule::beginGroup(const Batch &batch, int64_t after) {
  Group &group = groups[groupCount];
  group.instanceTasks = 0;
  group.batch = batch;
  group.firstPhase = phases.size();
  group.phaseCount = 0;
  group.after = after;
  group.loop = openLoop;
  group.awaited = openLoop >= 0;
  group.done.store(0, std::memory_order_relaxed);
  if (after >= 0)
    groups[after].awaited = true;
  return static_cast<int64_t>(groupCount++);
}

void Schedule::beginLoop(uint64_t runs) {
  loops.push_back({groupCount, groupCount, runs, openLoop});
  openLoop = static_cast<int64_t>(loops.size()) - 1;
  openRuns *= runs;
}

void Schedule::endLoop() {
  Loop &loop = loops[static_cast<size_t>(openLoop)];
  loop.endGroup = groupCount;
  openRuns /= loop.runs;
  openLoop = loop.outer;
}

void Schedule::add(const KernelCall &call, bool hasBeside) {
  Group &group = groups[groupCount - 1];
  uint64_t blocks = call.taskCount();
  calls.push_back(call);
  if (group.batch.instances > 1 || openLoop >= 0)
    mostBuffers = std::max(mostBuffers, call.bufferCount);
  if (group.phaseCount > 0 && blocks == 1 && phases.back().taskCount == 1 && !hasBeside) {
    ++phases.back().callCount;
    phases.back().order = std::min(phases.back().order, orderOf(call.failing));
    return;
  }
  phases.push_back({group.instanceTasks, blocks, calls.size() - 1, 1, false, orderOf(call.failing)});
  ++group.phaseCount;
  group.instanceTasks += blocks;
  tasks += group.batch.instances * blocks * openRuns;
}

void Schedule::addBeside(const KernelCall &call) {
  Group &group = groups[groupCount - 1];
  Phase &phase = phases.back();
  uint64_t blocks = call.taskCount();
  calls.push_back(call);
  phase.isBeside = true;
  ++phase.callCount;
  phase.taskCount += blocks;
  phase.order = std::min(phase.order, orderOf(call.failing));
  group.instanceTasks += blocks;
  tasks += group.batch.instances * blocks * openRuns;
}

/// How many instances a phase lies behind the one before it: none where the idle time at the ends of phases, about half
/// a task for each worker, is little compared with the work, as an instance is best read while it is in cache.
static uint64_t lagFor(uint64_t instanceTasks, size_t workers) {
  constexpr uint64_t kManyTasks = 16; // for each worker
  if (workers == 1 || instanceTasks >= kManyTasks * workers)
    return 0;
  return (workers - 1) / instanceTasks + 1; // as many tasks as there are workers lie between
}

/// From each phase on: the least order of those that follow in the list, and of those that it comes back to.
void Schedule::sortOutFailures() {
  auto level = [&](size_t firstGroup, size_t endGroup) {
    if (firstGroup == endGroup)
      return;
    const Group &last = groups[endGroup - 1];
    auto begin = phases.begin() + static_cast<ptrdiff_t>(groups[firstGroup].firstPhase);
    auto end = phases.begin() + static_cast<ptrdiff_t>(last.firstPhase + last.phaseCount);
    auto lower = [](const Phase &a, const Phase &b) { return a.order < b.order; };
    uint64_t least = std::min_element(begin, end, lower)->order;
    std::for_each(begin, end, [&](Phase &phase) { phase.order = least; });
  };
  for (size_t i = 0; i < groupCount; ++i)
    if (groups[i].batch.instances > 1)
      level(i, i + 1);
  for (const Loop &loop : loops)
    if (loop.outer < 0)
      level(loop.firstGroup, loop.endGroup);
  for (size_t i = phases.size(); i-- > 1;)
    phases[i - 1].order = std::min(phases[i - 1].order, phases[i].order);
}

void Schedule::share(size_t workers) {
  sortOutFailures();
  concurrent = workers > 1;
  bool independent = true;
  size_t phaseCounters = 0;
  uint64_t places = 0;
  for (size_t i = 0; i < groupCount; ++i) {
    Group &group = groups[i];
    group.lag = group.batch.instances > 1 ? lagFor(group.instanceTasks, workers) : 0;
    group.places = (group.batch.instances + group.lag * (group.phaseCount - 1)) * group.instanceTasks;
    places += group.places * runsOf(group.loop);
    group.firstDone = phaseCounters;
    phaseCounters += group.batch.instances * (group.phaseCount - 1);
    independent &= group.after < 0 && group.phaseCount == 1 && group.loop < 0;
  }
  if (concurrent) { // one alone never waits
    makeRoom(phaseDone, phaseDoneCapacity, phaseCounters);
    for (size_t i = 0; i < phaseCounters; ++i)
      phaseDone[i].store(0, std::memory_order_relaxed);
  }
  constexpr size_t kLinePointers = sizeof(Line) / sizeof(void *);
  workerLines = (mostBuffers + kLinePointers - 1) / kLinePointers;
  makeRoom(instanceBuffers, lineCapacity, workers * workerLines);

  times.assign(measures ? workers * calls.size() : 0, {});

  constexpr size_t kLineRuns = sizeof(Line) / sizeof(uint64_t);
  runsPerWorker = (loops.size() + kLineRuns - 1) / kLineRuns * kLineRuns;
  makeRoom(loopRuns, runsCapacity, workers * runsPerWorker);

  rangeCount = independent ? workers : 1;
  makeRoom(ranges, rangeCapacity, rangeCount);
  const uint64_t each = places / rangeCount, more = places % rangeCount;
  uint64_t begin = 0;
  for (size_t i = 0; i < rangeCount; ++i) {
    ranges[i].next.store(begin, std::memory_order_relaxed);
    ranges[i].end = begin += each + (i < more);
  }
}

/// How often what is in this loop runs.
uint64_t Schedule::runsOf(int64_t loop) const {
  uint64_t runs = 1;
  for (; loop >= 0; loop = loops[loop].outer)
    runs *= loops[loop].runs;
  return runs;
}

/// The tasks that a group counts as done in each run.
uint64_t Schedule::tasksAtEnd(const Group &group) const {
  return group.batch.instances * phases[group.firstPhase + group.phaseCount - 1].taskCount;
}

void Schedule::work(size_t worker, void *scratch) {
  void **buffers = workerLines ? instanceBuffers[worker * workerLines].pointers : nullptr;
  uint64_t *runs = loopRuns.get() + worker * runsPerWorker;
  for (size_t i = 0; i < rangeCount; ++i)
    workOn(ranges[(worker + i) % rangeCount],
           {scratch, times.empty() ? nullptr : times.data() + worker * calls.size(), buffers, runs});
}

void Schedule::workOn(Range &range, const Worker &worker) {
  std::fill_n(worker.loopRuns, loops.size(), 0);
  Cursor cursor{0, 0, groupCount > 0 ? groups[0].places : 0, 0, nullptr, 0};
  for (;;) {
    uint64_t place = range.next.fetch_add(1, std::memory_order_relaxed);
    if (place >= range.end)
      return;
    while (place >= cursor.end)
      advance(cursor, worker);
    if (!runPlace(cursor, place - cursor.begin, worker))
      return;
  }
}

// To the group that follows, which is the first one of a loop again where it has runs left.
void Schedule::advance(Cursor &cursor, const Worker &worker) const {
  const Group &left = groups[cursor.group];
  size_t next = cursor.group + 1;
  bool again = false;
  for (int64_t loop = left.loop; loop >= 0 && loops[loop].endGroup == next && !again; loop = loops[loop].outer) {
    again = ++worker.loopRuns[loop] < loops[loop].runs;
    if (again)
      next = loops[loop].firstGroup;
    else
      worker.loopRuns[loop] = 0;
  }
  const Group &group = groups[next];
  uint64_t leftDone = (cursor.run + 1) * tasksAtEnd(left);
  cursor.before = nullptr;
  if (again || group.after == static_cast<int64_t>(next) - 1) {
    cursor.before = &left.done;
    cursor.beforeDone = leftDone;
  } else if (group.after >= 0) {
    const Group &after = groups[group.after];
    cursor.before = &after.done;
    cursor.beforeDone = runsOf(after.loop) * tasksAtEnd(after);
  }
  cursor.group = next;
  cursor.begin = cursor.end;
  cursor.end += group.places;
  cursor.run = 0;
  uint64_t runs = 1;
  for (int64_t loop = group.loop; loop >= 0; loop = loops[loop].outer) {
    cursor.run += worker.loopRuns[loop] * runs;
    runs *= loops[loop].runs;
  }
}

// False where a failure has settled what is told.
bool Schedule::runPlace(const Cursor &cursor, uint64_t place, const Worker &worker) {
  const Group &group = groups[cursor.group];
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
  return instance >= group.batch.instances || runTask(cursor, instance, index, task - first[index].taskBegin, worker);
}

bool Schedule::runTask(const Cursor &cursor, uint64_t instance, size_t index, uint64_t block, const Worker &worker) {
  Group &group = groups[cursor.group];
  const Phase &phase = phases[group.firstPhase + index];
  std::atomic<uint64_t> *counters = nullptr; // of the instance's phases
  if (concurrent) {
    if (cursor.before)
      waitFor(*cursor.before, cursor.beforeDone, phase);
    if (group.phaseCount > 1)
      counters = &phaseDone[group.firstDone + instance * (group.phaseCount - 1)];
    if (index > 0)
      waitFor(counters[index - 1], (cursor.run + 1) * (&phase)[-1].taskCount, phase);
  }
  if (isSettled(phase))
    return false;
  if (phase.isBeside)
    runBeside(phase, group, instance, block, worker);
  else
    for (size_t call = phase.firstCall; call < phase.firstCall + phase.callCount; ++call)
      runCall(call, group, instance, block, worker);
  if (!concurrent)
    return true;
  if (index + 1 < group.phaseCount)
    counters[index].fetch_add(1, std::memory_order_acq_rel);
  else if (group.awaited) // an instance whose last phase is complete is complete
    group.done.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void Schedule::runBeside(const Phase &phase, const Group &group, uint64_t instance, uint64_t block,
                         const Worker &worker) {
  size_t call = phase.firstCall;
  for (uint64_t blocks; block >= (blocks = calls[call].taskCount()); ++call)
    block -= blocks;
  runCall(call, group, instance, block, worker);
}

bool Schedule::isSettled(const Phase &phase) {
  if (stopFlag && stopFlag->load(std::memory_order_relaxed))
    stopped.store(true, std::memory_order_relaxed);
  return stopped.load(std::memory_order_relaxed) || firstOrder.load(std::memory_order_relaxed) < phase.order;
}

void Schedule::waitFor(const std::atomic<uint64_t> &done, uint64_t count, const Phase &phase) {
  constexpr int kSpins = 200;
  for (int spins = 0; done.load(std::memory_order_acquire) < count; ++spins) {
    if (isSettled(phase))
      return; // its tasks may never be run; ours will not be either
    if (spins < kSpins)
      _mm_pause();
    else
      std::this_thread::yield(); // the thread that runs them may need this core
  }
}

/// The addresses of the buffers of an instance, given those of the first one.
static void *const *instanceBuffersOf(const KernelCall &call, void *const *from, const Batch &batch, uint64_t instance,
                                      void **room) {
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

/// The addresses of a call's buffers in the run of its loops where the worker is.
void *const *Schedule::buffersOfRun(const KernelCall &call, int64_t loop, const Worker &worker) const {
  std::copy_n(call.buffers, call.bufferCount, worker.buffers);
  size_t depth = 0;
  for (int64_t around = loop; around >= 0; around = loops[around].outer)
    ++depth;
  for (; loop >= 0; loop = loops[loop].outer) {
    const int64_t *strides = call.loopStrides + --depth * call.bufferCount;
    auto run = static_cast<int64_t>(worker.loopRuns[loop]);
    for (uint32_t i = 0; i < call.bufferCount; ++i)
      worker.buffers[i] = static_cast<char *>(worker.buffers[i]) + run * strides[i];
  }
  return worker.buffers;
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
void Schedule::runCall(size_t callIndex, const Group &group, uint64_t instance, uint64_t block, const Worker &worker) {
  const KernelCall &call = calls[callIndex];
  void *const *buffers = call.buffers;
  if (group.loop >= 0)
    buffers = buffersOfRun(call, group.loop, worker);
  if (instance > 0)
    buffers = instanceBuffersOf(call, buffers, group.batch, instance, worker.buffers);
  SectionInScratch section{worker.scratch, -1, 0, INT64_MAX};
  if (call.section.number >= 0) {
    auto from = static_cast<int64_t>(block) * call.section.columns;
    int64_t to = block + 1 < call.section.tasks ? from + call.section.columns : INT64_MAX;
    section = {call.section.tiles + static_cast<int64_t>(instance) * call.section.tileBytes, call.section.number, from,
               to};
    block = 0;
  }
  if (call.hasSections) {
    const SectionInScratch *at = &section;
    std::memcpy(static_cast<char *>(worker.scratch) + kSectionInScratch, &at, sizeof at);
  }
  if (call.descending)
    block = blockCount(call.rows, call.block) - 1 - block;
  int64_t row0 = static_cast<int64_t>(block) * call.block;
  int64_t rows = std::min(call.rows - row0, call.block);
  if (call.takesTiles)
    std::memcpy(static_cast<char *>(worker.scratch) + kTilesInScratch, &call.tiles, sizeof call.tiles);
  if (call.folds) {
    const int64_t step = call.isFolded ? 0 : 1;
    std::memcpy(static_cast<char *>(worker.scratch) + kPositionStepInScratch, &step, sizeof step);
    std::memcpy(static_cast<char *>(worker.scratch) + kRowStepInScratch, &call.rowStep, sizeof call.rowStep);
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = worker.times ? Clock::now() : Clock::time_point();
  int32_t code = call.kernel(buffers, call.dims, row0, rows, worker.scratch);
  if (worker.times) {
    Time &time = worker.times[callIndex];
    ++time.calls;
    time.nanoseconds += static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  }
  if (code != 0)
    recordFailure(call, group, code, instance, worker);
}

void Schedule::recordFailure(const KernelCall &call, const Group &group, int32_t code, uint64_t instance,
                             const Worker &worker) {
  int64_t runs[kMaxLoops] = {};
  size_t depth = 0;
  for (int64_t loop = group.loop; loop >= 0; loop = loops[loop].outer)
    runs[depth++] = static_cast<int64_t>(worker.loopRuns[loop]);
  std::reverse(runs, runs + depth);
  Failure failure(call.failing, code, worker.scratch, instance, runs);
  std::lock_guard<std::mutex> lock(failureMutex);
  if (hasFailed() && !failure.comesBefore(first))
    return;
  first = failure;
  firstOrder.store(failure.order(), std::memory_order_relaxed);
}
