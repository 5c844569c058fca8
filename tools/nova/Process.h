// What the process owes its surroundings: standard streams, a closed pipe, the end of memory, files that are whole.
#ifndef NOVA_TOOLS_NOVA_PROCESS_H
#define NOVA_TOOLS_NOVA_PROCESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
/// To be called once, at the beginning of main and after LLVM's own set-up. From then on, however the program ends,
///  - what standard output does not take is an error with the exit code of the environment; standard error that cannot
///  be
///    written changes no exit code;
///  - a reader that closes a pipe ends it without a word by the signal SIGPIPE, as it ends other tools; temporary files
///    are removed;
///  - memory that ends where nobody can say what it was for is an error with the exit code of the environment.
void prepareProcess();

/// Writes `content` to a file, where it appears whole or not at all, or to standard output for "" and "-". The error is
/// the environment's.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef content);
} // namespace nova::tool

#endif
