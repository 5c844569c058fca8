//===- Schedule.h - Blocks of steps on threads ------------------*- C++ -*-===//
//
// The work of one call as an ordered list of tasks, which is never written down: a stage knows where its tasks begin.
//
//   run 0: step 0 block 0, block 1, ...; step 1 block 0, ...;   run 1: step 0 block 0, ...
//
// Workers claim the tasks in this order from one counter. Before the first work of a stage they wait until the stage it
// depends on is complete. All tasks of that stage were claimed before, by workers that are running, so the wait ends:
// the workers need not run at the same time, and one alone does all the work. Tasks of one run follow each other, so
// what a step has packed is still in cache when the next step reads it.
//
// Where no stage waits for another the list is cut into as many ranges as there are workers. Each begins with its own
// and goes on with what is left of the others': one decode step after another finds a session's rows in the cache of
// the core that read them last.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_SCHEDULE_H
#define NOVA_RUNTIME_CORE_SCHEDULE_H

#include "runtime/core/Module.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace nova::runtime {

/// A step of a run with everything its kernel gets.
struct KernelCall {
  Kernel kernel;
  void *const *buffers;
  const int64_t *dims;
  int64_t rows;
  int64_t block;
  bool descending;
  uint32_t run, step; // for messages
};

/// See the top of the file. Filled and used by one call at a time; memory is kept for the next one.
class Schedule {
public:
  /// Empties the schedule and makes room for `calls` steps.
  void begin(size_t calls);

  /// Adds a step with rows > 0. `after` is the stage that must be complete before it, or -1. Returns the step's stage.
  /// A step of one block that comes right after its run's previous step of one block joins that step's stage: one
  /// worker runs them in a row without waiting.
  int64_t add(const KernelCall &call, int64_t after);

  uint64_t taskCount() const { return stageCount ? stages[stageCount - 1].taskEnd : 0; }

  /// After the last add: gets ready for this many workers, at least 1.
  void share(size_t workers);

  /// Does work until none is left to claim or a kernel has failed. Called by each of the workers, with scratch of its
  /// own.
  void work(size_t worker, void *scratch);

  /// After the last worker has returned: the first step, in the order of the list, that was seen to fail, or null.
  const KernelCall *failedCall() const;

private:
  struct alignas(64) Stage {
    uint64_t taskEnd;                // the tasks of all stages up to this one
    size_t firstCall, callCount;     // more than one only if each has one block
    int64_t after;                   // the stage to wait for, or -1
    std::atomic<uint64_t> remaining; // tasks not yet done
  };

  struct alignas(64) Range {
    std::atomic<uint64_t> next; // the task to claim
    uint64_t end;
  };

  bool workOn(Range &range, void *scratch);
  void waitFor(const Stage &stage) const;
  bool runTask(const Stage &stage, uint64_t taskInStage, void *scratch);
  void recordFailure(size_t call);

  std::vector<KernelCall> calls;
  std::unique_ptr<Stage[]> stages;
  size_t stageCount = 0, stageCapacity = 0;
  bool independent = true; // no stage waits
  std::unique_ptr<Range[]> ranges;
  size_t rangeCount = 0, rangeCapacity = 0;
  alignas(64) std::atomic<size_t> firstFailure{SIZE_MAX};
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_SCHEDULE_H
