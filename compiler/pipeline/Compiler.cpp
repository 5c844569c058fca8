#include "compiler/pipeline/Compiler.h"
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/FallibleOps.h"
#include "compiler/conversion/GraphToTiles/GraphToTiles.h"
#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include "compiler/conversion/VectorToModule/ObjectCode.h"
#include "compiler/identity/BuildId.h"
#include "compiler/identity/GraphHash.h"
#include "compiler/identity/StoredModule.h"
#include "compiler/identity/Version.h"
#include "compiler/pipeline/Manifest.h"
#include "compiler/pipeline/Version.h"
#include "compiler/transforms/HoistMonotone.h"
#include "compiler/transforms/MaskedFactors.h"
#include "compiler/transforms/derive/Extend.h"
#include "dialects/graph/Places.h"
#include "dialects/graph/Text.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nova {
namespace {
// One compilation, stage by stage; each stage is built when it is asked for.
class Compilation {
public:
  Compilation(GraphOp graph, const CompileOptions &options) : graph(graph), options(options) {}

  LogicalResult identify(); // hashes, the stored form
  LogicalResult buildCore();
  LogicalResult buildExtend(); // dependence too
  LogicalResult buildTiles();
  LogicalResult buildVector();
  FailureOr<CompiledModule> buildBytes(bool *machineFailed);

  GraphOp graph;
  const CompileOptions &options;
  OwningOpRef<ModuleOp> stored, core, tileSource;
  std::optional<StoredForm> form;
  Hash pin, semantic, version;
  std::vector<TargetInfo> targets;
  TypeBindings types;
  std::vector<std::string> resultNames;
  ExtendGraph extend;
  bool extended = false;
  Dependence dependence; // of `core`
  TileProgram tiles;
  std::vector<std::pair<TargetInfo, OwningOpRef<ModuleOp>>> vectors;
  OwningOpRef<ModuleOp> layout;
};
} // namespace

// What errors of a run may name: a superset, from the stored graphs alone.
static std::vector<std::string> placesOfFaults(ModuleOp stored) {
  std::vector<std::string> places, scans;
  for (GraphOp graph : stored.getOps<GraphOp>())
    for (Operation &op : graph.getBlock()) {
      if (mayFailInSomeVersion(&op))
        places.push_back(placeText(&op));
      else if (isa<ScanOp>(op))
        scans.push_back(scanText(&op));
    }
  if (!places.empty())
    llvm::append_range(places, scans);
  return places;
}

static LogicalResult bindTypes(GraphOp graph, const CompileOptions &options, TypeBindings &types) {
  Builder b(graph.getContext());
  for (auto &[name, word] : options.types) {
    Type type = llvm::StringSwitch<Type>(word)
                    .Case("f64", b.getF64Type())
                    .Case("f32", b.getF32Type())
                    .Case("i64", b.getI64Type())
                    .Case("i32", b.getI32Type())
                    .Default(Type());
    if (!type)
      return graph.emitError("element type ") << word << " for " << name << " is not one of f64, f32, i64, i32";
    types[name] = type;
  }
  return success();
}

static LogicalResult chooseTargets(GraphOp graph, const CompileOptions &options, std::vector<TargetInfo> &targets) {
  if (options.targets.empty()) {
    targets.assign(knownTargets().begin(), knownTargets().end());
  }
  for (const std::string &name : options.targets) {
    const TargetInfo *target = findTarget(name);
    if (!target) {
      auto diagnostic = graph.emitError("unknown target ") << name << "; known:";
      for (const TargetInfo &known : knownTargets())
        diagnostic << " " << known.name;
      return failure();
    }
    targets.push_back(*target);
  }
  for (TargetInfo &target : targets)
    target.freeOrder = options.freeOrder;
  return success();
}

LogicalResult Compilation::identify() {
  if (failed(bindTypes(graph, options, types)) || failed(chooseTargets(graph, options, targets)))
    return failure();
  SmallVector<Value> probes;
  for (const std::string &name : options.probes) {
    Value value = findValue(graph, name);
    if (!value)
      return graph.emitError("graph @") << graph.getSymName() << " has no value named " << name;
    probes.push_back(value);
  }
  GraphHashes hashes(graph->getParentOfType<ModuleOp>());
  FailureOr<Hash> pinned = hashes.graphHash(graph), meaning = hashes.semanticHash(graph, probes);
  if (failed(pinned) || failed(meaning))
    return failure();
  pin = *pinned;
  semantic = *meaning;
  FailureOr<StoredForm> storedForm = hashes.storedForm(graph, probes);
  if (failed(storedForm))
    return failure();
  VersionKey key;
  key.semantic = semantic;
  key.names = interfaceNames(*storedForm);
  key.probes = options.probes;
  for (Attribute a : graph.getTypeParams()) {
    auto param = cast<TypeParamAttr>(a);
    Type given = types.lookup(param.getName().getValue());
    key.elementTypes.push_back(elementText(given ? given : param.getFallback()));
  }
  key.storage = options.storage;
  key.phase = "run, extend";
  key.along = options.along;
  for (const TargetInfo &target : targets)
    key.targets.push_back(target.name);
  key.contract = options.freeOrder ? "free" : contractName;
  key.compiler = compilerVersion;
  version = nova::versionHash(key);
  for (unsigned i = 0; i < graph.getNumGraphResults(); i++)
    resultNames.push_back(graph.getResultName(i));
  llvm::append_range(resultNames, options.probes);
  FailureOr<OwningOpRef<ModuleOp>> module = buildStoredModule(hashes, graph, StoredNames::Own, options.probes);
  if (failed(module))
    return failure();
  stored = std::move(*module);
  return success();
}

// The stored module's last graph is the entry: what is compiled follows from the stored form alone.
LogicalResult Compilation::buildCore() {
  if (failed(identify()))
    return failure();
  GraphOp entry;
  for (GraphOp g : stored->getOps<GraphOp>())
    entry = g;
  core = buildCoreForm(entry, types, options.probes);
  return success(core && succeeded(bindStorage(coreGraph(*core), resultNames, options.storage)));
}

LogicalResult Compilation::buildExtend() {
  if (failed(buildCore()))
    return failure();
  GraphOp coreOp = coreGraph(*core);
  StringAttr along = options.along.empty() ? StringAttr() : StringAttr::get(graph.getContext(), options.along);
  dependence = analyseDependence(coreOp, along);
  extend = tryDeriveExtend(coreOp, dependence);
  extended = bool(extend.module);
  if (along && !dependence.extendable()) {
    emitRefusal(coreOp, dependence);
    return failure();
  }
  // What has no extend is compiled as a whole; a failure without a refusal was reported.
  return success(extended || !dependence.extendable());
}

LogicalResult Compilation::buildTiles() {
  if (failed(buildExtend()))
    return failure();
  GraphOp coreOp = coreGraph(*core);
  tileSource = OwningOpRef<ModuleOp>(cast<ModuleOp>((extended ? *extend.module : *core)->clone()));
  GraphOp source = coreGraph(*tileSource);
  for (GraphOp each : tileSource->getOps<GraphOp>()) {
    hoistMonotone(each);
    prepareMaskedFactors(each);
  }
  graph.getContext()->getOrLoadDialect<tile::TileDialect>();
  TileInput input{source, coreOp.getNumGraphArguments(), resultNames, extend.sequence, extend.rows, extend.past};
  FailureOr<TileProgram> program = graphToTiles(input);
  if (failed(program))
    return failure();
  tiles = std::move(*program);
  return success();
}

LogicalResult Compilation::buildVector() {
  if (failed(buildTiles()))
    return failure();
  // Only compilations need these, so reading graphs stays quick.
  DialectRegistry registry;
  registerVectorDialects(registry);
  graph.getContext()->appendDialectRegistry(registry);
  graph.getContext()->loadAllAvailableDialects();
  for (const TargetInfo &target : targets) {
    FailureOr<OwningOpRef<ModuleOp>> vector = tilesToVector(*tiles.module, target);
    if (failed(vector))
      return failure();
    vectors.emplace_back(target, std::move(*vector));
  }
  FailureOr<OwningOpRef<ModuleOp>> common = tilesToLayout(*tiles.module);
  if (failed(common))
    return failure();
  layout = std::move(*common);
  return success();
}

FailureOr<CompiledModule> Compilation::buildBytes(bool *machineFailed) {
  if (failed(buildVector()))
    return failure();
  auto axes = [](auto &list) { return std::vector<std::optional<unsigned>>(list.begin(), list.end()); };
  ManifestInput manifest{
      coreGraph(*core),        resultNames, extend.sequence, extend.rows, extend.past,    axes(extend.argumentAxis),
      axes(extend.resultAxis), tiles.plan,  targets,         pin.hex(),   semantic.hex(), version.hex()};
  CompiledModule result;
  result.manifest = writeManifest(manifest);
  result.versionHash = version.hex();
  ModuleInput input;
  for (auto &[target, module] : vectors)
    input.parts.emplace_back(target, *module);
  input.parts.emplace_back(targets.front(), *layout);
  input.manifestJson = result.manifest;
  llvm::Expected<std::vector<char>> bytes = buildModule(input);
  if (!bytes && machineFailed)
    *machineFailed = true;
  if (!bytes)
    return graph.emitError("cannot make a module: ") << llvm::toString(bytes.takeError());
  result.bytes = std::move(*bytes);
  return result;
}

FailureOr<std::string> versionHash(GraphOp graph, const CompileOptions &options) {
  Compilation compilation(graph, options);
  if (failed(compilation.identify()))
    return failure();
  return compilation.version.hex();
}

FailureOr<ModuleIdentity> identifyModule(GraphOp graph, const CompileOptions &options) {
  Compilation compilation(graph, options);
  if (failed(compilation.identify()))
    return failure();
  return ModuleIdentity{compilation.version.hex(),
                        storeKey(compilation.version, buildId(), placesOfFaults(*compilation.stored))};
}

FailureOr<OwningOpRef<ModuleOp>> compiledCoreForm(GraphOp graph, const CompileOptions &options) {
  Compilation compilation(graph, options);
  if (failed(compilation.buildCore()))
    return failure();
  return std::move(compilation.core);
}

FailureOr<CompiledModule> compileGraph(GraphOp graph, const CompileOptions &options, bool *machineFailed) {
  return Compilation(graph, options).buildBytes(machineFailed);
}

LogicalResult emitStage(GraphOp graph, const CompileOptions &options, Stage stage, llvm::raw_ostream &os,
                        bool *machineFailed) {
  Compilation c(graph, options);
  switch (stage) {
  case Stage::Stored: {
    // What the hash sees, under names that follow from it; `stored` has the user's.
    GraphHashes hashes(graph->getParentOfType<ModuleOp>());
    FailureOr<OwningOpRef<ModuleOp>> stored = failure();
    if (succeeded(c.identify()))
      stored = buildStoredModule(hashes, graph, StoredNames::Numbered);
    if (failed(stored))
      return failure();
    printGraphs(**stored, os);
    return success();
  }
  case Stage::Core:
  case Stage::Extend: {
    if (failed(c.buildExtend()))
      return failure();
    if (stage == Stage::Extend && !c.extended) {
      emitRefusal(coreGraph(*c.core), c.dependence);
      return failure();
    }
    printGraphs(stage == Stage::Core ? *c.core : *c.extend.module, os);
    return success();
  }
  case Stage::Plan:
  case Stage::Tiles:
    if (failed(c.buildTiles()))
      return failure();
    if (stage == Stage::Plan)
      printPlan(c.tiles.plan, os);
    else
      c.tiles.module->print(os);
    return success();
  case Stage::Vector:
    if (failed(c.buildVector()))
      return failure();
    for (auto &[target, module] : c.vectors)
      module->print(os);
    return success();
  case Stage::LLVM:
  case Stage::Asm:
    if (failed(c.buildVector()))
      return failure();
    for (auto &[target, module] : c.vectors)
      os << printCode(*module, target, stage == Stage::LLVM ? CodeForm::llvm : CodeForm::assembly);
    return success();
  case Stage::Module: {
    FailureOr<CompiledModule> module = c.buildBytes(machineFailed);
    if (failed(module))
      return failure();
    os.write(module->bytes.data(), module->bytes.size());
    return success();
  }
  }
  return failure();
}
} // namespace nova
