//===- Memory.h - Whether a tensor can be held -------------------------------===//
//
// Sizes come from users. A system that promises memory it lacks would grant a tensor that is too large, and kill the
// process later without a word; so it is refused before.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_MEMORY_H
#define NOVA_COMPILER_REFERENCE_MEMORY_H

#include "compiler/reference/Tensor.h"

namespace nova::reference {

/// The bytes that this process can still get: those that are free on the machine, fewer where its control group (a
/// container) allows fewer. A momentary value.
int64_t availableMemory();

/// Why a tensor cannot be held: "f64[9, 9] needs 648 bytes, 500 are available"; "" when it can, as far as can be foreseen.
std::string memoryProblem(Element element, const Shape &shape);

/// The same for a tensor whose allocation has failed.
std::string allocationProblem(Element element, const Shape &shape);

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_MEMORY_H
