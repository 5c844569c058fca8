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
/// this order: check or checkPrepare, then allocate, fill, (the work), which separate may begin again, then commit or
/// not, and finish. Memory is kept for the next call.
///
/// What is planned and run as one is a launch. Most often it is one run. In a ragged batch it is several that follow
/// each other: the new rows of their sessions lie behind one another in its memory, and steps that compute each row
/// from that row alone run over all of them, so that weights are read once.
class CallPlan {
public:
  /// `tiles`: those that contractions may use, or null for none.
  explicit CallPlan(LibraryTiles *tiles = nullptr) : tiles(tiles) {}

  /// Checks every run, finds its symbols, claims its session, and sums up what memory it needs. No other effects.
  Status check(const nova_run_t *runs, size_t count);

  /// The same for the steps of `prepare`, of which the instance has the memory.
  Status checkPrepare(const ModuleInstance &instance);

  /// Whether some runs share a launch. Which run a failure of a kernel belongs to, and where in it, is known only where
  /// they do not.
  bool runsTogether() const { return launches.size() < plans.size(); }

  /// Plans a launch for each run. Nothing has been committed.
  Status separate();

  /// Gets the memory: room in sessions, temporaries for as many launches as can be under way at once, staged results.
  Status allocate(int32_t threads);

  /// Writes the steps of all launches into the schedule, for at most so many threads.
  void fill(Schedule &schedule, int32_t threads);

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
    Session *session; // or null
    size_t dimsAt;    // in `dims`
    int64_t firstRow; // among the new rows of its launch

    const Manifest &manifest() const { return target.module->manifest(); }
  };

  struct Launch {
    size_t firstRun, runCount; // in `plans`
    size_t dimsAt;             // in `dims`: those of its run, or with the new rows of all
    size_t buffersAt;          // in `buffers`, `offsets`, `rowBytes` and `matrices`: one entry per buffer of the module
    size_t stepsAt;            // in `steps`: one entry per step, or one for each run of a step that is run apart
    size_t loopsAt;            // in `repeats`: one entry per loop
    size_t stagedAt;           // in `stagedOffsets`: one entry per result, if they are staged
    int64_t slotBytes;         // temporaries, and states without a session
    size_t slot;               // in `slots`

    bool isTogether() const { return runCount > 1; }
  };

  /// What is known of one step of a launch.
  struct StepPlan {
    int64_t rows;        // 0 if the step is not run
    Instances instances; // in `instanceValues`
    int64_t tilesAt;     // in `stepTiles`, or -1 where generated code does everything
    bool isFolded;       // the rows are those of instances
    int64_t rowStep;     // how many rows of its buffers one of these is behind the one before
    int64_t scratch;     // bytes that it needs
    int64_t pieces;      // of each section, at most; 1 if it is not run in sections
    int64_t sectionsAt;  // in `sectionMemory`, for all instances
  };

  /// What is told of all runs of a launch is told of the first.
  const RunPlan &firstOf(const Launch &launch) const { return plans[launch.firstRun]; }
  const Manifest &manifestOf(const Launch &launch) const { return firstOf(launch).manifest(); }
  Stage stageOf(const Launch &launch) const { return firstOf(launch).run ? Stage::Run : Stage::Prepare; }
  const std::vector<Step> &stepsOf(const Launch &launch) const { return manifestOf(launch).stepsOf(stageOf(launch)); }
  bool stagesResults(const Launch &launch) const {
    return firstOf(launch).run && (manifestOf(launch).canFail || launch.isTogether());
  }
  /// How often a step is planned: once, or for each run.
  size_t partsOf(const Launch &launch, const Step &step) const { return step.apart ? launch.runCount : 1; }
  int64_t rowsOf(const RunPlan &plan) const { return dims[plan.dimsAt + plan.manifest().sequence.rows]; }

  void clear(size_t count);
  RunPlan &addPlan(const nova_run_t *run, const RunTarget &target, Session *session);
  Status checkRun(const nova_run_t &run, uint32_t index);
  void noteTensors(const RunPlan &plan, uint32_t index);
  bool mayJoin(const RunPlan &plan, const RunPlan &before) const;
  Status planLaunches(bool together);
  Status planLaunch(Launch &launch);
  void joinDims(Launch &launch);
  Status planMemory(Launch &launch);
  Status planBuffer(Launch &launch, size_t buffer, Matrices &needed);
  template <typename TensorOf> int64_t stage(const Launch &launch, TensorOf tensorOf);
  Status planLoops(const Launch &launch);
  Status planSteps(const Launch &launch);
  LoopNest nestOf(const Launch &launch, const Step &step) const;
  Status planStep(const Launch &launch, const RunPlan &plan, size_t index, StepPlan &step);
  bool fold(const Launch &launch, const RunPlan &plan, size_t index, StepPlan &planned) const;
  int64_t piecesOf(const Launch &launch, const Step &step, const StepPlan &planned, int32_t threads) const;
  Status allocateSections(int32_t threads);
  void addCall(const Step &step, const StepPlan &planned, KernelCall call, Schedule &schedule) const;
  int64_t findTiles(const Step &step, const StepCode &code, const int64_t *symbols, int64_t rows);

  /// The symbols that a step of a launch gets for a run.
  const int64_t *symbolsOf(const Launch &launch, const RunPlan &plan, const Step &step) const {
    return dims.data() + (step.apart ? plan.dimsAt : launch.dimsAt);
  }
  void gatherArguments(const Launch &launch) const;
  void scatterResults(const Launch &launch) const;
  void enterLoops(const Launch &launch, int32_t loop, int32_t &open, Schedule &schedule) const;
  void fillSteps(const Launch &launch, size_t &stepBufferAt, int32_t threads, Schedule &schedule);
  void toBytes(const Launch &launch, const RunPlan &plan, const Step &step, size_t stridesAt, size_t loops,
               bool aroundStep);
  char *stagedResult(const Launch &launch, size_t result) const;
  void *bufferAddress(const Launch &launch, const RunPlan &plan, size_t buffer) const;
  void *partAddress(const Launch &launch, const RunPlan &plan, size_t buffer) const;

  std::vector<RunPlan> plans;
  std::vector<Launch> launches;
  std::vector<int64_t> dims;
  std::vector<void *> buffers;        // of the first run of a launch
  std::vector<int64_t> offsets;       // of temporaries and states in their slot, of gathered arguments in `staged`
  std::vector<int64_t> rowBytes;      // where runs share a launch: from one new row to the next
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
  size_t ownDims = 0;                         // in `dims`: those of runs come first
  size_t stepCount = 0, stepBufferCount = 0;
  int64_t taskCount = 0;
  int64_t scratchNeeded = 0, stagedNeeded = 0;
  double tensorBytes = 0, trafficBytes = 0; // of arguments and results, and of all
  OverlapCheck overlap;

  std::vector<Buffer> slots;
  Buffer sectionMemory;
  Buffer staged;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_CALLPLAN_H
