//===- Link.h - Objects become a shared object -------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LINK_H
#define NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace nova {

/// Links objects to a shared object with ld.lld and gives its bytes. Undefined symbols are errors. Runs the linker as a
/// program, on files in a private folder that is gone afterwards in every case.
llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects);

} // namespace nova

#endif
