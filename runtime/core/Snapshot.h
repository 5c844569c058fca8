//===- Snapshot.h - Rows that several sessions have in common ---*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_SNAPSHOT_H
#define NOVA_RUNTIME_CORE_SNAPSHOT_H

#include "runtime/core/Budget.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nova::runtime {

/// Mappings begin and end at multiples of this.
constexpr int64_t kSystemPage = 4096;
/// Matrices of a state that are smaller are copied sooner than they are mapped.
constexpr int64_t kShareFrom = 64 << 10;

/// Memory that any number of sessions map. What a session writes there becomes its own, page by page: the system copies
/// a page when it is first written. Immutable once it is filled; any number of threads may map it.
class Snapshot {
public:
  /// Of each state the bytes that are kept of every matrix, a multiple of kSystemPage, and how many matrices.
  struct Part {
    int64_t prefix, matrices;
  };

  /// Null if there is no memory, or not that much in the budget, which may be null.
  static std::shared_ptr<Snapshot> make(std::vector<Part> parts, std::shared_ptr<Budget> budget);
  ~Snapshot();

  const Part &part(uint32_t state) const { return parts[state]; }

  /// Fills a matrix's part. False if there is no memory.
  bool write(uint32_t state, int64_t matrix, const void *from);

  /// Puts the first `bytes` of a matrix's part in the place of the memory at `target`, both multiples of kSystemPage.
  /// False if the system refuses; what is at `target` is then unspecified.
  bool map(uint32_t state, int64_t matrix, int64_t bytes, void *target) const;

private:
  Snapshot(int file, std::vector<Part> parts, std::shared_ptr<Budget> budget)
      : file(file), parts(std::move(parts)), reservation(std::move(budget)) {}
  int64_t offsetOf(uint32_t state, int64_t matrix) const;

  int file;
  std::vector<Part> parts;
  Reservation reservation;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_SNAPSHOT_H
