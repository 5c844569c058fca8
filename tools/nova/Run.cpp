// nova run and nova decode: arguments in, the graph executed, results out.
#include "tools/nova/Arguments.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Results.h"
#include "tools/nova/RunOptions.h"
#include <chrono>
#include <new>

using namespace llvm;

namespace nova::tool {
using Clock = std::chrono::steady_clock;

static Error execute(Workspace &workspace, bool decode) {
  Expected<RunOptions> runOptions = readRunOptions();
  if (!runOptions)
    return runOptions.takeError();
  ResultWriter writer(resultNames(workspace));
  if (Error error = writer.readOptions())
    return error;
  Expected<Execution::Tensors> arguments = readArguments(workspace);
  if (!arguments)
    return arguments.takeError();
  Expected<std::unique_ptr<Execution>> execution = makeExecution(workspace, *runOptions);
  if (!execution)
    return execution.takeError();
  Clock::time_point start = Clock::now();
  Expected<Execution::Tensors> results =
      decode ? (*execution)->decode(*arguments, runOptions->chunks) : (*execution)->run(*arguments);
  if (!results)
    return results.takeError();
  return writer.write(*results, **execution, std::chrono::duration<double>(Clock::now() - start).count());
}

static int runOrDecode(bool decode) {
  Workspace workspace;
  if (!workspace.open())
    return BadInput;
  // Arguments, results and values are refused by name; what is left are pieces of them.
  try {
    return exitWith(execute(workspace, decode));
  } catch (const std::bad_alloc &) {
    return environmentError("not enough memory for rows of the arguments and results");
  }
}

int runCommand() { return runOrDecode(false); }
int decodeCommand() { return runOrDecode(true); }

Expected<std::unique_ptr<Execution>> makeExecution(Workspace &workspace, const RunOptions &options) {
  return options.interpreted ? makeInterpretedExecution(workspace) : makeCompiledExecution(workspace, options);
}
} // namespace nova::tool
