#include "compiler/identity/StoredModule.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nova {
namespace {
// `dim` with its symbols called s0, s1, ... by their numbers.
DimAttr numberedNames(DimAttr dim, const SymbolOrder &order) {
  MLIRContext *context = dim.getContext();
  DimAttr sum = constantDim(context, 0);
  for (const NumberedTerm &term : order.number(dim)) {
    DimAttr product = constantDim(context, term.coefficient);
    for (auto [symbol, exponent] : term.factors)
      for (int64_t i = 0; i < exponent; i++)
        product = multiplyDims(product, symbolDim(context, "s" + std::to_string(symbol)));
    sum = addDims(sum, product);
  }
  return sum;
}

// The name without the % of the text.
std::string bareName(Value value) {
  std::string name = valueName(value);
  return name.empty() ? name : name.substr(1);
}

// Builds one graph again from its stored form.
class Rebuilder {
public:
  Rebuilder(const StoredForm &form, StoredNames names)
      : form(form), graph(form.getGraph()), numbered(names == StoredNames::Numbered) {
    if (!numbered)
      return;
    replacer.addReplacement(
        [&](DimAttr dim) { return std::make_pair(Attribute(numberedNames(dim, form.symbols())), WalkResult::skip()); });
    for (auto [i, param] : llvm::enumerate(graph.getTypeParams()))
      typeParams[cast<TypeParamAttr>(param).getName()] = StringAttr::get(graph.getContext(), "T" + std::to_string(i));
    replacer.addReplacement([&](ParamType param) -> Type {
      StringAttr name = typeParams.lookup(param.getName());
      return name ? ParamType::get(param.getContext(), name) : param;
    });
  }

  // `callee` gives the name that a callee has in the new module; `kept` are names of values and their numbers.
  GraphOp build(OpBuilder &builder, StringRef name, llvm::function_ref<StringRef(StringAttr)> callee,
                ArrayRef<std::pair<std::string, unsigned>> kept) {
    Builder &b = builder;
    Location loc = numbered ? Location(builder.getUnknownLoc()) : graph.getLoc();
    OperationState state(loc, GraphOp::getOperationName());
    SmallVector<Attribute> params, clauses, argNames;
    for (Attribute attribute : graph.getTypeParams()) {
      auto param = cast<TypeParamAttr>(attribute);
      StringAttr own = numbered ? typeParams.lookup(param.getName()) : param.getName();
      params.push_back(TypeParamAttr::get(b.getContext(), own, param.getKind(), param.getFallback()));
    }
    for (ClauseAttr clause : form.clauses())
      clauses.push_back(
          ClauseAttr::get(b.getContext(), renamed(clause.getLhs()), clause.getRelation(), renamed(clause.getRhs())));
    auto type = cast<FunctionType>(replacer.replace(graph.getFunctionTypeValue()));
    Region *body = state.addRegion();
    Block &block = body->emplaceBlock();
    for (auto [i, input] : llvm::enumerate(type.getInputs())) {
      argNames.push_back(numbered ? b.getStringAttr("a" + std::to_string(i)) : graph.getArgNames()[i]);
      block.addArgument(input, numbered ? loc : graph.getBlock().getArgument(i).getLoc());
    }
    state.addAttribute("sym_name", b.getStringAttr(name));
    state.addAttribute("function_type", TypeAttr::get(type));
    state.addAttribute("type_params", b.getArrayAttr(params));
    state.addAttribute("clauses", b.getArrayAttr(clauses));
    state.addAttribute("arg_names", b.getArrayAttr(argNames));
    if (graph.getBoundArgsAttr())
      state.addAttribute("bound_args", graph.getBoundArgsAttr());
    if (!numbered && graph.getDocAttr())
      state.addAttribute("doc", graph.getDocAttr());

    OpBuilder inside(graph.getContext()); // the block has no parent yet
    inside.setInsertionPointToEnd(&block);
    std::vector<Value> values(block.args_begin(), block.args_end());
    for (const StoredOp &stored : form.ops()) {
      SmallVector<Location> places = locations(stored, kept);
      for (auto [i, place] : llvm::enumerate(places)) {
        Operation *op = buildOp(inside, stored, place, values, callee);
        if (i == 0)
          values.insert(values.end(), op->result_begin(), op->result_end());
      }
    }
    SmallVector<Value> returned;
    for (unsigned number : form.results().take_front(type.getNumResults()))
      returned.push_back(values[number]);
    inside.create<ReturnOp>(numbered ? loc : graph.getReturn().getLoc(), returned);
    return cast<GraphOp>(builder.create(state));
  }

private:
  DimAttr renamed(DimAttr dim) { return cast<DimAttr>(replacer.replace(Attribute(dim))); }

  // One location for each name under which a result is to be found and by which the operation does not call it; its own
  // first unless such a name can take its place.
  SmallVector<Location> locations(const StoredOp &stored, ArrayRef<std::pair<std::string, unsigned>> kept) {
    MLIRContext *context = graph.getContext();
    if (numbered)
      return {UnknownLoc::get(context)};
    SmallVector<Location> places = {stored.op->getLoc()};
    bool ownWanted = false;
    for (OpResult result : stored.op->getResults()) {
      unsigned number = stored.firstResult + result.getResultNumber();
      for (auto &[name, keptNumber] : kept) {
        if (keptNumber != number)
          continue;
        if (name == bareName(result)) {
          ownWanted = true;
          continue;
        }
        SmallVector<StringAttr> names(stored.op->getNumResults(), StringAttr::get(context, ""));
        names[result.getResultNumber()] = StringAttr::get(context, name);
        places.push_back(namedLocation(stored.op->getLoc(), names));
      }
    }
    if (places.size() > 1 && !ownWanted)
      places.erase(places.begin());
    return places;
  }

  Operation *buildOp(OpBuilder &builder, const StoredOp &stored, Location loc, ArrayRef<Value> values,
                     llvm::function_ref<StringRef(StringAttr)> callee) {
    OperationState state(loc, stored.op->getName());
    for (unsigned operand : stored.operands)
      state.addOperands(values[operand]);
    for (Type result : stored.op->getResultTypes())
      state.addTypes(replacer.replace(result));
    for (NamedAttribute named : stored.attributes) {
      Attribute value = replacer.replace(named.getValue());
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
        value = FlatSymbolRefAttr::get(graph.getContext(), callee(symbol.getAttr()));
      state.addAttribute(named.getName(), value);
    }
    return builder.create(state);
  }

  const StoredForm &form;
  GraphOp graph;
  bool numbered;
  llvm::DenseMap<StringAttr, StringAttr> typeParams;
  AttrTypeReplacer replacer;
};
} // namespace

Value findValue(GraphOp graph, StringRef name) {
  for (auto [arg, own] : llvm::zip_equal(graph.getBlock().getArguments(), graph.getArgNames()))
    if (cast<StringAttr>(own).getValue() == name)
      return arg;
  for (Operation &op : graph.getBlock())
    for (Value result : op.getResults())
      if (!name.empty() && bareName(result) == name)
        return result;
  return {};
}

FailureOr<OwningOpRef<ModuleOp>> buildStoredModule(GraphHashes &hashes, GraphOp graph, StoredNames names,
                                                   ArrayRef<std::string> kept) {
  FailureOr<std::vector<GraphOp>> order = hashes.reachable(graph);
  if (failed(order))
    return failure();
  bool numbered = names == StoredNames::Numbered;
  llvm::DenseMap<StringAttr, std::string> newNames;
  for (GraphOp each : *order)
    newNames[each.getSymNameAttr()] =
        numbered ? "g" + hashes.semanticHash(each)->hex().substr(0, 16) : each.getSymName().str();
  auto callee = [&](StringAttr name) { return StringRef(newNames[name]); };

  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(graph.getContext()));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (GraphOp each : *order) {
    SmallVector<Value> extra;
    SmallVector<std::string> extraNames;
    llvm::StringSet<> seen;
    if (each == graph)
      for (const std::string &name : kept)
        if (Value value = findValue(graph, name); value && seen.insert(name).second) {
          extra.push_back(value);
          extraNames.push_back(name);
        }
    FailureOr<StoredForm> form = hashes.storedForm(each, extra);
    if (failed(form))
      return failure();
    SmallVector<std::pair<std::string, unsigned>> named;
    for (auto [name, number] : llvm::zip_equal(extraNames, form->results().take_back(extra.size())))
      named.emplace_back(name, number);
    Rebuilder(*form, names).build(builder, newNames[each.getSymNameAttr()], callee, named);
  }
  return module;
}

void printGraphs(ModuleOp module, raw_ostream &os) {
  for (auto [i, op] : llvm::enumerate(module.getOps())) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op.print(stream, OpPrintingFlags().useLocalScope());
    StringRef rest = text;
    rest.consume_front("nova.");
    os << (i ? "\n" : "") << rest << "\n";
  }
}
} // namespace nova
