// Cutting tensors along an axis and joining them again: what feeding a session row by row needs.
#ifndef NOVA_TOOLS_NOVA_ROWS_H
#define NOVA_TOOLS_NOVA_ROWS_H

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/ArrayRef.h"

namespace nova::tool {
/// Entries [begin, begin + count) of `axis`, which must lie within it.
reference::Tensor takeRows(const reference::Tensor &from, unsigned axis, int64_t begin, int64_t count);
/// Puts `part` into `whole` from `begin` on along `axis`; all other sizes must agree.
void putRows(const reference::Tensor &part, reference::Tensor &whole, unsigned axis, int64_t begin);

/// The pieces in which a session takes `rows` rows: `chunks` rows each, the last number again and again until all are
/// taken; one by one without chunks. Of 0 rows there is one piece of 0: it makes the results that have no rows.
class Pieces {
public:
  Pieces(int64_t rows, llvm::ArrayRef<int64_t> chunks) : left(rows), chunks(chunks) {}
  /// The rows of the next piece; none after the last.
  std::optional<int64_t> next();

private:
  int64_t left;
  llvm::ArrayRef<int64_t> chunks;
  bool begun = false;
};
} // namespace nova::tool

#endif
