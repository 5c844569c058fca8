//===- Nibbles.h - i4 as modules have it in memory ----------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_NIBBLES_H
#define NOVA_COMPILER_REFERENCE_NIBBLES_H

#include "compiler/reference/Tensor.h"

namespace nova::reference {

/// The bytes of an i4 tensor in a module's memory: two entries to a byte, the first in its low half; each row of the
/// last axis begins at a byte, and half a byte that is left is 0. They are what `bytes` of this many entries hold.
std::vector<char, TensorAllocator<char>> packNibbles(const Tensor &tensor);

/// Sets the entries of an i4 tensor from such bytes.
void unpackNibbles(const char *packed, Tensor &tensor);

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_NIBBLES_H
