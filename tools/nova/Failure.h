// An error that knows its exit code.
#ifndef NOVA_TOOLS_NOVA_FAILURE_H
#define NOVA_TOOLS_NOVA_FAILURE_H

#include "tools/nova/Exit.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(Exit code, std::string message) : code(code), message(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const Exit code;
  const std::string message; // "" when a diagnostic has said it already
};

llvm::Error badInput(const llvm::Twine &message);
llvm::Error environmentFailure(const llvm::Twine &message);
/// For what a diagnostic has reported.
llvm::Error reported(Exit code = BadInput);
/// Prints what has not been reported yet and returns the exit code. Of other errors than Failure those with the code
/// errc::not_enough_memory count as the environment's, all others as bad input.
int exitWith(llvm::Error error);
} // namespace nova::tool

#endif
