#include "compiler/transforms/derive/Extend.h"
#include "compiler/transforms/derive/CheckedRows.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

static StringAttr freeName(MLIRContext *context, StringRef wanted, llvm::StringSet<> &taken) {
  std::string name = wanted.str();
  for (unsigned i = 1; !taken.insert(name).second; i++)
    name = (wanted + Twine(i)).str();
  return StringAttr::get(context, name);
}

namespace {
class Builder {
public:
  Builder(GraphOp core, Dependence &dependence)
      : core(core), dependence(dependence), context(core.getContext()), facts(factsOf(core)), builder(context) {
    out.sequence = dependence.sequence;
  }
  ExtendGraph run();

private:
  bool chooseVersions();
  void chooseSymbols();
  DimAttr rename(DimAttr dim) const;
  SmallVector<DimAttr> dimsOf(Value value, Version version) const;
  ArrayAttr clauses();
  void addArguments();
  void addState(Value value);
  LogicalResult compute(Operation *op, Version version);
  void setAttributes(Operation *op, Version version, NamedAttrList &attributes) const;
  void setSlice(SliceOp slice, Version version, NamedAttrList &attributes) const;
  Value newRows(Value all, unsigned axis, Location loc);
  std::optional<unsigned> sequenceAxis(Value value) const;
  Value transposed(Location loc, Value operand, ArrayRef<int64_t> permutation);
  /// Where rows are in a state, whatever they are in the value: the last axis but one, so that the axes before are a
  /// batch of matrices that all grow by rows.
  static unsigned rowAxis(Value state) { return std::max<int64_t>(typeOf(state).getRank() - 2, 0); }
  Location named(Value value, StringRef suffix) const;

  GraphOp core, extended;
  Dependence &dependence;
  Dependence read; // that of the results, the states and the divisors
  MLIRContext *context;
  Facts facts;         // of the core graph
  Facts extendedFacts; // of the new one
  std::optional<NeededVersions> needed;
  OpBuilder builder;
  ExtendGraph out;
  DimAttr past, rows, allRows;
  llvm::StringSet<> argumentNames;
  SmallVector<BlockArgument> stateArguments;
  llvm::DenseMap<std::pair<Value, Version>, Value> values;
  llvm::DenseMap<Value, Value> newStates;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> transposes; // by operand and permutation
};
} // namespace

// Fresh symbols for the rows of the state and the new ones: `t` and `m` unless the graph has them.
void Builder::chooseSymbols() {
  llvm::StringSet<> symbols;
  auto add = [&](DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      symbols.insert(cast<StringAttr>(atom).getValue());
  };
  for (BlockArgument argument : core.getBlock().getArguments())
    llvm::for_each(typeOf(argument).getDims(), add);
  for (Attribute clause : core.getClauses()) {
    add(cast<ClauseAttr>(clause).getLhs());
    add(cast<ClauseAttr>(clause).getRhs());
  }
  out.past = freeName(context, "t", symbols);
  out.rows = freeName(context, "m", symbols);
  past = symbolDim(context, out.past.getValue());
  rows = symbolDim(context, out.rows.getValue());
  allRows = addDims(past, rows);
}

// A dimension of the core graph in the new one: the sequence, also under another name that a clause gives it, is t + m.
DimAttr Builder::rename(DimAttr dim) const {
  DimAttr normal = facts.normalize(dim);
  DimAttr renamed = mentions(normal, out.sequence) ? substituteDim(normal, out.sequence, allRows) : dim;
  return renamed ? renamed : dim;
}

SmallVector<DimAttr> Builder::dimsOf(Value value, Version version) const {
  SmallVector<DimAttr> dims;
  for (auto [k, dim] : llvm::enumerate(typeOf(value).getDims()))
    dims.push_back(!carriesSequence(dim, out.sequence, facts) ? rename(dim) : version >> k & 1 ? allRows : rows);
  return dims;
}

ArrayAttr Builder::clauses() {
  SmallVector<Attribute> result;
  for (Attribute attribute : core.getClauses()) {
    auto clause = cast<ClauseAttr>(attribute);
    DimAttr lhs = rename(clause.getLhs()), rhs = rename(clause.getRhs());
    if (lhs != rhs) // `p == n` became t + m == t + m
      result.push_back(ClauseAttr::get(context, lhs, clause.getRelation(), rhs));
  }
  return ArrayAttr::get(context, result);
}

std::optional<unsigned> Builder::sequenceAxis(Value value) const {
  Version axes = needed->sequenceAxes(value);
  return axes ? std::optional<unsigned>(llvm::countr_zero(axes)) : std::nullopt;
}

Location Builder::named(Value value, StringRef suffix) const {
  std::string name = valueName(value);
  name = name.empty() ? "state" : name.substr(1);
  return NameLoc::get(StringAttr::get(context, name + suffix), value.getLoc());
}

// The graph op, its block and its arguments; results are known at the end.
void Builder::addArguments() {
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [i, argument] : llvm::enumerate(core.getBlock().getArguments())) {
    argumentNames.insert(core.getArgName(i));
    names.push_back(core.getArgNames()[i]);
    types.push_back(typeOf(argument).withDims(dimsOf(argument, 0)));
    locations.push_back(argument.getLoc());
    out.argumentAxis.push_back(sequenceAxis(argument));
  }
  for (Value state : needed->getStates()) {
    SmallVector<DimAttr> dims = dimsOf(state, 0);
    dims.erase(dims.begin() + needed->stateAxis(state));
    dims.insert(dims.begin() + rowAxis(state), past);
    types.push_back(typeOf(state).withDims(dims));
    auto loc = cast<NameLoc>(named(state, ".past"));
    StringAttr name = freeName(context, loc.getName().getValue(), argumentNames);
    names.push_back(name);
    locations.push_back(NameLoc::get(name, state.getLoc()));
  }
  out.numStates = needed->getStates().size();

  out.module = ModuleOp::create(core.getLoc());
  builder.setInsertionPointToStart(out.module->getBody());
  OperationState state(core.getLoc(), GraphOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(core.getSymName() + ".extend"));
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("type_params", builder.getArrayAttr({}));
  state.addAttribute("clauses", clauses());
  state.addAttribute("arg_names", builder.getArrayAttr(names));
  if (core.getBoundArgsAttr())
    state.addAttribute("bound_args", core.getBoundArgsAttr());
  auto *block = new Block;
  state.addRegion()->push_back(block);
  block->addArguments(types, locations);
  extended = cast<GraphOp>(builder.create(state));
  extendedFacts = factsOf(extended);
  builder.setInsertionPointToEnd(block);
  unsigned count = core.getNumGraphArguments();
  for (auto [argument, value] : llvm::zip(core.getBlock().getArguments(), block->getArguments()))
    values[{argument, 0}] = value;
  llvm::append_range(stateArguments, block->getArguments().drop_front(count));
}

// The new rows of `value` joined to the past ones; its version over all rows is that, with the axes in their old order.
void Builder::addState(Value value) {
  unsigned index = llvm::find(needed->getStates(), value) - needed->getStates().begin();
  unsigned axis = needed->stateAxis(value), rank = typeOf(value).getRank(), place = rowAxis(value);
  SmallVector<int64_t> toPlace, back(rank);
  for (unsigned k = 0; k < rank; k++)
    if (k != axis)
      toPlace.push_back(k);
  toPlace.insert(toPlace.begin() + place, axis);
  for (auto [to, from] : llvm::enumerate(toPlace))
    back[from] = to;
  Value fresh = transposed(named(value, ".rows"), values.lookup({value, 0}), toPlace);
  NamedAttribute along(builder.getStringAttr("axis"), builder.getI64IntegerAttr(place));
  Value all =
      createInferred<ConcatOp>(builder, named(value, ".all"), {stateArguments[index], fresh}, extendedFacts, along);
  newStates[value] = all;
  values[{value, Version(1) << axis}] = transposed(named(value, ".wide"), all, back);
}

// What is already transposed is transposed once, or not at all.
Value Builder::transposed(Location loc, Value operand, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> axes(permutation);
  if (auto inner = operand.getDefiningOp<TransposeOp>()) {
    for (int64_t &axis : axes)
      axis = inner.getPermutation()[axis];
    operand = inner.getOperand();
  }
  if (llvm::is_sorted(axes))
    return operand;
  Attribute attribute = builder.getDenseI64ArrayAttr(axes);
  Value &known = transposes[{operand, attribute}];
  if (!known)
    known = createInferred<TransposeOp>(builder, loc, {operand}, extendedFacts,
                                        NamedAttribute(builder.getStringAttr("permutation"), attribute));
  return known;
}

// Attributes name sizes too: the positions of new rows begin after the past ones.
void Builder::setAttributes(Operation *op, Version version, NamedAttrList &attributes) const {
  if (auto size = dyn_cast<DimValueOp>(op))
    attributes.set("dim", rename(size.getDim()));
  if (auto slice = dyn_cast<SliceOp>(op))
    return setSlice(slice, version, attributes);
  auto iota = dyn_cast<IotaOp>(op);
  if (!iota && !isa<ReshapeOp, BroadcastOp>(op))
    return;
  SmallVector<DimAttr> dims = dimsOf(op->getResult(0), version);
  attributes.set("dims", ArrayAttr::get(context, SmallVector<Attribute>(dims.begin(), dims.end())));
  if (!iota)
    return;
  DimAttr from = iota.getFromAttr() ? rename(iota.getFromAttr()) : constantDim(context, 0);
  Version own = Version(1) << iota.getAxis();
  if (needed->sequenceAxes(iota.getResult()) & own & ~version)
    from = addDims(from, past);
  if (from && constantValue(from) != 0)
    attributes.set("from", from);
}

// A slice of something else that is as long as the sequence (the first n rows of a table) goes on where the rows do.
void Builder::setSlice(SliceOp slice, Version version, NamedAttrList &attributes) const {
  Value value = slice.getResult();
  DimAttr from = rename(slice.getFrom());
  Version own = Version(1) << slice.getAxis();
  if (needed->sequenceAxes(value) & own & ~version) {
    DimAttr passed = multiplyDims(past, constantDim(context, slice.stepOrOne()));
    from = passed ? addDims(from, passed) : from;
  }
  attributes.set("from", from);
  attributes.set("size", dimsOf(value, version)[slice.getAxis()]);
}

// The rows of a value over all rows that are new ones.
Value Builder::newRows(Value all, unsigned axis, Location loc) {
  SmallVector<NamedAttribute> attributes{{builder.getStringAttr("axis"), builder.getI64IntegerAttr(axis)},
                                         {builder.getStringAttr("from"), past},
                                         {builder.getStringAttr("size"), rows}};
  return createInferred<SliceOp>(builder, loc, {all}, extendedFacts, attributes);
}

LogicalResult Builder::compute(Operation *op, Version version) {
  AxisMaps maps = *axisMapsOf(op, facts);
  OperationState state(op->getLoc(), op->getName());
  for (unsigned i = 0; i < op->getNumOperands(); i++) {
    Value operand = needed->operandOf(op, i);
    unsigned index = operand == op->getOperand(i) ? i : 3 - i;
    state.operands.push_back(values.lookup({operand, needed->operandVersion(op, maps, index, version)}));
  }
  state.attributes = NamedAttrList(op->getAttrDictionary());
  setAttributes(op, version, state.attributes);
  // A running sum adds up all rows also where only the last ones are asked for.
  std::optional<unsigned> cut;
  if (auto sum = dyn_cast<CumulativeSumOp>(op))
    if (needed->sequenceAxes(sum.getResult()) & ~version & Version(1) << sum.getAxis()) {
      cut = sum.getAxis();
      state.location = named(sum.getResult(), ".sums");
    }
  auto transpose = dyn_cast<TransposeOp>(op);
  Value value = transpose ? transposed(op->getLoc(), state.operands[0], transpose.getPermutation())
                          : createInferred(builder, state, extendedFacts);
  if (cut && value)
    value = newRows(value, *cut, op->getLoc());
  values[{op->getResult(0), version}] = value;
  return success(value != nullptr);
}

// Decides what is computed. Every row of a state and every divisor that counts is computed when it comes; if that
// cannot be, `dependence` holds the reason.
bool Builder::chooseVersions() {
  auto refuse = [&](StringRef reason, std::optional<Location> loc, ArrayRef<std::string> path = {}) {
    dependence.refusal = reason.str();
    dependence.refusalLoc = loc;
    dependence.path.assign(path.begin(), path.end());
    return false;
  };
  auto countDemanded = [](const Dependence &d) {
    return llvm::count_if(d.values, [](const auto &entry) { return entry.second.demanded; });
  };
  for (read = dependence;;) {
    needed.emplace(core, read, facts);
    if (needed->failed())
      return refuse(needed->getReason(), needed->getReasonLoc());
    CheckedRows checked = findCheckedRows(core, read, *needed, facts);
    if (!checked.refusal.empty())
      return refuse(checked.refusal, checked.refusalLoc);
    // Rows of a state are computed when they come and read afterwards: a graph that is causal only as a whole (a value
    // that looks ahead, read with a delay) has no such order.
    SmallVector<KeptRows> kept = checked.rows;
    for (Value state : needed->getStates()) {
      kept.push_back({state, Box(typeOf(state).getRank())});
      kept.back().axes[needed->stateAxis(state)] = AxisDemand{0, 0};
    }
    Dependence next = analyseDependence(core, out.sequence, kept);
    if (!next.extendable())
      return refuse(next.refusal, next.refusalLoc, next.path);
    if (countDemanded(next) <= countDemanded(read))
      return true;
    read = std::move(next); // more is read than results read, so fewer branches go
  }
}

ExtendGraph Builder::run() {
  if (!chooseVersions())
    return {};
  chooseSymbols();
  addArguments();
  for (BlockArgument argument : core.getBlock().getArguments())
    if (needed->isState(argument))
      addState(argument);
  for (Operation &op : core.getBlock()) {
    if (op.getNumResults() != 1)
      continue;
    for (Version version : needed->of(op.getResult(0)))
      if (failed(compute(&op, version)))
        return {};
    if (needed->isState(op.getResult(0)))
      addState(op.getResult(0));
  }

  SmallVector<Value> results;
  for (Value value : core.getReturn().getValues()) {
    results.push_back(values.lookup({value, 0}));
    out.resultAxis.push_back(sequenceAxis(value));
  }
  for (Value state : needed->getStates())
    results.push_back(newStates.lookup(state));
  builder.create<ReturnOp>(core.getReturn().getLoc(), results);
  SmallVector<Type> types;
  for (Value value : results)
    types.push_back(value.getType());
  extended.setFunctionType(builder.getFunctionType(extended.getBlock().getArgumentTypes(), types));
  for (Operation *op = extended.getBlock().getTerminator()->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    if (isa<TransposeOp>(op) && op->use_empty()) // passed over by those that were joined
      op->erase();
    op = before;
  }
  if (failed(verify(*out.module)))
    return {};
  return std::move(out);
}

ExtendGraph tryDeriveExtend(GraphOp core, Dependence &dependence) {
  return dependence.extendable() ? Builder(core, dependence).run() : ExtendGraph();
}

ExtendGraph deriveExtend(GraphOp core, const Dependence &dependence) {
  Dependence own = dependence;
  ExtendGraph extend = tryDeriveExtend(core, own);
  if (!own.extendable())
    emitRefusal(core, own);
  return extend;
}
} // namespace nova
