//===- StateRows.h - The rows of a state, whatever its layout ---*- C++ -*-===//
//
// Kernels keep a state in the layout they read best (docs/module-format.md). Here its rows are dense and row-major, as
// a file holds them.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_STATEROWS_H
#define NOVA_RUNTIME_CORE_STATEROWS_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"

namespace nova::runtime {

/// Rows of a page, which a state may begin with at any layout.
constexpr int64_t kPageRows = 256;

/// One matrix of a state for the sizes of a session.
class StateRows {
public:
  /// `dims`: the symbols, with the session's rows as the whole. The failure is NOVA_MODULE_INVALID, for sizes that
  /// cannot be.
  static Status make(const BufferSpec &state, const int64_t *dims, StateRows &rows);

  int64_t count() const { return rowCount; }
  int64_t bytesPerRow() const { return columns * elementBytes; }

  /// The bytes at the beginning of a matrix that hold nothing but some of its first `rows` rows.
  int64_t prefixOf(int64_t rows) const;

  /// Copies row `row` of the matrix at `matrix` to `out`, or back.
  void read(const char *matrix, int64_t row, char *out) const;
  void write(char *matrix, int64_t row, const char *in) const;

private:
  /// Calls visit(offset in the matrix, offset in the row, bytes) for every piece of a row.
  template <typename Visit> void eachPiece(int64_t row, Visit visit) const;

  StateLayout layout = StateLayout::Rows;
  int64_t rowCount = 0, columns = 0, elementBytes = 0;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_STATEROWS_H
