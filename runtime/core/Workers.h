//===- Workers.h - Threads for a context ------------------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_WORKERS_H
#define NOVA_RUNTIME_CORE_WORKERS_H

#include "nova/nova.h"

#include <atomic>
#include <memory>

namespace nova::runtime {

constexpr int32_t kMostThreads = 4096;

/// Runs a body on several threads: those of an oneTBB arena of its own, or the caller's parallel_for.
class Workers {
public:
  /// `threads` of 0 means one per core that this process may use.
  Workers(int32_t threads, nova_parallel_for_t hook, void *hookUser);
  ~Workers();

  int32_t count() const { return threads; }

  /// Calls body(argument, 0) on this thread and body(argument, w) for w in 1 .. workers, at most count(), on others,
  /// and returns when all that have begun have returned. Calls for other threads may begin late or be left out, with a
  /// caller's parallel_for all of them; body(argument, 0) comes last then. The body must be able to bear that. One run
  /// at a time.
  void run(int32_t workers, void (*body)(void *argument, int32_t worker), void *argument);

private:
  class Team;
  struct Job;
  static void runWorker(void *job, int32_t worker);

  int32_t threads;
  nova_parallel_for_t hook;
  void *hookUser;
  std::shared_ptr<Team> team; // made at first use; helpers keep it alive
  // Written before workers of a hook start and after each ends: what makes the caller's and the workers' memory visible
  // to each other, whatever the parallel_for does about that.
  std::atomic<uint32_t> handover{0};
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_WORKERS_H
