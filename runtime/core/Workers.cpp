//===- Workers.cpp --------------------------------------------------------===//

#include "runtime/core/Workers.h"

#include <chrono>
#include <immintrin.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>

using namespace nova::runtime;

// Waking a sleeping thread takes about as long as a decode step over some hundred rows. So a helper that has nothing to
// do looks out for the next run before it goes back to oneTBB: this long, which a loop of decode steps keeps from
// ending.
constexpr std::chrono::microseconds kLookout{100};

/// Waits for a condition: without the kernel first, then leaving the core to whoever else wants it.
template <class Condition> static void spinUntil(Condition condition) {
  constexpr int kSpins = 1000;
  for (int spins = 0; !condition(); ++spins)
    spins < kSpins ? _mm_pause() : std::this_thread::yield();
}

/// Helpers are tasks of an arena that take part in one run after another. Each has a place of its own, so that a worker
/// stays on its thread, and the rows it has read in that core's cache. A run opens places; a helper closes its place
/// when it comes. When the caller has no more work itself it closes the other places and waits for those who came.
class Workers::Team : public std::enable_shared_from_this<Team> {
public:
  explicit Team(int32_t threads)
      : arena(threads), patient(threads <= tbb::info::default_concurrency()), places(new Place[size_t(threads)]) {
    // oneTBB makes no more threads than cores unless it is told that more are wanted. One control for the process, as
    // the lowest of several counts and what an arena asks beyond it is complained about on standard error.
    if (!patient)
      static tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kMostThreads);
  }

  void run(int32_t workers, void (*work)(void *, int32_t), void *workArgument) {
    body = work;
    argument = workArgument;
    finished.store(0, std::memory_order_relaxed);
    for (int32_t worker = 1; worker < workers; ++worker)
      callHelper(worker);
    work(workArgument, 0);
    int32_t came = 0;
    for (int32_t worker = 1; worker < workers; ++worker)
      came += !places[worker].open.exchange(false);
    spinUntil([&] { return finished.load(std::memory_order_acquire) == came; });
  }

  /// No helper runs code of this library after this; those that have not begun hold the team and will find it closed.
  void close() {
    closed.store(true);
    spinUntil([&] { return running.load() == 0; });
  }

private:
  struct alignas(64) Place {
    std::atomic<bool> open{false};  // a run wants the helper
    std::atomic<bool> taken{false}; // the helper looks out, takes part, or is on its way
  };

  void callHelper(int32_t worker) {
    // In sequentially consistent order: either this sees that the helper has left, or the helper, having left, sees
    // that the place is open.
    places[worker].open.store(true);
    if (places[worker].taken.exchange(true))
      return;
    handover.fetch_add(1, std::memory_order_release);
    try {
      arena.enqueue([self = shared_from_this(), worker] { self->help(worker); });
    } catch (...) {
      places[worker].taken.store(false); // no memory for oneTBB's own structures: a helper less
    }
  }

  void help(int32_t worker) {
    (void)handover.load(std::memory_order_acquire);
    Place &place = places[worker];
    running.fetch_add(1);
    do {
      while (!closed.load() && lookOut(worker)) {
      }
      place.taken.store(false);
    } while (!closed.load() && place.open.load() && !place.taken.exchange(true));
    running.fetch_sub(1);
  }

  /// Takes part in the next run. False if none comes.
  bool lookOut(int32_t worker) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point end = Clock::now() + kLookout;
    do {
      for (int i = 0; i < 64; ++i) {
        if (places[worker].open.load(std::memory_order_relaxed) && places[worker].open.exchange(false)) {
          body(argument, worker);
          finished.fetch_add(1, std::memory_order_release);
          return true;
        }
        _mm_pause();
      }
    } while (patient && !closed.load(std::memory_order_relaxed) && Clock::now() < end);
    return false;
  }

  tbb::task_arena arena;
  const bool patient;              // there is a core for each thread
  std::unique_ptr<Place[]> places; // by worker; the caller, worker 0, needs none
  // Of the run that is under way, or was last.
  void (*body)(void *argument, int32_t worker) = nullptr;
  void *argument = nullptr;
  alignas(64) std::atomic<int32_t> finished{0}; // helpers that have come and gone
  alignas(64) std::atomic<int32_t> running{0};  // helpers that run code of this library
  std::atomic<bool> closed{false};
  // Orders what was written before a helper is called and what it reads, as oneTBB does unseen by the thread sanitizer.
  std::atomic<int32_t> handover{0};
};

struct Workers::Job {
  Workers &workers;
  void (*body)(void *argument, int32_t worker);
  void *argument;
};

Workers::Workers(int32_t threads, nova_parallel_for_t hook, void *hookUser)
    : threads(threads > 0 ? threads : tbb::info::default_concurrency()), hook(hook), hookUser(hookUser) {}

Workers::~Workers() {
  if (team)
    team->close();
}

void Workers::runWorker(void *job, int32_t worker) {
  Job &own = *static_cast<Job *>(job);
  (void)own.workers.handover.load(std::memory_order_acquire);
  own.body(own.argument, worker);
  own.workers.handover.fetch_add(1, std::memory_order_release);
}

void Workers::run(int32_t workers, void (*body)(void *argument, int32_t worker), void *argument) {
  if (workers <= 1)
    return body(argument, 0);
  if (!hook) {
    try {
      if (!team)
        team = std::make_shared<Team>(threads);
    } catch (...) {
      return body(argument, 0); // no memory for the arena: alone
    }
    return team->run(workers, body, argument);
  }
  Job job{*this, body, argument};
  handover.fetch_add(1, std::memory_order_release);
  try {
    hook(hookUser, workers, runWorker, &job);
  } catch (...) {
    // What the hook has begun has ended, as a parallel_for waits for it.
  }
  (void)handover.load(std::memory_order_acquire);
  body(argument, 0); // what no worker has come to claim
}
