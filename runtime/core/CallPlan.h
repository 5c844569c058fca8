//===- CallPlan.h - A checked list of runs and its memory -------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_CALLPLAN_H
#define NOVA_RUNTIME_CORE_CALLPLAN_H

#include "runtime/core/Buffer.h"
#include "runtime/core/Instances.h"
#include "runtime/core/Overlap.h"
#include "runtime/core/RunTarget.h"
#include "runtime/core/Schedule.h"
#include "runtime/core/Session.h"

#include <vector>

namespace nova::runtime {

/// One call of nova_run, or the steps that prepare an instance, from the check to the end. The phases are called in
/// this order: check or checkPrepare, allocate, fill, (the work), commit or not, finish. Memory is kept for the next
/// call.
class CallPlan {
public:
  /// `tiles`: those that contractions may use, or null for none.
  explicit CallPlan(LibraryTiles *tiles = nullptr) : tiles(tiles) {}

  /// Checks every run, finds its symbols, claims its session, and sums up what memory it needs. No other effects.
  Status check(const nova_run_t *runs, size_t count);

  /// The same for the steps of `prepare`, of which the instance has the memory.
  Status checkPrepare(const ModuleInstance &instance);

  /// Gets the memory: room in sessions, temporaries for as many runs as can be under way at once, staged results.
  Status allocate(int32_t threads);

  /// Writes the steps of all runs into the schedule.
  void fill(Schedule &schedule);

  /// The work succeeded: copies staged results to the caller, makes the sessions longer.
  void commit();

  /// Lets go of the sessions. Always called last.
  void finish();

  /// The scratch that every worker needs.
  int64_t scratchBytes() const { return scratchNeeded; }

  /// About how many bytes the call reads and writes: what decides whether threads are worth waking.
  double traffic() const { return trafficBytes; }

  /// The message of a failure, with the run if there are several.
  std::string describe(const Failure &failure) const;

  /// Gives the memory of temporaries and staged results back.
  void trim();

private:
  /// What is known of one run.
  struct RunPlan {
    const nova_run_t *run; // null where an instance is prepared
    RunTarget target;
    Session *session;  // or null
    size_t dimsAt;     // in `dims`
    size_t buffersAt;  // in `buffers`, `offsets` and `matrices`: one entry per buffer of the module
    size_t stepsAt;    // in `steps`: one entry per step
    size_t loopsAt;    // in `repeats`: one entry per loop
    size_t stagedAt;   // in `stagedOffsets`: one entry per result, if the module can fail
    int64_t slotBytes; // temporaries, and states without a session
    size_t slot;       // in `slots`

    const Manifest &manifest() const { return target.module->manifest(); }
    Stage stage() const { return run ? Stage::Run : Stage::Prepare; }
    const std::vector<Step> &steps() const { return manifest().stepsOf(stage()); }
    bool stagesResults() const { return run && manifest().canFail; }
  };

  /// What is known of one step of a run.
  struct StepPlan {
    int64_t rows;        // 0 if the step is not run
    Instances instances; // in `instanceValues`
    int64_t tilesAt;     // in `stepTiles`, or -1 where generated code does everything
    bool isFolded;       // the rows are those of instances
  };

  void clear(size_t count);
  RunPlan &addPlan(const nova_run_t *run, const RunTarget &target, Session *session);
  Status checkRun(const nova_run_t &run, uint32_t index);
  Status planMemory(RunPlan &plan);
  Status planLoops(const RunPlan &plan);
  Status planSteps(const RunPlan &plan);
  LoopNest nestOf(const RunPlan &plan, const Step &step) const;
  void enterLoops(const RunPlan &plan, int32_t loop, int32_t &open, Schedule &schedule) const;
  int64_t findTiles(const Step &step, const StepCode &code, const int64_t *symbols, int64_t rows);
  Status planStep(const RunPlan &plan, size_t index, StepPlan &step);
  bool fold(const RunPlan &plan, size_t index, StepPlan &planned) const;
  void fillSteps(const RunPlan &plan, uint32_t run, size_t &stepBufferAt, Schedule &schedule);
  void toBytes(const RunPlan &plan, const Step &step, size_t stridesAt, size_t loops, bool aroundStep);
  void noteTensors(const RunPlan &plan, uint32_t index);
  void *stagedResult(const RunPlan &plan, size_t result) const;
  void *bufferAddress(const RunPlan &plan, size_t buffer) const;

  std::vector<RunPlan> plans;
  std::vector<int64_t> dims;
  std::vector<void *> buffers;
  std::vector<int64_t> offsets;       // of temporaries and states in their slot
  std::vector<Matrices> matrices;     // of temporaries and states; the stride of a session's once there is room
  std::vector<int64_t> stagedOffsets; // of results in `staged`
  std::vector<StepPlan> steps;
  std::vector<int64_t> repeats;        // of loops
  std::vector<int64_t> instanceValues; // sizes and strides; fill turns strides into bytes
  std::vector<void *> stepBuffers;
  LibraryTiles *tiles;
  std::vector<ContractionShape> shapes;       // of the step that is planned
  std::vector<const LibraryTile *> stepTiles; // one for each contraction that they may carry
  std::vector<int64_t> slotLast;              // by slot: the last group that uses it, or -1
  size_t stepCount = 0, stepBufferCount = 0;
  int64_t taskCount = 0;
  int64_t scratchNeeded = 0, stagedNeeded = 0;
  double trafficBytes = 0;
  OverlapCheck overlap;

  std::vector<Buffer> slots;
  Buffer staged;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_CALLPLAN_H
