#include "compiler/pipeline/Manifest.h"
#include "compiler/pipeline/Version.h"
#include "dialects/graph/Text.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
namespace json = llvm::json;

namespace nova {
static json::Value dimJson(DimAttr dim) {
  json::Array terms;
  size_t width = dim.getAtoms().size() + 1;
  ArrayRef<int64_t> flat = dim.getTerms();
  for (size_t i = 0; i + width <= flat.size(); i += width) {
    json::Array term{flat[i]};
    for (size_t k = 1; k < width; k++)
      if (flat[i + k])
        term.push_back(json::Array{cast<StringAttr>(dim.getAtoms()[k - 1]).str(), flat[i + k]});
    terms.push_back(std::move(term));
  }
  return json::Object{{"text", toString(dim)}, {"terms", std::move(terms)}};
}

static json::Array dimsJson(ArrayRef<DimAttr> dims) {
  json::Array list;
  for (DimAttr dim : dims)
    list.push_back(dimJson(dim));
  return list;
}

static json::Value axisJson(std::optional<unsigned> axis) {
  return axis ? json::Value(int64_t(*axis)) : json::Value(nullptr);
}

static json::Object portJson(StringRef name, TensorType type, std::optional<unsigned> axis) {
  return json::Object{{"name", name.str()},
                      {"type", elementText(type.getElementType())},
                      {"dims", dimsJson(type.getDims())},
                      {"sequence_axis", axisJson(axis)}};
}

static json::Object argumentJson(GraphOp core, unsigned i, std::optional<unsigned> axis) {
  json::Object port = portJson(core.getArgName(i), core.getArgumentType(i), axis);
  port["param"] = core.isParam(i);
  return port;
}

static json::Object memoryJson(const PlanBuffer &buffer) {
  switch (buffer.kind) {
  case BufferKind::Argument:
    return json::Object{{"kind", "argument"}, {"index", buffer.index}};
  case BufferKind::Result:
    return json::Object{{"kind", "result"}, {"index", buffer.index}};
  case BufferKind::Constant:
    return json::Object{{"kind", "constant"}, {"symbol", buffer.symbol}};
  case BufferKind::Temporary:
  case BufferKind::State:
  case BufferKind::Next:
  case BufferKind::Prepared:
    break;
  }
  json::Object object{{"kind", buffer.kind == BufferKind::State      ? "state"
                               : buffer.kind == BufferKind::Next     ? "next"
                               : buffer.kind == BufferKind::Prepared ? "prepared"
                                                                     : "temporary"},
                      {"name", buffer.symbol},
                      {"holds", buffer.name},
                      {"bytes", "nova_bytes_" + buffer.symbol},
                      {"count", dimJson(buffer.count ? buffer.count : constantDim(buffer.type.getContext(), 1))}};
  if (buffer.kind == BufferKind::Next)
    object["of"] = buffer.index;
  if (buffer.kind == BufferKind::State) {
    object["layout"] = tile::stringifyLayout(buffer.type.getLayout());
    object["type"] = elementText(buffer.type.getTensor().getElementType());
    object["dims"] = dimsJson(buffer.type.getTensor().getDims());
    if (buffer.window)
      object["window"] = dimJson(buffer.window);
  }
  return object;
}

static json::Object bufferJson(const PlanBuffer &buffer) {
  json::Object object = memoryJson(buffer);
  if (buffer.rowAxis)
    object["row"] = dimJson(bytesOfRow(buffer));
  return object;
}

static StringRef unitWord(StepBuffer::Unit unit) { return unit == StepBuffer::Unit::Bytes ? "bytes" : "matrix"; }

static json::Object stepBufferJson(const StepBuffer &buffer) {
  json::Object object{{"buffer", buffer.index}, {"unit", unitWord(buffer.unit)}, {"strides", dimsJson(buffer.strides)}};
  if (!buffer.loopStrides.empty())
    object["loops"] = json::Object{{"unit", unitWord(buffer.loopUnit)}, {"strides", dimsJson(buffer.loopStrides)}};
  return object;
}

static json::Object faultJson(const StepFault &fault) {
  json::Array batch;
  for (const StepFault::Along &along : fault.batch)
    batch.push_back(along.axis < 0 ? json::Value(nullptr) : json::Value(json::Array{along.axis, along.step}));
  json::Object object{{"operation", fault.operation}, {"axes", fault.axes}, {"batch", std::move(batch)}};
  if (!fault.runs.empty()) {
    json::Array runs;
    for (int64_t axis : fault.runs)
      runs.push_back(axis < 0 ? json::Value(nullptr) : json::Value(axis));
    object["runs"] = std::move(runs);
  }
  return object;
}

static json::Array stepsJson(const ManifestInput &in, ArrayRef<PlanStep> list) {
  json::Array steps;
  for (const PlanStep &step : list) {
    if (step.isLoop()) {
      steps.push_back(json::Object{{"repeat", dimJson(step.repeats)}, {"steps", stepsJson(in, step.body)}});
      continue;
    }
    json::Object entry;
    for (const TargetInfo &target : in.targets)
      entry[target.name] = step.kernel + target.suffix;
    json::Array buffers;
    for (const StepBuffer &buffer : step.buffers)
      buffers.push_back(stepBufferJson(buffer));
    steps.push_back(json::Object{{"kernel", step.kernel},
                                 {"entry", std::move(entry)},
                                 {"batch", dimsJson(step.batch)},
                                 {"joins", step.joins},
                                 {"rows", dimJson(step.rows)},
                                 {"block", step.block},
                                 {"order", step.descending ? "descending" : "ascending"},
                                 {"buffers", std::move(buffers)},
                                 {"scratch", "nova_scratch_" + step.kernel}});
    if (step.apart)
      (*steps.back().getAsObject())["apart"] = true;
    if (step.splits)
      (*steps.back().getAsObject())["splits"] = true;
    if (step.folds)
      (*steps.back().getAsObject())["folds"] = true;
    if (!step.sections.empty()) {
      json::Array sections;
      for (const PlanSection &section : step.sections)
        sections.push_back(
            section.columns ? json::Value(json::Object{{"columns", dimJson(section.columns)}, {"unit", section.unit}})
                            : json::Value(nullptr));
      (*steps.back().getAsObject())["sections"] = std::move(sections);
    }
    if (!step.faults.empty()) {
      json::Array faults;
      for (const StepFault &fault : step.faults)
        faults.push_back(faultJson(fault));
      (*steps.back().getAsObject())["faults"] = std::move(faults);
    }
    if (step.libraryTiles)
      (*steps.back().getAsObject())["library"] =
          json::Object{{"contractions", step.libraryTiles}, {"shapes", "nova_library_" + step.kernel}};
  }
  return steps;
}

std::string writeManifest(const ManifestInput &in) {
  GraphOp core = in.core;
  json::Array targets, symbols, arguments, results, clauses, buffers, scans, operations;
  for (const TargetInfo &target : in.targets)
    targets.push_back(target.name);
  for (const std::string &symbol : in.plan.symbols)
    symbols.push_back(symbol);
  auto axis = [](const std::vector<std::optional<unsigned>> &axes, size_t i) {
    return i < axes.size() ? axes[i] : std::optional<unsigned>();
  };
  for (unsigned i = 0; i < core.getNumGraphArguments(); i++)
    arguments.push_back(argumentJson(core, i, axis(in.argumentAxis, i)));
  for (unsigned i = 0; i < core.getNumGraphResults(); i++)
    results.push_back(portJson(in.resultNames[i], core.getResultType(i), axis(in.resultAxis, i)));
  for (Attribute a : core.getClauses()) {
    auto clause = cast<ClauseAttr>(a);
    clauses.push_back(json::Object{{"text", toString(clause)},
                                   {"lhs", dimJson(clause.getLhs())},
                                   {"relation", clause.getRelation().str()},
                                   {"rhs", dimJson(clause.getRhs())}});
  }
  for (const PlanBuffer &buffer : in.plan.buffers)
    buffers.push_back(bufferJson(buffer));
  for (const PlanScan &scan : in.plan.scans)
    scans.push_back(json::Object{{"text", scan.text}, {"first", dimJson(scan.first)}});
  for (const PlanOperation &operation : in.plan.operations)
    operations.push_back(json::Object{{"text", operation.text}, {"scans", json::Array(operation.scans)}});
  json::Value sequence = nullptr;
  if (in.sequence)
    sequence = json::Object{{"symbol", in.sequence.str()}, {"rows", in.rows.str()}, {"past", in.past.str()}};
  json::Object manifest{{"format", moduleFormat},
                        {"graph", core.getSymName().str()},
                        {"graph_hash", in.graphHash},
                        {"semantic_hash", in.semanticHash},
                        {"version_hash", in.versionHash},
                        {"compiler", compilerVersion},
                        {"contract", contractName},
                        {"targets", std::move(targets)},
                        {"symbols", std::move(symbols)},
                        {"sequence", std::move(sequence)},
                        {"can_fail", in.plan.canFail},
                        {"ragged", in.plan.ragged && in.plan.ragged->possible},
                        {"scans", std::move(scans)},
                        {"operations", std::move(operations)},
                        {"arguments", std::move(arguments)},
                        {"results", std::move(results)},
                        {"clauses", std::move(clauses)},
                        {"buffers", std::move(buffers)},
                        {"prepare", stepsJson(in, in.plan.prepare)},
                        {"steps", stepsJson(in, in.plan.steps)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", json::Value(std::move(manifest)));
  return text;
}
} // namespace nova
