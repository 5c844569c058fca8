//===- Schedule.h - Blocks of steps on threads ------------------*- C++ -*-===//
//
// The work of one call as an ordered list of tasks, which is never written down: a group of steps knows where its tasks
// begin. A group is run for every instance of its batch, and its steps are cut into phases: a step of many blocks,
// several steps of one block each, which one worker runs in a row, or steps beside each other.
//
//   group 0: instance 0: phase 0 block 0, block 1, ...; phase 1 block 0, ...;   instance 1: phase 0 block 0, ...
//   group 1: ...
//
// Where an instance has few tasks for the number of workers, the workers would stand still at the end of each of its
// phases. Then a phase lies a few instances behind the phase before it (the lag; places that no instance has are
// empty):
//
//   instance 0 phase 0; instance 1 phase 0, instance 0 phase 1; instance 2 phase 0, instance 1 phase 1; ...
//
// Workers claim the tasks in this order from one counter. Before the first work of a phase they wait until the phase
// before it is complete for the same instance, and before the first work of a group until the group it depends on is
// complete for all instances. What is waited for was claimed before, by workers that are running, so the wait ends: the
// workers need not run at the same time, and one alone does all the work. Tasks of one instance follow each other, so
// what a step has packed is still in cache when the next step reads it.
//
// Groups may lie in loops, which may lie in each other: the groups of a loop follow each other as often as it runs, and
// its first group then waits for its last one. Each worker keeps the place in the list where it is, with the run of
// every loop; claims only go up, so it only walks forward. Counters of what is complete go on from run to run.
//
// When a kernel fails, what comes later is still run as long as it may fail at something that comes before (Failure.h):
// so what is told does not depend on the order in which workers get to it.
//
// Where nothing waits the list is cut into as many ranges as there are workers. Each begins with its own and goes on
// with what is left of the others': one decode step after another finds a session's rows, or a head's, in the cache of
// the core that read them last.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_SCHEDULE_H
#define NOVA_RUNTIME_CORE_SCHEDULE_H

#include "runtime/core/Failure.h"
#include "runtime/core/Module.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace nova::runtime {

/// The instances of a group: index tuples of loops around its steps.
struct Batch {
  uint64_t instances = 1; // the product of the sizes
  uint32_t loops = 0;
  const int64_t *sizes = nullptr; // innermost first
};

/// A section of a kernel whose only block of rows several threads compute.
struct Section {
  int64_t number = -1;   // below 0: no section but the whole kernel
  int64_t columns = 0;   // of a task
  uint64_t tasks = 1;    // the last of them has what is left
  char *tiles = nullptr; // what the sections of the first instance have in place of scratch
  int64_t tileBytes = 0; // from instance to instance
};

/// A step of a run with everything its kernel gets.
struct KernelCall {
  Kernel kernel;
  uint32_t bufferCount;
  void *const *buffers;       // of the first instance
  const int64_t *strides;     // in bytes, from instance to instance: for each loop, innermost first, one per buffer
  const int64_t *loopStrides; // in bytes, from run to run of the loops around the group: outermost first, likewise
  const int64_t *dims;
  int64_t rows;
  int64_t block;
  bool descending;
  FailingStep failing;
  bool takesTiles;                 // the kernel looks for library tiles in its scratch
  const LibraryTile *const *tiles; // one for each contraction that they may carry, or null for none
  bool folds;                      // the kernel looks in its scratch for how positions go on from row to row
  bool isFolded;                   // its rows are those of instances: they all have one position
  int64_t rowStep;                 // how many rows of a folded call's buffers one of its rows is behind the one before
  bool hasSections;                // the kernel looks in its scratch for the section to run
  Section section = {};            // the one that this is, if it is a section

  /// How many tasks it is for an instance.
  uint64_t taskCount() const;
};

/// What a kernel with sections finds through the pointer at kSectionInScratch.
struct SectionInScratch {
  void *tiles;
  int64_t number, from, to;
};
/// Where it finds that.
constexpr size_t kSectionInScratch = 48;

/// Where a kernel that takes library tiles finds them in its scratch.
constexpr size_t kTilesInScratch = 32;
/// Where a kernel that folds finds how positions go on from row to row: 1, or 0 where its rows are those of instances.
constexpr size_t kPositionStepInScratch = 40;
/// And how many rows of its buffers lie between its rows and the next.
constexpr size_t kRowStepInScratch = 56;

/// The number of blocks of a step of `rows` > 0.
inline uint64_t blockCount(int64_t rows, int64_t block) { return static_cast<uint64_t>((rows - 1) / block) + 1; }
inline uint64_t KernelCall::taskCount() const { return section.number < 0 ? blockCount(rows, block) : section.tasks; }

/// See the top of the file. Filled and used by one call at a time; memory is kept for the next one.
class Schedule {
public:
  /// Empties the schedule and makes room for `calls` steps and sections of steps. They must not have more than 2^63
  /// tasks, instances times blocks, together.
  void begin(size_t calls);

  /// Begins a group of at least one instance; `after` is the group that must be complete before it, or -1. Returns the
  /// group's number.
  int64_t beginGroup(const Batch &batch, int64_t after);

  /// Groups from here to the matching endLoop run this often, at least once, one after the other. The groups of a loop
  /// must each wait for the one before.
  void beginLoop(uint64_t runs);
  void endLoop();

  /// Adds a step with rows > 0 to the group begun last: an instance of it follows the same instance of the step added
  /// before. So does each section of a step. `hasBeside`: calls beside it may follow.
  void add(const KernelCall &call, bool hasBeside = false);

  /// Adds a step of the same batch beside the one added last: they wait for the same, and what comes next waits for
  /// both.
  void addBeside(const KernelCall &call);

  uint64_t taskCount() const { return tasks; }

  /// After the last add: gets ready for this many workers, at least 1.
  void share(size_t workers);

  /// What `flag` holds ends the work before its next task. Before the work; the flag must outlive it.
  void stopAt(const std::atomic<bool> &flag) { stopFlag = &flag; }

  /// Does work until none is left to claim, or it is stopped, or a kernel has failed and what is left can fail at
  /// nothing that comes before that. Called by each of the workers, with scratch of its own.
  void work(size_t worker, void *scratch);

  /// From the next share on kernels are measured, or no longer. Before the work.
  void measure(bool on) { measures = on; }

  /// After the last worker has returned: calls add(kernel, number of calls, nanoseconds) for each step, if they were
  /// measured.
  template <typename Add> void eachTime(Add add) const {
    for (size_t i = 0; i < times.size(); ++i)
      add(calls[i % calls.size()].failing.step->kernel, times[i].calls, times[i].nanoseconds);
  }

  /// After the last worker has returned: whether it was stopped and so may be incomplete.
  bool wasStopped() const { return stopped.load(std::memory_order_relaxed); }

  /// After the last worker has returned: the first failure (Failure.h), or null.
  const Failure *failure() const { return hasFailed() ? &first : nullptr; }

private:
  struct Phase {
    uint64_t taskBegin, taskCount; // among the tasks of an instance
    size_t firstCall, callCount;   // one after the other in one task, or beside each other
    bool isBeside;                 // the blocks of a call come behind those of the call before
    uint64_t order;                // of failures (orderOf): from the phase on nothing comes before this
  };

  struct alignas(64) Group {
    int64_t loop;    // the innermost one around it, or -1
    uint64_t places; // in the list, for each run of its loops
    uint64_t instanceTasks;
    uint64_t lag; // instances between one phase and the next
    Batch batch;
    size_t firstPhase, phaseCount;
    size_t firstDone;                       // in `phaseDone`: for each instance one counter for each phase but the last
    int64_t after;                          // the group to wait for, or -1
    bool awaited;                           // some group waits for this one
    alignas(64) std::atomic<uint64_t> done; // tasks, counted where the group is awaited
  };

  struct Loop {
    size_t firstGroup, endGroup; // those inside, also of loops inside
    uint64_t runs;
    int64_t outer; // the loop around it, or -1
  };

  struct alignas(64) Range {
    std::atomic<uint64_t> next; // the task to claim
    uint64_t end;
  };

  struct alignas(64) Line {
    void *pointers[8];
  };

  /// What a worker has spent on a step.
  struct Time {
    uint64_t calls = 0, nanoseconds = 0;
  };

  /// What a worker has of its own.
  struct Worker {
    void *scratch;
    Time *times;        // by call, or null where they are not measured
    void **buffers;     // room for the addresses of an instance
    uint64_t *loopRuns; // by loop: the run it is in
  };

  /// A group in the list, in one of the runs of its loops.
  struct Cursor {
    size_t group;
    uint64_t begin, end;                 // its places
    uint64_t run;                        // how often the group was run before
    const std::atomic<uint64_t> *before; // what to wait for, or null
    uint64_t beforeDone;
  };

  void workOn(Range &range, const Worker &worker);
  void advance(Cursor &cursor, const Worker &worker) const;
  void sortOutFailures();
  uint64_t runsOf(int64_t loop) const;
  uint64_t tasksAtEnd(const Group &group) const;
  bool runPlace(const Cursor &cursor, uint64_t place, const Worker &worker);
  bool runTask(const Cursor &cursor, uint64_t instance, size_t phaseIndex, uint64_t block, const Worker &worker);
  void runBeside(const Phase &phase, const Group &group, uint64_t instance, uint64_t block, const Worker &worker);
  void waitFor(const std::atomic<uint64_t> &done, uint64_t count, const Phase &phase);
  bool hasFailed() const { return firstOrder.load(std::memory_order_relaxed) != UINT64_MAX; }
  /// Whether nothing is left to do from the phase on: the work is stopped, or could not change which failure is told.
  bool isSettled(const Phase &phase);
  void runCall(size_t call, const Group &group, uint64_t instance, uint64_t block, const Worker &worker);
  void *const *buffersOfRun(const KernelCall &call, int64_t loop, const Worker &worker) const;
  void recordFailure(const KernelCall &call, const Group &group, int32_t code, uint64_t instance, const Worker &worker);

  std::vector<KernelCall> calls;
  std::vector<Phase> phases;
  std::unique_ptr<Group[]> groups;
  size_t groupCount = 0, groupCapacity = 0;
  std::vector<Loop> loops;
  int64_t openLoop = -1;
  uint64_t openRuns = 1; // of all open loops together
  uint64_t tasks = 0;
  std::unique_ptr<std::atomic<uint64_t>[]> phaseDone;
  size_t phaseDoneCapacity = 0;
  bool concurrent = false; // more than one worker
  std::unique_ptr<Range[]> ranges;
  size_t rangeCount = 0, rangeCapacity = 0;
  uint32_t mostBuffers = 0;             // of a step with instances or in a loop
  std::unique_ptr<uint64_t[]> loopRuns; // by worker
  size_t runsPerWorker = 0, runsCapacity = 0;
  std::unique_ptr<Line[]> instanceBuffers; // by worker
  size_t workerLines = 0, lineCapacity = 0;
  bool measures = false;
  std::vector<Time> times; // by worker, then by call; empty where they are not measured
  const std::atomic<bool> *stopFlag = nullptr;
  alignas(64) std::atomic<uint64_t> firstOrder{UINT64_MAX}; // of `first`, if there is one
  // Some worker has seen the flag. It is not looked at again: what was left out then stays out, though it be lowered.
  std::atomic<bool> stopped{false};
  std::mutex failureMutex;
  Failure first; // written under the mutex
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_SCHEDULE_H
