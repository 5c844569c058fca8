//===- CallPlan.cpp -------------------------------------------------------===//

#include "runtime/core/CallPlan.h"
#include "runtime/core/EntryCheck.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

void CallPlan::clear(size_t count) {
  plans.clear();
  plans.reserve(count); // so that a claimed session is always noted
  dims.clear();
  offsets.clear();
  matrices.clear();
  stagedOffsets.clear();
  steps.clear();
  repeats.clear();
  instanceValues.clear();
  stepTiles.clear();
  overlap.clear();
  stepCount = stepBufferCount = 0;
  taskCount = scratchNeeded = stagedNeeded = 0;
  trafficBytes = 0;
}

Status CallPlan::check(const nova_run_t *runs, size_t count) {
  if (count > UINT32_MAX)
    return fail(NOVA_INVALID_ARGUMENT, "expected at most ", UINT32_MAX, " runs, found ", count);
  clear(count);
  for (uint32_t i = 0; i < count; ++i)
    if (Status status = checkRun(runs[i], i)) {
      if (count == 1)
        return status;
      return fail(status.code(), "run ", i, ", ", status.message());
    }
  return overlap.check();
}

Status CallPlan::checkPrepare(const ModuleInstance &instance) {
  clear(1);
  RunPlan &plan = addPlan(nullptr, {instance.module().get(), &instance}, nullptr);
  std::copy(instance.dims().begin(), instance.dims().end(), dims.begin());
  if (Status status = planMemory(plan))
    return status;
  return planSteps(plan);
}

CallPlan::RunPlan &CallPlan::addPlan(const nova_run_t *run, const RunTarget &target, Session *session) {
  plans.push_back(
      {run, target, session, dims.size(), offsets.size(), steps.size(), repeats.size(), stagedOffsets.size(), 0, 0});
  dims.resize(dims.size() + target.module->manifest().symbols.size());
  return plans.back();
}

Status CallPlan::checkRun(const nova_run_t &run, uint32_t index) {
  Session *session = run.session ? &run.session->session : nullptr;
  RunTarget target;
  if (Status status = findTarget(run.module, run.instance, session, target))
    return status;
  const Manifest &manifest = target.module->manifest();
  if (session && !session->claim())
    return fail(NOVA_INVALID_ARGUMENT, "the session already takes part in this or another call");

  // From here on `finish` knows of the session.
  RunPlan &plan = addPlan(&run, target, session);
  int64_t *symbols = dims.data() + plan.dimsAt;
  SessionSizes sizes{};
  if (session)
    sizes = session->sizes();
  if (Status status = checkArguments(manifest, session ? &sizes : nullptr, target.params(), run.arguments,
                                     run.num_arguments, DataCheck::Required, symbols))
    return status;
  if (Status status = checkResults(manifest, session != nullptr, run.results, run.num_results, symbols))
    return status;
  noteTensors(plan, index);
  if (Status status = planMemory(plan))
    return status;
  return planSteps(plan);
}

void CallPlan::noteTensors(const RunPlan &plan, uint32_t index) {
  auto note = [&](const nova_tensor_t &tensor, const Port &port, OverlapCheck::Role role) {
    int64_t bytes = checkedBytes(tensor);
    if (role != OverlapCheck::Role::Param) // the instance knows which of them a run reads
      trafficBytes += static_cast<double>(bytes);
    if (bytes == 0)
      return;
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    overlap.add({begin, begin + static_cast<uintptr_t>(bytes), &port.name, index, role});
  };
  const Manifest &manifest = plan.manifest();
  // Many runs of one instance, one after the other, have its params in common.
  bool isNew = index == 0 || plans[index - 1].target.instance != plan.target.instance;
  for (const Port &port : manifest.arguments)
    if (!port.isParam)
      note(plan.run->arguments[port.position], port, OverlapCheck::Role::Argument);
    else if (isNew)
      note(plan.target.instance->params()[port.position], port, OverlapCheck::Role::Param);
  for (size_t i = 0; i < manifest.results.size(); ++i)
    note(plan.run->results[i], manifest.results[i], OverlapCheck::Role::Result);
}

Status CallPlan::planMemory(RunPlan &plan) {
  const Manifest &manifest = plan.manifest();
  const int64_t *symbols = dims.data() + plan.dimsAt;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferSpec &buffer = manifest.buffers[i];
    Matrices &needed = matrices.emplace_back();
    offsets.push_back(0);
    if (buffer.kind == BufferKind::Prepared) {
      needed = plan.target.instance->matrices(buffer.index);
    } else if (!plan.run) {
      continue; // what is prepared depends on nothing else
    } else if ((buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next) && plan.session) {
      if (Status status = plan.target.module->countMatrices(i, symbols, needed.count))
        return status;
    } else if (buffer.hasMatrices()) {
      if (Status status = plan.target.module->findMatrices(i, symbols, needed))
        return status;
      offsets.back() = plan.slotBytes;
      plan.slotBytes = addBytes(plan.slotBytes, needed.bytes());
      trafficBytes += static_cast<double>(needed.bytes());
    }
  }
  if (plan.stagesResults())
    for (size_t i = 0; i < manifest.results.size(); ++i) {
      stagedOffsets.push_back(stagedNeeded);
      stagedNeeded = addBytes(stagedNeeded, alignedBytes(checkedBytes(plan.run->results[i])));
    }
  if (plan.target.instance)
    trafficBytes += plan.target.instance->traffic(plan.stage());
  if (plan.session)
    trafficBytes += static_cast<double>(plan.session->bytesInUse(symbols[manifest.sequence.whole]));
  return Status::success();
}

Status CallPlan::planLoops(const RunPlan &plan) {
  if (!plan.run)
    return Status::success();
  const int64_t *symbols = dims.data() + plan.dimsAt;
  for (const Loop &loop : plan.manifest().loops) {
    int64_t &count = repeats.emplace_back();
    if (!loop.repeats.evaluate(symbols, count))
      return fail(NOVA_SHAPE_MISMATCH, "a loop: ", loop.repeats.text(), " is more than 63 bits hold");
    if (count < 0)
      return fail(NOVA_MODULE_INVALID, "a loop: expected ", loop.repeats.text(), " to be 0 or more, found ", count);
  }
  return Status::success();
}

LoopNest CallPlan::nestOf(const RunPlan &plan, const Step &step) const {
  LoopNest nest;
  for (int32_t loop = step.loop; loop >= 0; loop = plan.manifest().loops[loop].outer)
    nest.repeats[nest.depth++] = repeats[plan.loopsAt + loop];
  std::reverse(nest.repeats, nest.repeats + nest.depth);
  return nest;
}

Status CallPlan::planSteps(const RunPlan &plan) {
  if (Status status = planLoops(plan))
    return status;
  for (size_t i = 0; i < plan.steps().size(); ++i)
    if (Status status = planStep(plan, i, steps.emplace_back()))
      return status;
  return Status::success();
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
Status
CallPlan::planStep(const RunPlan &plan, size_t index, StepPlan &planned) {
  const Manifest &manifest = plan.manifest();
  const Step &step = plan.steps()[index];
  const int64_t *symbols = dims.data() + plan.dimsAt;
  int64_t &rows = planned.rows;
  planned.tilesAt = -1;
  planned.isFolded = false;
  if (!step.rows.evaluate(symbols, rows))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": ", step.rows.text(), " is more than 63 bits hold");
  if (rows < 0)
    return fail(NOVA_MODULE_INVALID, "step ", step.kernel, ": expected ", step.rows.text(),
                " rows to be 0 or more, found ", rows);
  if (rows == 0)
    return Status::success();
  LoopNest nest = nestOf(plan, step);
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
    if (Status status = planInstances(manifest, step, nest, symbols, matrices.data() + plan.buffersAt, instanceValues,
                                      planned.instances))
      return status;
  if (planned.instances.count == 0) {
    rows = 0;
    return Status::success();
  }
  planned.isFolded = fold(plan, index, planned);
  int64_t tasks;
  if (__builtin_mul_overflow(planned.instances.count, blockCount(rows, step.block), &tasks) ||
      __builtin_mul_overflow(tasks, runs, &tasks) || __builtin_add_overflow(taskCount, tasks, &taskCount))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": its blocks are more than 63 bits hold");
  ++stepCount;
  stepBufferCount += step.buffers.size();
  const StepCode &code = plan.target.module->code(plan.stage())[index];
  planned.tilesAt = findTiles(step, code, symbols, rows);
  if (ScratchFunction scratch = code.scratch) {
    int64_t bytes = scratch(symbols, std::min(step.block, rows));
    if (bytes < 0)
      return fail(NOVA_OUT_OF_MEMORY, "the scratch of step ", step.kernel, " is more than 63 bits hold");
    scratchNeeded = std::max(scratchNeeded, bytes);
  }
  return Status::success();
}

/// Makes rows of the instances along the last axis of the batch, where each has one row and no other step goes along
/// with them one by one.
bool CallPlan::fold(const RunPlan &plan, size_t index, StepPlan &planned) const {
  const Step &step = plan.steps()[index];
  int64_t size;
  bool alone = !step.joins && (index + 1 == plan.steps().size() || !plan.steps()[index + 1].joins);
  if (!step.folds || !alone || planned.rows != 1 || planned.instances.loops == 0 ||
      !step.batch.back().evaluate(dims.data() + plan.dimsAt, size) || size == 1)
    return false;
  planned.rows = size;
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

Status CallPlan::allocate(int32_t threads) {
  // More runs than this are never under way at once, so their temporaries share memory, and stay in cache. One worker
  // ends a run before it begins the next.
  size_t slotCount = threads == 1 ? 1 : 2 * static_cast<size_t>(threads);
  slotCount = std::min(slotCount, plans.size());
  if (slots.size() < slotCount)
    slots.resize(slotCount);
  slotLast.assign(slotCount, -1);
  for (size_t i = 0; i < plans.size(); ++i) {
    RunPlan &plan = plans[i];
    plan.slot = i % slotCount;
    if (!slots[plan.slot].growDiscarding(static_cast<size_t>(plan.slotBytes)))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", plan.slotBytes, " bytes for the temporaries of run ", i);
    if (plan.session)
      if (Status status = plan.session->makeRoom(dims.data() + plan.dimsAt))
        return status;
  }
  if (!staged.growDiscarding(static_cast<size_t>(stagedNeeded)))
    return fail(NOVA_OUT_OF_MEMORY, "cannot get ", stagedNeeded, " bytes for staged results");
  return Status::success();
}

void *CallPlan::stagedResult(const RunPlan &plan, size_t result) const {
  return static_cast<char *>(staged.data()) + stagedOffsets[plan.stagedAt + result];
}

void *CallPlan::bufferAddress(const RunPlan &plan, size_t buffer) const {
  const Manifest &manifest = plan.manifest();
  const BufferSpec &spec = manifest.buffers[buffer];
  switch (spec.kind) {
  case BufferKind::Argument:
    if (const Port &port = manifest.arguments[spec.index]; port.isParam)
      return plan.target.instance->params()[port.position].data;
    else
      return plan.run ? plan.run->arguments[port.position].data : nullptr;
  case BufferKind::Result:
    if (plan.stagesResults())
      return stagedResult(plan, spec.index);
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
  return static_cast<char *>(slots[plan.slot].data()) + offsets[plan.buffersAt + buffer];
}

void CallPlan::fill(Schedule &schedule) {
  schedule.begin(stepCount);
  stepBuffers.resize(stepBufferCount); // the schedule keeps addresses into it
  buffers.resize(offsets.size());
  size_t stepBufferAt = 0;
  for (uint32_t index = 0; index < plans.size(); ++index) {
    const RunPlan &plan = plans[index];
    const Manifest &manifest = plan.manifest();
    for (size_t i = 0; i < manifest.buffers.size(); ++i)
      buffers[plan.buffersAt + i] = bufferAddress(plan, i);
    fillSteps(plan, index, stepBufferAt, schedule);
  }
}

/// Leaves and begins loops until the open one is `loop`.
void CallPlan::enterLoops(const RunPlan &plan, int32_t loop, int32_t &open, Schedule &schedule) const {
  const std::vector<Loop> &loops = plan.manifest().loops;
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
  enterLoops(plan, loops[loop].outer, open, schedule);
  schedule.beginLoop(static_cast<uint64_t>(repeats[plan.loopsAt + loop]));
  open = loop;
}

void CallPlan::fillSteps(const RunPlan &plan, uint32_t run, size_t &stepBufferAt, Schedule &schedule) {
  int64_t group = plan.slotBytes > 0 ? slotLast[plan.slot] : -1;
  uint64_t groupInstances = 0; // none: the run has no group yet
  bool waits = true;           // for all instances of everything before
  int32_t openLoop = -1;
  const std::vector<StepCode> &code = plan.target.module->code(plan.stage());
  for (uint32_t i = 0; i < plan.steps().size(); ++i) {
    const Step &step = plan.steps()[i];
    const StepPlan &planned = steps[plan.stepsAt + i];
    const Instances &instances = planned.instances;
    waits |= !step.joins; // also if it is not run: what joins it waits like it
    if (planned.rows == 0)
      continue;
    bool sameLoop = step.loop == openLoop;
    // One instance that follows one is the same as joining, within a loop.
    bool alone = instances.count == 1 && groupInstances == 1 && sameLoop;
    if (!sameLoop)
      enterLoops(plan, step.loop, openLoop, schedule);
    if (groupInstances == 0 || (waits && !alone)) {
      group = schedule.beginGroup({instances.count, instances.loops, instanceValues.data() + instances.sizesAt}, group);
      groupInstances = instances.count;
    }
    waits = false;
    void **own = stepBuffers.data() + stepBufferAt;
    stepBufferAt += step.buffers.size();
    for (size_t j = 0; j < step.buffers.size(); ++j)
      own[j] = buffers[plan.buffersAt + step.buffers[j].buffer];
    toBytes(plan, step, instances.stridesAt, instances.loops, false);
    if (step.loop >= 0)
      toBytes(plan, step, instances.loopStridesAt, step.buffers.empty() ? 0 : step.buffers[0].loopStrides.size(), true);
    schedule.add({code[i].kernel,
                  static_cast<uint32_t>(step.buffers.size()),
                  own,
                  instanceValues.data() + instances.stridesAt,
                  instanceValues.data() + instances.loopStridesAt,
                  dims.data() + plan.dimsAt,
                  planned.rows,
                  step.block,
                  step.descending,
                  {&plan.manifest(), &step, dims.data() + plan.dimsAt, run, i},
                  code[i].shapes != nullptr,
                  planned.tilesAt < 0 ? nullptr : stepTiles.data() + planned.tilesAt,
                  step.folds,
                  planned.isFolded});
  }
  for (; openLoop >= 0; openLoop = plan.manifest().loops[openLoop].outer)
    schedule.endLoop();
  if (plan.slotBytes > 0)
    slotLast[plan.slot] = group;
}

/// Turns strides that count matrices into bytes: those of the batch, or of the loops around the step.
void CallPlan::toBytes(const RunPlan &plan, const Step &step, size_t stridesAt, size_t loops, bool aroundStep) {
  int64_t *strides = instanceValues.data() + stridesAt;
  for (size_t loop = 0; loop < loops; ++loop)
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const StepBuffer &given = step.buffers[i];
      if (!(aroundStep ? given.loopsInMatrices : given.inMatrices))
        continue;
      const BufferSpec &buffer = plan.manifest().buffers[given.buffer];
      bool inSession = plan.session && (buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next);
      strides[loop * step.buffers.size() + i] *= // less than what was allocated
          inSession ? plan.session->stateStride(buffer.index) : matrices[plan.buffersAt + given.buffer].stride;
    }
}

void CallPlan::commit() {
  for (const RunPlan &plan : plans) {
    const Manifest &manifest = plan.manifest();
    for (size_t i = 0; plan.stagesResults() && i < manifest.results.size(); ++i)
      if (int64_t bytes = checkedBytes(plan.run->results[i]))
        std::memcpy(plan.run->results[i].data, stagedResult(plan, i), static_cast<size_t>(bytes));
    if (plan.session)
      plan.session->advance(dims.data() + plan.dimsAt);
  }
}

std::string CallPlan::describe(const Failure &failure) const {
  return plans.size() > 1 ? concat("run ", failure.run(), ", ", failure.text()) : failure.text();
}

void CallPlan::finish() {
  for (const RunPlan &plan : plans)
    if (plan.session)
      plan.session->unclaim();
  plans.clear();
}

void CallPlan::trim() {
  slots.clear();
  staged.clear();
}
