#include "tools/nova/RunOptions.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace nova::tool {
Error checkOneDnn() {
  if (options::onednn != "on" && options::onednn != "off")
    return badInput("--onednn " + options::onednn + ": expected on or off");
  return Error::success();
}

Expected<RunOptions> readRunOptions() {
  RunOptions run;
  if (Error error = checkOneDnn())
    return std::move(error);
  if (options::backend != "compiled" && options::backend != "interpreter")
    return badInput("--backend " + options::backend + ": expected compiled or interpreter");
  run.interpreted = options::backend == "interpreter";
  if (StringRef(options::threads).getAsInteger(10, run.threads) || run.threads < 0 || run.threads > 4096)
    return badInput("--threads " + options::threads + ": expected a number from 1 to 4096, or 0 for one per core");
  for (const std::string &text : options::chunks) {
    int64_t rows;
    if (StringRef(text).getAsInteger(10, rows) || rows < 0)
      return badInput("--chunks: expected numbers of 0 or more, found '" + text + "'");
    run.chunks.push_back(rows);
  }
  if (!run.chunks.empty() && run.chunks.back() == 0)
    return badInput("--chunks: the last number repeats and must be 1 or more, found 0");
  if (options::stats && run.interpreted)
    return badInput("--stats: expected --backend compiled, which has a cache and kernels");
  return run;
}
} // namespace nova::tool
