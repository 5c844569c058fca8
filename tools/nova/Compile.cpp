// nova compile: a module into a file or the store, or a stage of the way as text.
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/Process.h"
#include "tools/nova/RunOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace llvm;

namespace nova::tool {
static constexpr std::pair<StringLiteral, Stage> stages[] = {
    {"stored", Stage::Stored}, {"core", Stage::Core},   {"extend", Stage::Extend},
    {"plan", Stage::Plan},     {"tiles", Stage::Tiles}, {"vector", Stage::Vector},
    {"llvm", Stage::LLVM},     {"asm", Stage::Asm},     {"module", Stage::Module},
};

static Expected<Stage> findStage(StringRef name) {
  SmallVector<StringRef> known;
  for (auto &[word, stage] : stages) {
    if (word == name)
      return stage;
    known.push_back(word);
  }
  return badInput("--emit " + name + ": expected one of " + join(known, ", ") + didYouMean(name, known));
}

static Error emitText(Workspace &workspace) {
  Expected<Stage> stage = findStage(options::emit);
  if (!stage)
    return stage.takeError();
  std::string text;
  raw_string_ostream os(text);
  bool machineFailed = false;
  if (failed(emitStage(workspace.getGraph(), compileOptions(workspace), *stage, os, &machineFailed)))
    return reported(machineFailed ? Environment : BadInput);
  return writeOutput(options::outputFile, text);
}

static Error compile(Workspace &workspace) {
  if (Error error = checkOneDnn())
    return error;
  bool toFile = !options::outputFile.empty(), toOutput = options::outputFile == "-";
  if (std::string problem = toFile && !toOutput ? OutputFiles::problemWith(options::outputFile) : ""; !problem.empty())
    return badInput("-o " + options::outputFile + ": " + problem);
  if (!options::emit.empty())
    return emitText(workspace);
  auto start = std::chrono::steady_clock::now();
  Expected<ModuleBytes> module = toFile ? compileModule(workspace) : obtainModule(workspace);
  if (!module)
    return module.takeError();
  if (!module->problem.empty()) // the store was where it should go
    return environmentFailure("the module is not kept: " + module->problem);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (toFile)
    if (Error error = writeOutput(options::outputFile, module->bytes))
      return error;
  if (toOutput)
    return Error::success();
  std::string place = toFile ? options::outputFile.getValue() : module->path;
  if (options::json) {
    outs() << json::Value(json::Object{{"graph", workspace.getGraph().getSymName()},
                                       {"version_hash", module->versionHash},
                                       {"bytes", int64_t(module->bytes.size())},
                                       {"file", place},
                                       {"found_in_store", module->found},
                                       {"seconds", seconds}})
           << "\n";
    return Error::success();
  }
  outs() << "graph    @" << workspace.getGraph().getSymName() << "\nversion  " << module->versionHash << "\nmodule   "
         << module->bytes.size() << " bytes" << (place.empty() ? "" : " in " + place) << "\n"
         << (module->found ? "found in the store" : "compiled") << " in " << format("%.3f", seconds) << " s\n";
  return Error::success();
}

int compileCommand() {
  Workspace workspace;
  return workspace.open() ? exitWith(compile(workspace)) : BadInput;
}
} // namespace nova::tool
