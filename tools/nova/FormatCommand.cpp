// nova fmt: graph files in their canonical layout.
#include "compiler/identity/GraphHash.h"
#include "compiler/pipeline/SourceFile.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/Workspace.h"
#include "tools/source/Layout.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
namespace {
struct FormattedFile {
  std::string path;
  std::string text;
  bool changed;
};
} // namespace

// The semantic hashes of the graphs of a file; nothing when the text is wrong, which was reported.
static std::optional<std::vector<Hash>> hashesOf(StringRef text, StringRef name) {
  Workspace workspace;
  if (!workspace.read(text, name))
    return std::nullopt;
  GraphHashes hashes(workspace.getProgram().getModule());
  std::vector<Hash> list;
  for (GraphOp graph : workspace.getProgram().getOwnGraphs()) {
    mlir::FailureOr<Hash> hash = hashes.semanticHash(graph);
    if (failed(hash))
      return std::nullopt;
    list.push_back(*hash);
  }
  return list;
}

static Expected<FormattedFile> formatFile(const std::string &path) {
  Expected<std::unique_ptr<MemoryBuffer>> source = readSourceFile(path);
  if (!source)
    return badInput(path + ": " + toString(source.takeError()));
  StringRef text = (*source)->getBuffer(), name = (*source)->getBufferIdentifier();
  std::optional<std::vector<Hash>> before = hashesOf(text, name);
  if (!before)
    return reported();
  std::string formatted = formatSource(text);
  bool changed = formatted != text;
  // A source is overwritten only by what is known to mean the same.
  if (changed && hashesOf(formatted, name) != before)
    return environmentFailure(path +
                              ": the new layout would not mean the same, a fault of nova fmt; nothing is written");
  return FormattedFile{path, std::move(formatted), changed};
}

static Error checkUsage() {
  if (options::checkOnly && options::inPlace)
    return badInput("expected one of --check and --in-place, found both");
  if (size_t inputs = count(options::files, "-"); inputs > 1)
    return badInput("standard input is given " + Twine(inputs) + " times");
  if (options::inPlace && is_contained(options::files, "-"))
    return badInput("--in-place: standard input cannot be written; leave the option out");
  return Error::success();
}

static Error writeInPlace(ArrayRef<FormattedFile> formatted) {
  OutputFiles outputs;
  for (const FormattedFile &file : formatted)
    if (file.changed)
      if (Error error = outputs.add(file.path, [&](raw_ostream &os) { os << file.text; }))
        return environmentFailure(toString(std::move(error)));
  if (Error error = outputs.commit())
    return environmentFailure(toString(std::move(error)));
  return Error::success();
}

static Error format() {
  if (Error error = checkUsage())
    return error;
  std::vector<FormattedFile> formatted;
  for (const std::string &path : options::files) {
    Expected<FormattedFile> file = formatFile(path);
    if (!file)
      return file.takeError();
    formatted.push_back(std::move(*file));
  }
  if (options::inPlace)
    if (Error error = writeInPlace(formatted))
      return error;
  json::Array list;
  for (const FormattedFile &file : formatted) {
    if (options::json) {
      json::Object object{{"file", file.path}, {"changed", file.changed}};
      if (!options::checkOnly && !options::inPlace)
        object["text"] = file.text;
      list.push_back(std::move(object));
    } else if (!options::checkOnly && !options::inPlace) {
      outs() << file.text;
    } else if (file.changed) {
      outs() << file.path << "\n";
    }
  }
  if (options::json)
    outs() << json::Value(json::Object{{"files", std::move(list)}}) << "\n";
  bool differs = any_of(formatted, [](const FormattedFile &file) { return file.changed; });
  return options::checkOnly && differs ? reported(NotHeld) : Error::success();
}

int formatCommand() { return exitWith(format()); }
} // namespace nova::tool
