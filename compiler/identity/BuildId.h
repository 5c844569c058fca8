// Which build of the compiler is running.
#ifndef NOVA_COMPILER_IDENTITY_BUILDID_H
#define NOVA_COMPILER_IDENTITY_BUILDID_H

#include "compiler/identity/Tokens.h"

namespace nova {
/// Identifies the code that compiles: the ELF objects that hold this function, MLIR and LLVM, each by its GNU build-id,
/// or by the SHA-256 of its file where the linker left none. Another build of any of them has another id, so modules of
/// an older compiler are never reused. Computed once; thread-safe.
const Hash &buildId();
} // namespace nova

#endif
