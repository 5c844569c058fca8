//===- Context.h - Where calls are run --------------------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_CONTEXT_H
#define NOVA_RUNTIME_CORE_CONTEXT_H

#include "runtime/core/Buffer.h"
#include "runtime/core/CallPlan.h"
#include "runtime/core/Schedule.h"
#include "runtime/core/Workers.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace nova::runtime {

/// Threads, scratch and the memory of temporaries. Calls are serialised; everything a call needs is kept for the next
/// one, so that a steady state allocates nothing.
class Context {
public:
  /// `tiles`: those that contractions may use, or null for none.
  Context(int32_t threads, nova_parallel_for_t hook, void *hookUser, LibraryTiles *tiles)
      : workers(threads, hook, hookUser), plan(tiles) {
    schedule.stopAt(cancelled);
  }

  int32_t threads() const { return workers.count(); }

  /// Runs the list of nova_run.
  Status run(const nova_run_t *runs, size_t count);

  /// Gives idle memory back.
  void trim();

  /// Kernels of calls from here on are measured, or no longer; what was measured before is forgotten.
  void measure(bool on);

  /// What kernels have taken since, by name.
  struct KernelTime {
    int64_t calls = 0, nanoseconds = 0;
  };
  const std::map<std::string, KernelTime> &kernelTimes() const { return times; }

  /// Ends calls before their next task until further notice (`on`), or no longer. Does not wait for them.
  void cancel(bool on) { cancelled.store(on, std::memory_order_relaxed); }

  /// Runs the steps that prepare a new instance.
  Status prepare(const ModuleInstance &instance);

private:
  template <typename Check> Status call(Check check);
  Status work(size_t mostWorkers);
  Status growScratch(size_t workerCount);
  static void workerBody(void *context, int32_t worker);

  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  Workers workers;
  CallPlan plan;
  Schedule schedule;
  std::vector<Buffer> scratch; // by worker
  std::map<std::string, KernelTime> times;
};

} // namespace nova::runtime

struct nova_context_t {
  nova::runtime::Context context;
};

#endif // NOVA_RUNTIME_CORE_CONTEXT_H
