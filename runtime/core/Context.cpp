//===- Context.cpp --------------------------------------------------------===//

#include "runtime/core/Context.h"

#include <algorithm>

using namespace nova::runtime;

// Below this traffic a call is over sooner than a sleeping thread has woken up.
constexpr double kParallelBytes = 64 << 10;

/// `check` fills the plan with what is to be run.
template <typename Check> Status Context::call(Check check) {
  std::lock_guard<std::mutex> lock(mutex);
  struct Finish { // also when memory for the plan itself runs out
    CallPlan &plan;
    ~Finish() { plan.finish(); }
  } finish{plan};

  if (Status status = check())
    return status;
  for (;;) {
    if (Status status = plan.allocate(workers.count()))
      return status;
    bool isParallel = workers.count() > 1 && plan.traffic() >= kParallelBytes;
    plan.fill(schedule, isParallel ? workers.count() : 1);
    if (Status status = work(isParallel ? static_cast<size_t>(workers.count()) : 1))
      return status;
    if (schedule.wasStopped())
      return fail(NOVA_CANCELLED, "the call was cancelled by nova_context_cancel");
    const Failure *failure = schedule.failure();
    if (!failure)
      break;
    if (!plan.runsTogether())
      return fail(failure->code(), plan.describe(*failure));
    if (Status status = plan.separate()) // to find out which run it is, and where in it
      return status;
  }
  plan.commit();
  return Status::success();
}

Status Context::work(size_t mostWorkers) {
  size_t workerCount = std::clamp<size_t>(schedule.taskCount(), 1, mostWorkers);
  if (Status status = growScratch(workerCount))
    return status;
  schedule.share(workerCount);
  workers.run(static_cast<int32_t>(workerCount), workerBody, this);
  schedule.eachTime([&](const std::string &kernel, uint64_t calls, uint64_t nanoseconds) {
    KernelTime &time = times[kernel];
    time.calls += static_cast<int64_t>(calls);
    time.nanoseconds += static_cast<int64_t>(nanoseconds);
  });
  return Status::success();
}

Status Context::run(const nova_run_t *runs, size_t count) {
  return call([&] { return plan.check(runs, count); });
}

Status Context::prepare(const ModuleInstance &instance) {
  return call([&] { return plan.checkPrepare(instance); });
}

Status Context::growScratch(size_t workerCount) {
  if (scratch.size() < workerCount)
    scratch.resize(workerCount);
  for (size_t worker = 0; worker < workerCount; ++worker)
    if (!scratch[worker].growDiscarding(static_cast<size_t>(plan.scratchBytes())))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", plan.scratchBytes(), " bytes of scratch for each of ", workerCount,
                  " threads");
  return Status::success();
}

void Context::workerBody(void *context, int32_t worker) {
  Context &self = *static_cast<Context *>(context);
  self.schedule.work(static_cast<size_t>(worker), self.scratch[static_cast<size_t>(worker)].data());
}

void Context::measure(bool on) {
  std::lock_guard<std::mutex> lock(mutex);
  schedule.measure(on);
  times.clear();
}

void Context::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  plan.trim();
  scratch.clear();
}
