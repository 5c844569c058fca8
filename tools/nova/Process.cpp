#include "tools/nova/Process.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/SystemMessage.h"
#include "tools/nova/Workspace.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace nova::tool {
// The next file that is opened would take the place of a stream that is closed, and what is printed would go there.
// What stands in for it cannot be used in the stream's direction, so a write fails as it should.
static void occupyStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// LLVM's handler has removed the temporary files and unblocked the signal.
static void endBySignal() {
  std::signal(SIGPIPE, SIG_DFL);
  (void)raise(SIGPIPE);
}

// Nothing may be allocated here.
static void endWithoutMemory(void *, const char *, bool) {
  sys::RunInterruptHandlers(); // removes temporary files
  constexpr StringLiteral text("error: not enough memory\n"),
      object("{\"message\":\"not enough memory\",\"notes\":[],\"severity\":\"error\"}\n");
  StringRef message = options::json ? object : text;
  (void)!write(STDERR_FILENO, message.data(), message.size());
  _exit(Environment);
}

// Before LLVM's streams are destroyed: they would end the program in words and with a code of their own.
static void finishStreams() {
  outs().flush();
  std::error_code fault = outs().error();
  outs().clear_error();
  if (fault)
    environmentError("cannot write to standard output: " + systemMessage(fault));
  errs().clear_error();
  if (fault)
    _exit(Environment);
}

void prepareProcess() {
  occupyStandardStreams();
  sys::SetOneShotPipeSignalFunction(endBySignal);
  install_bad_alloc_error_handler(endWithoutMemory);
  // What is made first is destroyed last.
  outs();
  errs();
  if (std::atexit(finishStreams) != 0)
    report_fatal_error("no function can be called at exit");
}

Error writeOutput(StringRef path, StringRef content) {
  if (path.empty() || path == "-") {
    outs() << content;
    return Error::success();
  }
  OutputFiles files;
  Error error = files.add(path, [&](raw_ostream &os) { os << content; });
  if (!error)
    error = files.commit();
  return error ? environmentFailure(toString(std::move(error))) : Error::success();
}
} // namespace nova::tool
