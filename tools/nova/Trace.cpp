// nova trace: every named value of a graph, on its own or beside the values that a file has.
#include "compiler/reference/Interpreter.h"
#include "compiler/transforms/CoreForm.h"
#include "tools/nova/Arguments.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Compare.h"
#include "tools/nova/DataFault.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Npy.h"
#include "tools/nova/Options.h"
#include "tools/nova/Results.h"
#include "tools/nova/Table.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

using namespace llvm;
using nova::reference::Tensor;

namespace nova::tool {
namespace {
struct TracedValue {
  std::string name; // without %
  Tensor tensor;
  std::optional<Tensor> other;
  Difference difference;

  bool comparable() const { return other && other->element == tensor.element && other->shape == tensor.shape; }
  bool differs() const { return other && (!comparable() || difference.beyond > 0); }
};
} // namespace

// The arguments, then the values in the order of the text.
static std::vector<std::string> valueNames(GraphOp graph) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    names.push_back(graph.getArgName(i).str());
  for (mlir::Operation &op : graph.getBlock())
    for (mlir::Value result : op.getResults())
      if (std::string name = valueName(result); !name.empty())
        names.push_back(name.substr(1));
  return names;
}

static Expected<std::vector<TracedValue>> computeValues(Workspace &workspace) {
  GraphOp graph = workspace.getGraph();
  Expected<std::vector<Tensor>> arguments = readArguments(workspace);
  if (!arguments)
    return arguments.takeError();
  std::vector<std::string> names = valueNames(graph);
  mlir::OwningOpRef<mlir::ModuleOp> core = buildCoreForm(graph, workspace.getTypeBindings(), names);
  std::vector<std::string> resultNames;
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    resultNames.push_back(graph.getResultName(i));
  if (!core || failed(bindStorage(coreGraph(*core), resultNames, workspace.getStorage())))
    return reported();
  Expected<std::vector<Tensor>> results = interpret(coreGraph(*core), *arguments);
  if (!results)
    return results.takeError();
  std::vector<TracedValue> values;
  for (auto [name, tensor] : zip_equal(names, MutableArrayRef(*results).drop_front(graph.getNumGraphResults())))
    values.push_back({name, std::move(tensor), std::nullopt, {}});
  return values;
}

static Expected<uint64_t> readTolerance() {
  uint64_t tolerance;
  if (StringRef(options::ulps).getAsInteger(10, tolerance) || tolerance == nanDistance)
    return badInput("--ulps " + options::ulps + ": expected a number of 0 or more");
  if (tolerance && options::against.empty())
    return badInput("--ulps " + options::ulps + ": nothing to compare with; --against names a file");
  return tolerance;
}

static Error compareValues(std::vector<TracedValue> &values, uint64_t tolerance) {
  std::string option = "--against " + options::against;
  if (!TensorFile::hasEnding(options::against))
    return badInput(option + ": expected a .npz or .safetensors file");
  auto place = [&](const ErrorInfoBase &info) {
    bool memory = info.convertToErrorCode() == std::errc::not_enough_memory;
    return memory ? environmentFailure(option + ": " + info.message()) : badInput(option + ": " + info.message());
  };
  Expected<std::unique_ptr<TensorFile>> file = TensorFile::open(options::against);
  if (!file)
    return handleErrors(file.takeError(), place);
  StringSet<> known;
  for (const std::string &name : (*file)->names())
    known.insert(name);
  bool any = false;
  for (TracedValue &value : values) {
    if (!known.erase(value.name))
      continue;
    any = true;
    Expected<Tensor> other = (*file)->read(value.name);
    if (!other)
      return handleErrors(other.takeError(), place);
    value.other = std::move(*other);
    if (value.tensor.element == reference::Element::I4 && value.other->element == reference::Element::I8)
      value.other->element = reference::Element::I4; // files have no i4
    if (value.comparable())
      value.difference = compare(value.tensor, *value.other, tolerance);
  }
  if (!any)
    return badInput(option + ": none of its tensors has the name of a value of the graph");
  for (const std::string &name : (*file)->names())
    if (known.contains(name))
      warn(option + ": the graph has no value " + printable(name));
  return Error::success();
}

static std::string distanceText(const TracedValue &value, uint64_t distance) {
  bool isFloat = reference::isFloat(value.tensor.element);
  if (isFloat && distance == nanDistance)
    return "nan";
  return std::to_string(distance) + (!isFloat ? "" : distance == 1 ? " ulp" : " ulps");
}

// What stands in the table's column: `same`, `3 ulps at [2, 0]`, why there is nothing to compare.
static std::string verdict(const TracedValue &value) {
  if (!value.other)
    return "not there";
  if (!value.comparable())
    return "differs: " + describe(*value.other) + " there";
  if (value.difference.largestAt < 0)
    return "same";
  return distanceText(value, value.difference.largest) + " at " + placeOf(value.tensor, value.difference.largestAt) +
         (value.differs() ? "" : ", tolerated");
}

// `first difference: %S, row 2, at [2, 0]: 1.5 here, 2.0 there, 3 ulps`.
static std::string firstText(const TracedValue &value) {
  std::string text = "%" + value.name;
  if (!value.comparable())
    return text + ": " + describe(value.tensor) + " here, " + describe(*value.other) + " there";
  int64_t entry = value.difference.firstAt;
  if (!value.tensor.shape.empty())
    text += ", row " + std::to_string(entry / (value.tensor.size() / value.tensor.shape[0])) + ", at " +
            placeOf(value.tensor, entry);
  return text + ": " + exactText(value.tensor, entry) + " here, " + exactText(*value.other, entry) + " there, " +
         distanceText(value, value.difference.firstDistance);
}

static void printText(ArrayRef<TracedValue> values, const TracedValue *first) {
  size_t nameWidth = 0, typeWidth = 0;
  for (const TracedValue &value : values) {
    nameWidth = std::max(nameWidth, value.name.size() + 3);
    typeWidth = std::max(typeWidth, describe(value.tensor).size() + 2);
  }
  for (const TracedValue &value : values)
    outs() << left_justify("%" + value.name, nameWidth) << left_justify(describe(value.tensor), typeWidth)
           << (options::against.empty() ? rangeText(value.tensor) : verdict(value)) << "\n";
  if (!options::against.empty())
    outs() << (first ? "first difference: " + firstText(*first) : "no value differs") << "\n";
}

static json::Object toJson(const TracedValue &value) {
  json::Object object{{"name", value.name},
                      {"type", reference::toString(value.tensor.element)},
                      {"shape", json::Array(value.tensor.shape)}};
  if (!value.other)
    return object;
  object["differs"] = value.differs();
  object["found"] = describe(*value.other);
  if (!value.comparable() || value.difference.largestAt < 0)
    return object;
  object["largest"] = distanceText(value, value.difference.largest);
  object["largest_at"] = placeOf(value.tensor, value.difference.largestAt);
  if (value.differs()) {
    object["entries_that_differ"] = value.difference.beyond;
    object["first_at"] = placeOf(value.tensor, value.difference.firstAt);
  }
  return object;
}

static Error trace(Workspace &workspace) {
  Expected<uint64_t> tolerance = readTolerance();
  if (!tolerance)
    return tolerance.takeError();
  ResultWriter writer(valueNames(workspace.getGraph()));
  if (Error error = writer.readOptions())
    return error;
  Expected<std::vector<TracedValue>> values = computeValues(workspace);
  if (!values)
    return values.takeError();
  if (!options::against.empty())
    if (Error error = compareValues(*values, *tolerance))
      return error;
  std::vector<const Tensor *> tensors;
  for (const TracedValue &value : *values)
    tensors.push_back(&value.tensor);
  if (Error error = writer.writeFiles(tensors))
    return error;
  const TracedValue *first = nullptr;
  for (const TracedValue &value : reverse(*values))
    if (value.differs())
      first = &value;
  if (options::json) {
    json::Array list;
    for (const TracedValue &value : *values)
      list.push_back(toJson(value));
    json::Object object{{"values", std::move(list)}};
    if (!options::against.empty())
      object["first_difference"] = first ? json::Value(firstText(*first)) : json::Value(nullptr);
    outs() << json::Value(std::move(object)) << "\n";
  } else {
    printText(*values, first);
  }
  return first ? reported(NotHeld) : Error::success();
}

int traceCommand() {
  Workspace workspace;
  if (!workspace.open())
    return BadInput;
  try {
    return exitWith(trace(workspace));
  } catch (const std::bad_alloc &) {
    return environmentError("not enough memory for the values of the graph");
  }
}
} // namespace nova::tool
