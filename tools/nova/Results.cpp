#include "tools/nova/Results.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Npy.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/Table.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using nova::reference::Tensor;

namespace nova::tool {
std::vector<std::string> resultNames(Workspace &workspace) {
  std::vector<std::string> names;
  GraphOp graph = workspace.getGraph();
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    names.push_back(graph.getResultName(i));
  names.insert(names.end(), options::probes.begin(), options::probes.end());
  return names;
}

// A name stands for the first result that has it; an index always works.
Expected<size_t> ResultWriter::find(const std::string &option, StringRef name) const {
  auto found = llvm::find(names, name);
  if (found != names.end())
    return found - names.begin();
  size_t index;
  if (!name.getAsInteger(10, index) && index < names.size())
    return index;
  SmallVector<StringRef> known(names.begin(), names.end());
  return badInput("--output " + option + ": no result " + name + didYouMean(name, known) + "; there are " +
                  join(known, ", ") + " (--probe makes an inner value a result)");
}

Error ResultWriter::readOptions() {
  paths.resize(names.size());
  StringSet<> places;
  for (const std::string &option : options::outputs) {
    StringRef name, path = option;
    bool named = splitAssignment(option, name, path);
    if (path.empty() || (!named && !TensorFile::hasEnding(path)))
      return badInput("--output " + option +
                      ": expected RESULT=FILE, such as O=o.npy, or a .npz or .safetensors file for all results");
    if (named && TensorFile::hasEnding(path))
      return badInput("--output " + option + ": expected a .npy file; --output " + path + " writes all results");
    if (named) {
      Expected<size_t> i = find(option, name);
      if (!i)
        return i.takeError();
      if (!paths[*i].empty())
        return badInput("--output " + option + ": result " + name + " has a file already");
      paths[*i] = path.str();
    } else {
      archives.push_back(path.str());
    }
    if (!places.insert(OutputFiles::placeOf(path)).second)
      return badInput("--output " + option + ": " + (named ? "two results in one file" : "the file is given twice"));
    if (std::string problem = OutputFiles::problemWith(path); !problem.empty())
      return badInput("--output " + option + ": " + problem);
  }
  return Error::success();
}

Error ResultWriter::addFiles(ArrayRef<const Tensor *> results, OutputFiles &files) const {
  for (auto [i, path] : enumerate(paths))
    if (!path.empty())
      if (Error error = files.add(path, [&, i = i](raw_ostream &os) { writeNpy(*results[i], os); }))
        return error;
  std::vector<NamedTensor> all;
  StringSet<> seen; // a value that is a result twice is written once
  for (size_t i = 0; i < results.size(); i++)
    if (seen.insert(nameOf(i)).second)
      all.push_back({nameOf(i), results[i]});
  for (const std::string &path : archives) {
    Error fault = Error::success();
    (void)!!fault; // seen, so that it may be replaced
    Error error = files.add(path, [&](raw_ostream &os) { fault = TensorFile::write(path, all, os); });
    if (fault)
      return joinErrors(std::move(fault), std::move(error));
    if (error)
      return error;
  }
  return Error::success();
}

Error ResultWriter::writeFiles(ArrayRef<const Tensor *> results) const {
  OutputFiles files;
  Error error = addFiles(results, files);
  if (!error)
    error = files.commit();
  return error ? environmentFailure(toString(std::move(error))) : Error::success();
}

Error ResultWriter::write(const Execution::Tensors &results, Execution &execution, double seconds) {
  SmallVector<const Tensor *> pointers;
  for (const Tensor &result : results)
    pointers.push_back(&result);
  if (Error error = writeFiles(pointers))
    return error;
  if (!options::json) {
    for (auto [i, path] : enumerate(paths))
      if (path.empty() && archives.empty())
        printTable(nameOf(i), results[i], outs());
    if (const DecodeStats *stats = execution.stats())
      stats->print(outs());
    return Error::success();
  }
  // Larger results belong into files.
  constexpr int64_t maxValues = 1 << 16;
  json::Array list;
  for (auto [i, path] : enumerate(paths)) {
    json::Object object{{"name", nameOf(i)},
                        {"type", reference::toString(results[i].element)},
                        {"shape", json::Array(results[i].shape)}};
    if (!path.empty() || !archives.empty())
      object["file"] = path.empty() ? archives.front() : path;
    else if (results[i].size() <= maxValues)
      object["values"] = toJson(results[i]);
    list.push_back(std::move(object));
  }
  json::Object object = execution.describe();
  object["results"] = std::move(list);
  object["seconds"] = seconds;
  if (const DecodeStats *stats = execution.stats())
    object["stats"] = stats->toJson();
  outs() << json::Value(std::move(object)) << "\n";
  return Error::success();
}
} // namespace nova::tool
