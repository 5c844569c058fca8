#include "tools/nova/Results.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Npy.h"
#include "tools/nova/Options.h"
#include "tools/nova/OutputFiles.h"
#include "tools/nova/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

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
  for (const std::string &option : options::outputs) {
    StringRef name, path;
    if (!splitAssignment(option, name, path) || path.empty())
      return badInput("--output " + option + ": expected RESULT=FILE, such as O=o.npy");
    Expected<size_t> i = find(option, name);
    if (!i)
      return i.takeError();
    if (!paths[*i].empty())
      return badInput("--output " + option + ": result " + name + " has a file already");
    if (any_of(paths, [&](const std::string &other) {
          return !other.empty() && OutputFiles::placeOf(other) == OutputFiles::placeOf(path);
        }))
      return badInput("--output " + option + ": two results in one file");
    if (std::string problem = OutputFiles::problemWith(path); !problem.empty())
      return badInput("--output " + option + ": " + problem);
    paths[*i] = path.str();
  }
  return Error::success();
}

Error ResultWriter::write(const Execution::Tensors &results, Execution &execution, double seconds) {
  OutputFiles files;
  for (auto [i, path] : enumerate(paths))
    if (!path.empty())
      if (Error error = files.add(path, [&, i = i](raw_ostream &os) { writeNpy(results[i], os); }))
        return environmentFailure(toString(std::move(error)));
  if (Error error = files.commit())
    return environmentFailure(toString(std::move(error)));
  if (!options::json) {
    for (auto [i, path] : enumerate(paths))
      if (path.empty())
        printTable(nameOf(i), results[i], outs());
    return Error::success();
  }
  // Larger results belong into files.
  constexpr int64_t maxValues = 1 << 16;
  json::Array list;
  for (auto [i, path] : enumerate(paths)) {
    json::Object object{{"name", nameOf(i)},
                        {"type", reference::toString(results[i].element)},
                        {"shape", json::Array(results[i].shape)}};
    if (!path.empty())
      object["file"] = path;
    else if (results[i].size() <= maxValues)
      object["values"] = toJson(results[i]);
    list.push_back(std::move(object));
  }
  json::Object object = execution.describe();
  object["results"] = std::move(list);
  object["seconds"] = seconds;
  outs() << json::Value(std::move(object)) << "\n";
  return Error::success();
}
} // namespace nova::tool
