// What LLVM's command-line library says about wrong options, in our form.
#ifndef NOVA_TOOLS_NOVA_OPTIONFAULTS_H
#define NOVA_TOOLS_NOVA_OPTIONFAULTS_H

#include "llvm/ADT/StringRef.h"

namespace nova::tool {
/// Prints `faults`, the library's words on the options of `command`, as our error, with a hint where the option exists
/// elsewhere or a near one does; returns BadInput. Nothing is printed where the library has said nothing.
int wrongOptions(llvm::StringRef faults, llvm::StringRef command);
} // namespace nova::tool

#endif
