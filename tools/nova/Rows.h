// Cutting tensors along an axis and joining them again: what feeding a session row by row needs.
#ifndef NOVA_TOOLS_NOVA_ROWS_H
#define NOVA_TOOLS_NOVA_ROWS_H

#include "compiler/reference/Tensor.h"

namespace nova::tool {
/// Entries [begin, begin + count) of `axis`, which must lie within it.
reference::Tensor takeRows(const reference::Tensor &from, unsigned axis, int64_t begin, int64_t count);
/// Puts `part` into `whole` from `begin` on along `axis`; all other sizes must agree.
void putRows(const reference::Tensor &part, reference::Tensor &whole, unsigned axis, int64_t begin);
} // namespace nova::tool

#endif
