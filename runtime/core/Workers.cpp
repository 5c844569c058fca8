//===- Workers.cpp --------------------------------------------------------===//

#include "runtime/core/Workers.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <optional>

using namespace nova::runtime;

struct Workers::Arena {
  explicit Arena(int32_t threads) : arena(threads) {
    // oneTBB makes no more threads than cores unless it is told that more are wanted.
    if (threads > tbb::info::default_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  }
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

Workers::Workers(int32_t threads, nova_parallel_for_t hook, void *hookUser)
    : threads(threads > 0 ? threads : tbb::info::default_concurrency()), hook(hook), hookUser(hookUser) {}

Workers::~Workers() = default;

struct Workers::Job {
  Workers &workers;
  void (*body)(void *argument, int32_t worker);
  void *argument;
};

void Workers::runWorker(void *job, int32_t worker) {
  Job &own = *static_cast<Job *>(job);
  (void)own.workers.handover.load(std::memory_order_acquire);
  own.body(own.argument, worker);
  own.workers.handover.fetch_add(1, std::memory_order_release);
}

void Workers::run(int32_t workers, void (*body)(void *argument, int32_t worker), void *argument) {
  Job job{*this, body, argument};
  handover.fetch_add(1, std::memory_order_release);
  try {
    if (hook) {
      hook(hookUser, workers, runWorker, &job);
    } else {
      if (!arena)
        arena = std::make_unique<Arena>(threads);
      arena->arena.execute([&] {
        tbb::parallel_for(
            int32_t{0}, workers, [&job](int32_t worker) { runWorker(&job, worker); }, tbb::simple_partitioner());
      });
    }
  } catch (...) {
    // No memory for oneTBB's own structures. What has begun has ended, as parallel_for waits for it.
  }
  (void)handover.load(std::memory_order_acquire);
}
