//===- Budget.h - Memory that several sessions share ------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_BUDGET_H
#define NOVA_RUNTIME_CORE_BUDGET_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace nova::runtime {

/// A limit on bytes. Any number of threads may use it at once.
class Budget {
public:
  explicit Budget(int64_t limit) : most(limit) {}

  int64_t limit() const { return most; }
  int64_t taken() const { return sum.load(std::memory_order_relaxed); }

  /// Takes so many bytes more. False, and nothing taken, where they would exceed the limit.
  [[nodiscard]] bool take(int64_t bytes) {
    int64_t before = taken();
    do
      if (bytes > most - before)
        return false;
    while (!sum.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void give(int64_t bytes) { sum.fetch_sub(bytes, std::memory_order_relaxed); }

private:
  const int64_t most;
  std::atomic<int64_t> sum{0};
};

/// What somebody has taken of a budget; goes back in the end. Without a budget anything may be taken.
class Reservation {
public:
  explicit Reservation(std::shared_ptr<Budget> budget) : owner(std::move(budget)) {}
  Reservation(Reservation &&other) noexcept : owner(std::move(other.owner)), bytes(std::exchange(other.bytes, 0)) {}
  Reservation &operator=(Reservation &&) = delete;
  ~Reservation() {
    if (owner)
      owner->give(bytes);
  }

  const std::shared_ptr<Budget> &budget() const { return owner; }
  int64_t size() const { return bytes; }

  /// Takes more, or gives some back, so that it is `needed` bytes. False, and nothing changed, where the budget has
  /// not that much.
  [[nodiscard]] bool resize(int64_t needed) {
    if (owner && needed > bytes && !owner->take(needed - bytes))
      return false;
    if (owner && needed < bytes)
      owner->give(bytes - needed);
    bytes = needed;
    return true;
  }

private:
  std::shared_ptr<Budget> owner;
  int64_t bytes = 0;
};

} // namespace nova::runtime

struct nova_budget_t {
  std::shared_ptr<nova::runtime::Budget> budget;
};

#endif // NOVA_RUNTIME_CORE_BUDGET_H
