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
  instanceValues.clear();
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
  plans.push_back({run, target, session, dims.size(), offsets.size(), steps.size(), stagedOffsets.size(), 0, 0});
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
    } else if (buffer.kind == BufferKind::State && plan.session) {
      if (Status status = plan.target.module->countMatrices(i, symbols, needed.count))
        return status;
    } else if (buffer.kind == BufferKind::Temporary || buffer.kind == BufferKind::State) {
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

Status CallPlan::planSteps(const RunPlan &plan) {
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
  if (ScratchFunction scratch = plan.target.module->code(plan.stage())[index].scratch) {
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
    const Manifest &manifest = plan.manifest();
    for (size_t i = 0; i < manifest.buffers.size(); ++i)
      buffers[plan.buffersAt + i] = bufferAddress(plan, i);
    fillSteps(plan, index, stepBufferAt, schedule);
  }
}

void CallPlan::fillSteps(const RunPlan &plan, uint32_t run, size_t &stepBufferAt, Schedule &schedule) {
  int64_t group = plan.slotBytes > 0 ? slotLast[plan.slot] : -1;
  uint64_t groupInstances = 0; // none: the run has no group yet
  bool waits = true;           // for all instances of everything before
  const std::vector<StepCode> &code = plan.target.module->code(plan.stage());
  for (uint32_t i = 0; i < plan.steps().size(); ++i) {
    const Step &step = plan.steps()[i];
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
    schedule.add({code[i].kernel, static_cast<uint32_t>(step.buffers.size()), own, byteStrides(plan, step, instances),
                  dims.data() + plan.dimsAt, planned.rows, step.block, step.descending, run, i});
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
      const BufferSpec &buffer = plan.manifest().buffers[given.buffer];
      bool inSession = buffer.kind == BufferKind::State && plan.session;
      strides[loop * step.buffers.size() + i] *= // less than what was allocated
          inSession ? plan.session->stateStride(buffer.index) : matrices[plan.buffersAt + given.buffer].stride;
    }
  return strides;
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

std::string CallPlan::describe(const KernelCall &call) const {
  const RunPlan &plan = plans[call.run];
  std::string text = concat("step ", plan.steps()[call.step].kernel, " of ", plan.manifest().graph);
  return plans.size() > 1 ? concat(text, ", run ", call.run) : text;
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
