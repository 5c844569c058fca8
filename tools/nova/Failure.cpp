#include "tools/nova/Failure.h"
#include "tools/nova/Workspace.h"

using namespace llvm;

namespace nova::tool {
char Failure::ID = 0;

Error badInput(const Twine &message) { return make_error<Failure>(BadInput, message.str()); }
Error environmentFailure(const Twine &message) { return make_error<Failure>(Environment, message.str()); }
Error reported(Exit code) { return make_error<Failure>(code, ""); }

int exitWith(Error error) {
  int code = Ok;
  handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        code = failure.code;
        if (!failure.message.empty())
          code == Environment ? environmentError(failure.message) : inputError(failure.message);
      },
      [&](const ErrorInfoBase &other) {
        bool memory = other.convertToErrorCode() == std::errc::not_enough_memory;
        code = memory ? environmentError(other.message()) : inputError(other.message());
      });
  return code;
}
} // namespace nova::tool
