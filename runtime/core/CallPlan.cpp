//===- CallPlan.cpp -------------------------------------------------------===//

#include "runtime/core/CallPlan.h"
#include "runtime/core/EntryCheck.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

/// Adds saturating: a sum that saturates is refused by the allocation that asks for it.
static int64_t addBytes(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// The bytes of a tensor that the entry check has let pass.
static int64_t checkedBytes(const nova_tensor_t &tensor) {
  int64_t bytes = 0;
  return denseBytes(tensor.dims, tensor.rank, nova_type_size(tensor.type), bytes) ? bytes : 0;
}

Status CallPlan::check(const nova_run_t *runs, size_t count) {
  if (count > UINT32_MAX)
    return fail(NOVA_INVALID_ARGUMENT, "expected at most ", UINT32_MAX, " runs, found ", count);
  plans.clear();
  plans.reserve(count); // so that a claimed session is always noted
  dims.clear();
  offsets.clear();
  matrices.clear();
  stagedOffsets.clear();
  steps.clear();
  instanceValues.clear();
  overlap.clear();
  stepCount = stepBufferCount = 0;
  taskCount = scratchNeeded = stagedNeeded = 0;
  trafficBytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (Status status = checkRun(runs[i], i)) {
      if (count == 1)
        return status;
      return fail(status.code(), "run ", i, ", ", status.message());
    }
  return overlap.check();
}

Status CallPlan::checkRun(const nova_run_t &run, uint32_t index) {
  Session *session = run.session ? &run.session->session : nullptr;
  if (!run.module && !session)
    return fail(NOVA_INVALID_ARGUMENT, "the module is null");
  const Module &module = run.module ? *run.module->module : *session->module();
  const Manifest &manifest = module.manifest();
  if (session && session->module().get() != &module)
    return fail(NOVA_INVALID_ARGUMENT, "the session belongs to another module");
  if (session && !session->claim())
    return fail(NOVA_INVALID_ARGUMENT, "the session already takes part in this or another call");

  // From here on `finish` knows of the session.
  plans.push_back({&run, &module, session, dims.size(), offsets.size(), steps.size(), stagedOffsets.size(), 0, 0});
  RunPlan &plan = plans.back();
  dims.resize(dims.size() + manifest.symbols.size());
  int64_t *symbols = dims.data() + plan.dimsAt;
  SessionSizes sizes{};
  if (session)
    sizes = session->sizes();
  if (Status status = checkArguments(manifest, session ? &sizes : nullptr, run.arguments, run.num_arguments,
                                     DataCheck::Required, symbols))
    return status;
  if (Status status = checkResults(manifest, session != nullptr, run.results, run.num_results, symbols))
    return status;
  noteTensors(plan, index);
  if (Status status = planMemory(plan))
    return status;
  return planSteps(plan);
}

void CallPlan::noteTensors(const RunPlan &plan, uint32_t index) {
  auto note = [&](const nova_tensor_t &tensor, const Port &port, bool isResult) {
    int64_t bytes = checkedBytes(tensor);
    trafficBytes += static_cast<double>(bytes);
    if (bytes == 0)
      return;
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    overlap.add({begin, begin + static_cast<uintptr_t>(bytes), &port.name, index, isResult});
  };
  const Manifest &manifest = plan.module->manifest();
  for (size_t i = 0; i < manifest.arguments.size(); ++i)
    note(plan.run->arguments[i], manifest.arguments[i], false);
  for (size_t i = 0; i < manifest.results.size(); ++i)
    note(plan.run->results[i], manifest.results[i], true);
}

Status CallPlan::planMemory(RunPlan &plan) {
  const Manifest &manifest = plan.module->manifest();
  const int64_t *symbols = dims.data() + plan.dimsAt;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferSpec &buffer = manifest.buffers[i];
    Matrices &needed = matrices.emplace_back();
    offsets.push_back(0);
    if (buffer.kind == BufferKind::State && plan.session) {
      if (Status status = plan.module->countMatrices(i, symbols, needed.count))
        return status;
    } else if (buffer.kind == BufferKind::Temporary || buffer.kind == BufferKind::State) {
      if (Status status = plan.module->findMatrices(i, symbols, needed))
        return status;
      offsets.back() = plan.slotBytes;
      plan.slotBytes = addBytes(plan.slotBytes, needed.bytes());
      trafficBytes += static_cast<double>(needed.bytes());
    }
  }
  if (manifest.canFail)
    for (size_t i = 0; i < manifest.results.size(); ++i) {
      stagedOffsets.push_back(stagedNeeded);
      stagedNeeded = addBytes(stagedNeeded, alignedBytes(checkedBytes(plan.run->results[i])));
    }
  if (plan.session)
    trafficBytes += static_cast<double>(plan.session->bytesInUse(symbols[manifest.sequence.whole]));
  return Status::success();
}

Status CallPlan::planSteps(const RunPlan &plan) {
  for (size_t i = 0; i < plan.module->manifest().steps.size(); ++i)
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
  const Manifest &manifest = plan.module->manifest();
  const Step &step = manifest.steps[index];
  const int64_t *symbols = dims.data() + plan.dimsAt;
  int64_t &rows = planned.rows;
  if (!step.rows.evaluate(symbols, rows))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": ", step.rows.text(), " is more than 63 bits hold");
  if (rows < 0)
    return fail(NOVA_MODULE_INVALID, "step ", step.kernel, ": expected ", step.rows.text(),
                " rows to be 0 or more, found ", rows);
  if (rows == 0)
    return Status::success();
  if (!step.batch.empty() || step.usesMatrices) // most often there is one instance and nothing to find out
    if (Status status =
            planInstances(manifest, step, symbols, matrices.data() + plan.buffersAt, instanceValues, planned.instances))
      return status;
  if (planned.instances.count == 0) {
    rows = 0;
    return Status::success();
  }
  int64_t tasks;
  if (__builtin_mul_overflow(planned.instances.count, blockCount(rows, step.block), &tasks) ||
      __builtin_add_overflow(taskCount, tasks, &taskCount))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": its blocks are more than 63 bits hold");
  ++stepCount;
  stepBufferCount += step.buffers.size();
  if (ScratchFunction scratch = plan.module->code()[index].scratch) {
    int64_t bytes = scratch(symbols, std::min(step.block, rows));
    if (bytes < 0)
      return fail(NOVA_OUT_OF_MEMORY, "the scratch of step ", step.kernel, " is more than 63 bits hold");
    scratchNeeded = std::max(scratchNeeded, bytes);
  }
  return Status::success();
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
  const Manifest &manifest = plan.module->manifest();
  const BufferSpec &spec = manifest.buffers[buffer];
  switch (spec.kind) {
  case BufferKind::Argument:
    return plan.run->arguments[spec.index].data;
  case BufferKind::Result:
    return manifest.canFail ? stagedResult(plan, spec.index) : plan.run->results[spec.index].data;
  case BufferKind::Constant:
    return plan.module->constants()[buffer];
  case BufferKind::State:
    if (plan.session)
      return plan.session->state(spec.index);
    [[fallthrough]];
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
    const Manifest &manifest = plan.module->manifest();
    for (size_t i = 0; i < manifest.buffers.size(); ++i)
      buffers[plan.buffersAt + i] = bufferAddress(plan, i);
    fillSteps(plan, index, stepBufferAt, schedule);
  }
}

void CallPlan::fillSteps(const RunPlan &plan, uint32_t run, size_t &stepBufferAt, Schedule &schedule) {
  const Manifest &manifest = plan.module->manifest();
  int64_t group = plan.slotBytes > 0 ? slotLast[plan.slot] : -1;
  uint64_t groupInstances = 0; // none: the run has no group yet
  bool waits = true;           // for all instances of everything before
  for (uint32_t i = 0; i < manifest.steps.size(); ++i) {
    const Step &step = manifest.steps[i];
    const StepPlan &planned = steps[plan.stepsAt + i];
    const Instances &instances = planned.instances;
    waits |= !step.joins; // also if it is not run: what joins it waits like it
    if (planned.rows == 0)
      continue;
    bool alone = instances.count == 1 && groupInstances == 1; // one instance that follows one: the same as joining
    if (groupInstances == 0 || (waits && !alone)) {
      group = schedule.beginGroup({instances.count, instances.loops, instanceValues.data() + instances.sizesAt}, group);
      groupInstances = instances.count;
    }
    waits = false;
    void **own = stepBuffers.data() + stepBufferAt;
    stepBufferAt += step.buffers.size();
    for (size_t j = 0; j < step.buffers.size(); ++j)
      own[j] = buffers[plan.buffersAt + step.buffers[j].buffer];
    schedule.add({plan.module->code()[i].kernel, static_cast<uint32_t>(step.buffers.size()), own,
                  byteStrides(plan, step, instances), dims.data() + plan.dimsAt, planned.rows, step.block,
                  step.descending, run, i});
  }
  if (plan.slotBytes > 0)
    slotLast[plan.slot] = group;
}

const int64_t *CallPlan::byteStrides(const RunPlan &plan, const Step &step, const Instances &instances) {
  int64_t *strides = instanceValues.data() + instances.stridesAt;
  for (uint32_t loop = 0; loop < instances.loops; ++loop)
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const StepBuffer &given = step.buffers[i];
      if (!given.inMatrices)
        continue;
      const BufferSpec &buffer = plan.module->manifest().buffers[given.buffer];
      bool inSession = buffer.kind == BufferKind::State && plan.session;
      strides[loop * step.buffers.size() + i] *= // less than what was allocated
          inSession ? plan.session->stateStride(buffer.index) : matrices[plan.buffersAt + given.buffer].stride;
    }
  return strides;
}

void CallPlan::commit() {
  for (const RunPlan &plan : plans) {
    const Manifest &manifest = plan.module->manifest();
    for (size_t i = 0; manifest.canFail && i < manifest.results.size(); ++i)
      if (int64_t bytes = checkedBytes(plan.run->results[i]))
        std::memcpy(plan.run->results[i].data, stagedResult(plan, i), static_cast<size_t>(bytes));
    if (plan.session)
      plan.session->advance(dims.data() + plan.dimsAt);
  }
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
