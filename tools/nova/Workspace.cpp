#include "tools/nova/Workspace.h"
#include "compiler/identity/StoredModule.h"
#include "dialects/graph/Text.h"
#include "tools/nova/Exit.h"
#include "tools/nova/Options.h"
#include "tools/source/StdLib.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

// One graph at a time: MLIR's thread pool would cost more than it gives.
Workspace::Workspace()
    : context(allDialects(), mlir::MLIRContext::Threading::DISABLED),
      diagnostics(context, sources, errs(), options::json) {}

SourceOptions Workspace::sourceOptions() {
  return {{options::includeDirs.begin(), options::includeDirs.end()}, stdLibDir(), sources};
}

std::unique_ptr<Program> Workspace::load(StringRef path) { return Program::load(context, path, sourceOptions()); }

bool Workspace::open() {
  program = load(options::file);
  graph = program ? findGraph(*program, options::file, options::entry) : GraphOp();
  return graph && readTypes() && checkProbes() && readStorage();
}

bool Workspace::read(StringRef text, StringRef name) {
  program = Program::parse(context, text, name, sourceOptions());
  return program != nullptr;
}

GraphOp findGraph(Program &program, StringRef path, StringRef name) {
  if (GraphOp graph = program.getEntry(name))
    return graph;
  SmallVector<StringRef> known;
  for (GraphOp own : program.getOwnGraphs())
    known.push_back(own.getSymName());
  inputError("no graph @" + name + " in " + path + didYouMean(name, known));
  return {};
}

// What is written instead of a name that no value has.
static std::string probeHint(GraphOp graph, StringRef name) {
  if (name.consume_front("%") && findValue(graph, name))
    return "; write " + name.str() + ", without %";
  std::vector<std::string> names;
  for (mlir::BlockArgument argument : graph.getBlock().getArguments())
    names.push_back(valueName(argument).substr(1));
  for (mlir::Operation &op : graph.getBlock())
    for (mlir::Value result : op.getResults())
      names.push_back(valueName(result).substr(1));
  return didYouMean(name, SmallVector<StringRef>(names.begin(), names.end()));
}

bool Workspace::checkProbes() {
  for (const std::string &name : options::probes) {
    if (findValue(graph, name))
      continue;
    inputError("--probe " + name + ": graph @" + graph.getSymName() + " has no value named " + name +
               probeHint(graph, name));
    return false;
  }
  return true;
}

bool Workspace::readTypes() {
  for (const std::string &option : options::types) {
    StringRef name, value;
    if (!splitAssignment(option, name, value)) {
      inputError("--type " + option + ": expected PARAMETER=TYPE, such as T=f32");
      return false;
    }
    TypeParamAttr parameter;
    SmallVector<StringRef> known;
    for (mlir::Attribute a : graph.getTypeParams()) {
      known.push_back(mlir::cast<TypeParamAttr>(a).getName().getValue());
      if (known.back() == name)
        parameter = mlir::cast<TypeParamAttr>(a);
    }
    if (!parameter) {
      inputError("--type " + option + ": graph @" + graph.getSymName() + " has no type parameter " + name +
                 didYouMean(name, known));
      return false;
    }
    StringRef kind = parameter.getKind().getValue();
    if (!(kind == "float" ? value == "f64" || value == "f32" : value == "i64" || value == "i32")) {
      inputError("--type " + option + ": expected " + (kind == "float" ? "f64 or f32" : "i64 or i32") + ", found '" +
                 value + "'");
      return false;
    }
    auto [it, fresh] = types.try_emplace(name.str(), value.str());
    if (!fresh && it->second != value) {
      inputError("--type " + option + ": " + name + " is already " + it->second);
      return false;
    }
  }
  return true;
}

bool Workspace::readStorage() {
  std::vector<std::string> names(options::probes.begin(), options::probes.end());
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    names.push_back(graph.getArgName(i).str());
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    names.push_back(graph.getResultName(i));
  for (const std::string &option : options::storages) {
    StringRef name, value;
    if (!splitAssignment(option, name, value)) {
      inputError("--storage " + option + ": expected NAME=TYPE, such as Q=bf16");
      return false;
    }
    if (!is_contained(names, name)) {
      inputError("--storage " + option + ": graph @" + graph.getSymName() + " has no argument and no result " + name +
                 didYouMean(name, SmallVector<StringRef>(names.begin(), names.end())));
      return false;
    }
    if (value != "bf16" && value != "f16") {
      inputError("--storage " + option + ": expected bf16 or f16, found '" + value + "'");
      return false;
    }
    auto [it, fresh] = storage.try_emplace(name.str(), value.str());
    if (!fresh && it->second != value) {
      inputError("--storage " + option + ": " + name + " is already " + it->second);
      return false;
    }
  }
  return true;
}

TypeBindings Workspace::getTypeBindings() {
  TypeBindings bindings;
  mlir::Builder builder(&context);
  for (auto &[name, type] : types)
    bindings[name] = type == "f64"   ? mlir::Type(builder.getF64Type())
                     : type == "f32" ? mlir::Type(builder.getF32Type())
                     : type == "i64" ? mlir::Type(builder.getI64Type())
                                     : mlir::Type(builder.getI32Type());
  return bindings;
}

static void report(StringRef severity, const Twine &message) {
  if (options::json)
    errs() << json::Value(json::Object{{"severity", severity}, {"message", message.str()}, {"notes", json::Array{}}})
           << "\n";
  else
    errs() << severity << ": " << message << "\n";
}

int inputError(const Twine &message) {
  report("error", message);
  return BadInput;
}
int environmentError(const Twine &message) {
  report("error", message);
  return Environment;
}
void warn(const Twine &message) { report("warning", message); }

bool splitAssignment(StringRef text, StringRef &name, StringRef &value) {
  size_t at = text.find('=');
  if (at == StringRef::npos || at == 0)
    return false;
  name = text.take_front(at);
  value = text.drop_front(at + 1);
  return true;
}

std::string didYouMean(StringRef word, ArrayRef<StringRef> known) {
  StringRef best;
  // Short words are near to everything.
  unsigned least = word.size() < 3 ? 0 : word.size() < 5 ? 2 : std::max<size_t>(2, word.size() / 3) + 1;
  for (StringRef candidate : known)
    if (unsigned distance = word.edit_distance(candidate, true, least); distance < least) {
      least = distance;
      best = candidate;
    }
  return best.empty() ? "" : "; did you mean '" + best.str() + "'";
}
} // namespace nova::tool
