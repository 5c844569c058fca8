//===- CallSteps.cpp - The steps of a call, from the plan to the schedule -===//

#include "runtime/core/CallPlan.h"

#include <algorithm>

using namespace nova::runtime;

Status CallPlan::planLoops(const Launch &launch) {
  if (stageOf(launch) == Stage::Prepare)
    return Status::success();
  const int64_t *symbols = dims.data() + launch.dimsAt;
  for (const Loop &loop : manifestOf(launch).loops) {
    int64_t &count = repeats.emplace_back();
    if (!loop.repeats.evaluate(symbols, count))
      return fail(NOVA_SHAPE_MISMATCH, "a loop: ", loop.repeats.text(), " is more than 63 bits hold");
    if (count < 0)
      return fail(NOVA_MODULE_INVALID, "a loop: expected ", loop.repeats.text(), " to be 0 or more, found ", count);
  }
  return Status::success();
}

LoopNest CallPlan::nestOf(const Launch &launch, const Step &step) const {
  LoopNest nest;
  for (int32_t loop = step.loop; loop >= 0; loop = manifestOf(launch).loops[loop].outer)
    nest.repeats[nest.depth++] = repeats[launch.loopsAt + loop];
  std::reverse(nest.repeats, nest.repeats + nest.depth);
  return nest;
}

Status CallPlan::planSteps(const Launch &launch) {
  if (Status status = planLoops(launch))
    return status;
  const std::vector<Step> &list = stepsOf(launch);
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t part = 0; part < partsOf(launch, list[i]); ++part)
      if (Status status = planStep(launch, plans[launch.firstRun + part], i, steps.emplace_back()))
        return status;
  return Status::success();
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
Status
CallPlan::planStep(const Launch &launch, const RunPlan &plan, size_t index, StepPlan &planned) {
  const Manifest &manifest = manifestOf(launch);
  const Step &step = stepsOf(launch)[index];
  const int64_t *symbols = symbolsOf(launch, plan, step);
  int64_t &rows = planned.rows;
  planned.tilesAt = -1;
  planned.isFolded = false;
  planned.rowStep = 1;
  planned.scratch = 0;
  if (!step.rows.evaluate(symbols, rows))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": ", step.rows.text(), " is more than 63 bits hold");
  if (rows < 0)
    return fail(NOVA_MODULE_INVALID, "step ", step.kernel, ": expected ", step.rows.text(),
                " rows to be 0 or more, found ", rows);
  if (rows == 0)
    return Status::success();
  LoopNest nest = nestOf(launch, step);
  int64_t runs = 1;
  for (uint32_t loop = 0; loop < nest.depth; ++loop) {
    if (nest.repeats[loop] == 0) {
      rows = 0;
      return Status::success();
    }
    if (__builtin_mul_overflow(runs, nest.repeats[loop], &runs))
      return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": the runs of its loops are more than 63 bits hold");
  }
  if (!step.batch.empty() || step.usesMatrices || nest.depth > 0) // most often there is nothing to find out
    if (Status status = planInstances(manifest, step, nest, symbols, dims.data() + launch.dimsAt,
                                      matrices.data() + launch.buffersAt, instanceValues, planned.instances))
      return status;
  if (planned.instances.count == 0) {
    rows = 0;
    return Status::success();
  }
  planned.isFolded = fold(launch, plan, index, planned);
  int64_t tasks;
  if (__builtin_mul_overflow(planned.instances.count, blockCount(rows, step.block), &tasks) ||
      __builtin_mul_overflow(tasks, runs, &tasks) || __builtin_add_overflow(taskCount, tasks, &taskCount))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": its blocks are more than 63 bits hold");
  stepCount += std::max<size_t>(step.sections.size(), 1);
  stepBufferCount += step.buffers.size();
  const StepCode &code = plan.target.module->code(stageOf(launch))[index];
  planned.tilesAt = findTiles(step, code, symbols, rows);
  if (ScratchFunction scratch = code.scratch) {
    int64_t bytes = scratch(symbols, std::min(step.block, rows));
    if (bytes < 0)
      return fail(NOVA_OUT_OF_MEMORY, "the scratch of step ", step.kernel, " is more than 63 bits hold");
    planned.scratch = bytes;
    scratchNeeded = std::max(scratchNeeded, bytes);
  }
  return Status::success();
}

/// Makes rows of the instances along the last axis of the batch, where each has one row and no other step goes along
/// with them one by one. Parts of a step have the same instances, so all of them or none are folded.
bool CallPlan::fold(const Launch &launch, const RunPlan &plan, size_t index, StepPlan &planned) const {
  const std::vector<Step> &list = stepsOf(launch);
  const Step &step = list[index];
  int64_t size;
  bool alone = !step.joins && (index + 1 == list.size() || !list[index + 1].joins);
  const bool isPart = launch.isTogether() && step.apart;
  const int64_t all = isPart ? dims[launch.dimsAt + manifestOf(launch).sequence.rows] : 0;
  if (!step.folds || !alone || (isPart && all != static_cast<int64_t>(launch.runCount)) || planned.rows != 1 ||
      planned.instances.loops == 0 || !step.batch.back().evaluate(symbolsOf(launch, plan, step), size) || size == 1)
    return false;
  planned.rows = size;
  if (isPart) // between its rows lie those of other sessions
    planned.rowStep = all;
  planned.instances.count /= static_cast<uint64_t>(size);
  --planned.instances.loops; // the innermost one comes first
  ++planned.instances.sizesAt;
  planned.instances.stridesAt += step.buffers.size();
  return true;
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
int64_t
CallPlan::findTiles(const Step &step, const StepCode &code, const int64_t *symbols, int64_t rows) {
  if (!tiles || !code.shapes || rows < kTileRows)
    return -1;
  shapes.resize(step.libraryTiles);
  code.shapes(symbols, shapes.data());
  auto at = static_cast<int64_t>(stepTiles.size());
  bool any = false;
  for (const ContractionShape &shape : shapes) {
    stepTiles.push_back(tiles->find(shape));
    any |= stepTiles.back() != nullptr;
  }
  return any ? at : -1;
}

/// In how many pieces threads should share what a launch of one block reads of a long state: where there are fewer of
/// them than threads, or so few that some would stand still at the end.
int64_t CallPlan::piecesOf(const Launch &launch, const Step &step, const StepPlan &planned, int32_t threads) const {
  constexpr uint64_t kManyLaunches = 4; // for each thread
  constexpr int64_t kFewestColumns = 2048;
  const auto workers = static_cast<uint64_t>(threads);
  if (step.sections.empty() || launch.isTogether() || !firstOf(launch).session || planned.rows == 0 ||
      planned.rows > step.block)
    return 1;
  for (const StepBuffer &given : step.buffers)
    if (manifestOf(launch).buffers[given.buffer].hasWindow) // of which rows see little
      return 1;
  const uint64_t units = launches.size() * planned.instances.count;
  if (units % workers == 0 || units >= kManyLaunches * workers)
    return 1;
  int64_t longest = 0, columns;
  for (const SectionSpec &section : step.sections)
    if (section.isCut && section.columns.evaluate(symbolsOf(launch, firstOf(launch), step), columns))
      longest = std::max(longest, columns);
  return std::clamp<int64_t>(longest / kFewestColumns, 1, threads);
}

Status CallPlan::allocateSections(int32_t threads) {
  int64_t needed = 0;
  for (const Launch &launch : launches) {
    size_t plannedAt = launch.stepsAt;
    for (const Step &step : stepsOf(launch))
      for (size_t part = 0; part < partsOf(launch, step); ++part) {
        StepPlan &planned = steps[plannedAt++];
        planned.pieces = threads > 1 ? piecesOf(launch, step, planned, threads) : 1;
        planned.sectionsAt = needed;
        if (planned.pieces > 1)
          needed = addBytes(
              needed, multiplyBytes(alignedBytes(planned.scratch), static_cast<int64_t>(planned.instances.count)));
      }
  }
  if (sectionMemory.growDiscarding(static_cast<size_t>(needed)))
    return Status::success();
  return fail(NOVA_OUT_OF_MEMORY, "cannot get ", needed, " bytes for the temporaries of run ",
              launches.front().firstRun);
}

/// Adds the step, or its sections one after the other.
void CallPlan::addCall(const Step &step, const StepPlan &planned, KernelCall call, Schedule &schedule) const {
  call.block = step.block; // all rows are one
  call.section.tiles = static_cast<char *>(sectionMemory.data()) + planned.sectionsAt;
  call.section.tileBytes = alignedBytes(planned.scratch);
  for (const SectionSpec &section : step.sections) {
    ++call.section.number;
    int64_t columns = 0;
    call.section.tasks = 1;
    if (section.isCut && section.columns.evaluate(call.dims, columns) && columns > 0) {
      int64_t units = (columns - 1) / section.unit + 1;
      int64_t each = (units - 1) / planned.pieces + 1;
      call.section.columns = each * section.unit;
      call.section.tasks = static_cast<uint64_t>((units - 1) / each + 1);
    }
    schedule.add(call);
  }
}

char *CallPlan::stagedResult(const Launch &launch, size_t result) const {
  return static_cast<char *>(staged.data()) + stagedOffsets[launch.stagedAt + result];
}

/// Where a buffer of the launch begins; states are those of the run.
void *CallPlan::bufferAddress(const Launch &launch, const RunPlan &plan, size_t buffer) const {
  const Manifest &manifest = manifestOf(launch);
  const BufferSpec &spec = manifest.buffers[buffer];
  switch (spec.kind) {
  case BufferKind::Argument:
    if (const Port &port = manifest.arguments[spec.index]; port.isParam)
      return plan.target.instance->params()[port.position].data;
    else if (launch.isTogether() && spec.hasRows)
      return static_cast<char *>(staged.data()) + offsets[launch.buffersAt + buffer];
    else
      return plan.run ? plan.run->arguments[port.position].data : nullptr;
  case BufferKind::Result:
    if (stagesResults(launch))
      return stagedResult(launch, spec.index);
    return plan.run ? plan.run->results[spec.index].data : nullptr;
  case BufferKind::Constant:
    return plan.target.module->constants()[buffer];
  case BufferKind::Prepared:
    return plan.target.instance->prepared(spec.index);
  case BufferKind::State:
    if (plan.session)
      return plan.session->state(spec.index);
    break;
  case BufferKind::Next:
    if (plan.session)
      return plan.session->next(spec.index);
    break;
  case BufferKind::Temporary:
    break;
  }
  return static_cast<char *>(slots[launch.slot].data()) + offsets[launch.buffersAt + buffer];
}

/// Where a step that is run for each run of a launch finds what is this run's: states, and rows behind those of the
/// runs before.
void *CallPlan::partAddress(const Launch &launch, const RunPlan &plan, size_t buffer) const {
  BufferKind kind = manifestOf(launch).buffers[buffer].kind;
  if (kind == BufferKind::State || kind == BufferKind::Next)
    return bufferAddress(launch, plan, buffer);
  return static_cast<char *>(buffers[launch.buffersAt + buffer]) + plan.firstRow * rowBytes[launch.buffersAt + buffer];
}

void CallPlan::fill(Schedule &schedule, int32_t threads) {
  schedule.begin(stepCount);
  stepBuffers.resize(stepBufferCount); // the schedule keeps addresses into it
  buffers.resize(offsets.size());
  size_t stepBufferAt = 0;
  for (const Launch &launch : launches) {
    for (size_t i = 0; i < manifestOf(launch).buffers.size(); ++i)
      buffers[launch.buffersAt + i] = bufferAddress(launch, firstOf(launch), i);
    if (launch.isTogether())
      gatherArguments(launch);
    fillSteps(launch, stepBufferAt, threads, schedule);
  }
}

/// Leaves and begins loops until the open one is `loop`.
void CallPlan::enterLoops(const Launch &launch, int32_t loop, int32_t &open, Schedule &schedule) const {
  const std::vector<Loop> &loops = manifestOf(launch).loops;
  auto isAround = [&](int32_t outer, int32_t inner) {
    return outer < 0 || (inner >= 0 && loops[outer].firstStep <= loops[inner].firstStep &&
                         loops[inner].endStep <= loops[outer].endStep && outer <= inner);
  };
  while (!isAround(open, loop)) {
    schedule.endLoop();
    open = loops[open].outer;
  }
  if (open == loop)
    return;
  enterLoops(launch, loops[loop].outer, open, schedule);
  schedule.beginLoop(static_cast<uint64_t>(repeats[launch.loopsAt + loop]));
  open = loop;
}

/// The rows of a block. Where a step has fewer blocks than there are threads, and few rows, they are cut for all of
/// them: each reads the same weights, at about the same time.
static int64_t blockOf(const Step &step, int64_t rows, uint64_t instances, int32_t threads) {
  constexpr int64_t kFewestRows = 4; // what generated code computes together
  if (!step.splits || rows > step.block || instances >= static_cast<uint64_t>(threads))
    return step.block;
  return std::min(step.block, std::max(kFewestRows, (rows - 1) / threads + 1));
}

void CallPlan::fillSteps(const Launch &launch, size_t &stepBufferAt, int32_t threads, Schedule &schedule) {
  int64_t group = launch.slotBytes > 0 ? slotLast[launch.slot] : -1;
  uint64_t groupInstances = 0; // none: the launch has no group yet
  bool waits = true;           // for all instances of everything before
  int32_t openLoop = -1;
  const Manifest &manifest = manifestOf(launch);
  const std::vector<StepCode> &code = firstOf(launch).target.module->code(stageOf(launch));
  size_t plannedAt = launch.stepsAt;
  for (uint32_t i = 0; i < stepsOf(launch).size(); ++i) {
    const Step &step = stepsOf(launch)[i];
    waits |= !step.joins; // also if it is not run: what joins it waits like it
    size_t parts = partsOf(launch, step);
    bool begun = false;
    for (size_t part = 0; part < parts; ++part) {
      const StepPlan &planned = steps[plannedAt++];
      const RunPlan &plan = plans[launch.firstRun + part];
      const Instances &instances = planned.instances;
      if (planned.rows == 0)
        continue;
      if (!begun) {
        bool sameLoop = step.loop == openLoop;
        // One instance that follows one is the same as joining, within a loop.
        bool alone = instances.count == 1 && groupInstances == 1 && sameLoop;
        if (!sameLoop)
          enterLoops(launch, step.loop, openLoop, schedule);
        if (groupInstances == 0 || (waits && !alone)) {
          group =
              schedule.beginGroup({instances.count, instances.loops, instanceValues.data() + instances.sizesAt}, group);
          groupInstances = instances.count;
        }
        waits = false;
      }
      void **own = stepBuffers.data() + stepBufferAt;
      stepBufferAt += step.buffers.size();
      for (size_t j = 0; j < step.buffers.size(); ++j)
        own[j] = step.apart && launch.isTogether() ? partAddress(launch, plan, step.buffers[j].buffer)
                                                   : buffers[launch.buffersAt + step.buffers[j].buffer];
      toBytes(launch, plan, step, instances.stridesAt, instances.loops, false);
      if (step.loop >= 0)
        toBytes(launch, plan, step, instances.loopStridesAt,
                step.buffers.empty() ? 0 : step.buffers[0].loopStrides.size(), true);
      const int64_t *symbols = symbolsOf(launch, plan, step);
      KernelCall call{code[i].kernel,
                      static_cast<uint32_t>(step.buffers.size()),
                      own,
                      instanceValues.data() + instances.stridesAt,
                      instanceValues.data() + instances.loopStridesAt,
                      symbols,
                      planned.rows,
                      planned.isFolded || planned.tilesAt >= 0 ? step.block
                                                               : blockOf(step, planned.rows, instances.count, threads),
                      step.descending,
                      {&manifest, &step, symbols, static_cast<uint32_t>(launch.firstRun + part), i},
                      code[i].shapes != nullptr,
                      planned.tilesAt < 0 ? nullptr : stepTiles.data() + planned.tilesAt,
                      step.folds,
                      planned.isFolded,
                      planned.rowStep,
                      !step.sections.empty()};
      if (planned.pieces > 1 && threads > 1)
        addCall(step, planned, call, schedule);
      else if (begun)
        schedule.addBeside(call);
      else
        schedule.add(call, /*hasBeside=*/parts > 1);
      begun = true;
    }
  }
  for (; openLoop >= 0; openLoop = manifest.loops[openLoop].outer)
    schedule.endLoop();
  if (launch.slotBytes > 0)
    slotLast[launch.slot] = group;
}

/// Turns strides that count matrices into bytes: those of the batch, or of the loops around the step.
void CallPlan::toBytes(const Launch &launch, const RunPlan &plan, const Step &step, size_t stridesAt, size_t loops,
                       bool aroundStep) {
  int64_t *strides = instanceValues.data() + stridesAt;
  for (size_t loop = 0; loop < loops; ++loop)
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const StepBuffer &given = step.buffers[i];
      if (!(aroundStep ? given.loopsInMatrices : given.inMatrices))
        continue;
      const BufferSpec &buffer = manifestOf(launch).buffers[given.buffer];
      bool inSession = plan.session && (buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next);
      strides[loop * step.buffers.size() + i] *= // less than what was allocated
          inSession ? plan.session->stateStride(buffer.index) : matrices[launch.buffersAt + given.buffer].stride;
    }
}
