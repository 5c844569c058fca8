// The commands of `nova`. Each reads its options from Options.h, writes to standard output, and returns an exit code.
#ifndef NOVA_TOOLS_NOVA_COMMANDS_H
#define NOVA_TOOLS_NOVA_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace nova::tool {
int checkCommand();
int formatCommand();
int compileCommand();
int runCommand();
int decodeCommand();
int traceCommand();
int hashCommand();
int diffCommand();
int benchCommand();
int storeCommand();
int completionCommand();
int doctorCommand();

struct Command {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Examples, printed below the list of options.
  llvm::StringLiteral examples;
  int (*run)();
};
llvm::ArrayRef<Command> commands();
} // namespace nova::tool

#endif
