#include "compiler/transforms/derive/ExtendedGraph.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

StringAttr freeName(MLIRContext *context, StringRef wanted, llvm::StringSet<> &taken) {
  std::string name = wanted.str();
  for (unsigned i = 1; !taken.insert(name).second; i++)
    name = (wanted + Twine(i)).str();
  return StringAttr::get(context, name);
}

ExtendedGraph::ExtendedGraph(const ExtendWords &words, GraphOp core, const NeededVersions &needed)
    : words(words), core(core), needed(needed), context(core.getContext()), builder(context) {}

// Graphs of scans come first: what they keep is the state of this one too.
LogicalResult ExtendedGraph::buildBodies() {
  for (ScanOp op : core.getBlock().getOps<ScanOp>()) {
    const NeededVersions *inner = needed.body(op);
    if (!inner)
      continue;
    bool along = carriesSequence(op.getCount(), words.sequence, words.facts);
    scans.push_back({op, std::make_unique<ExtendedGraph>(words, op.getBody(), *inner), along, {}, {}});
    if (failed(scans.back().body->build()))
      return failure();
  }
  return success();
}

// A dimension of the core graph in the new one: the sequence, also under another name that a clause gives it, is t + m.
DimAttr ExtendedGraph::rename(DimAttr dim) const {
  DimAttr normal = words.facts.normalize(dim);
  DimAttr renamed = mentions(normal, words.sequence) ? substituteDim(normal, words.sequence, words.allRows) : dim;
  return renamed ? renamed : dim;
}

SmallVector<DimAttr> ExtendedGraph::dimsOf(Value value, Version version) const {
  SmallVector<DimAttr> dims;
  for (auto [k, dim] : llvm::enumerate(typeOf(value).getDims()))
    dims.push_back(!carriesSequence(dim, words.sequence, words.facts) ? rename(dim)
                   : version >> k & 1                                 ? words.allRows
                                                                      : words.rows);
  return dims;
}

ArrayAttr ExtendedGraph::clauses() {
  SmallVector<Attribute> result;
  for (Attribute attribute : core.getClauses()) {
    auto clause = cast<ClauseAttr>(attribute);
    DimAttr lhs = rename(clause.getLhs()), rhs = rename(clause.getRhs());
    if (lhs != rhs) // `p == n` became t + m == t + m
      result.push_back(ClauseAttr::get(context, lhs, clause.getRelation(), rhs));
  }
  return ArrayAttr::get(context, result);
}

Location ExtendedGraph::named(Value value, StringRef suffix) const {
  std::string name = valueName(value);
  name = name.empty() ? "state" : name.substr(1);
  return NameLoc::get(StringAttr::get(context, name + suffix), value.getLoc());
}

// Where rows are in a state, whatever they are in the value: the last axis but one, so that the axes before are a batch
// of matrices that all grow by rows.
static unsigned rowAxis(Value state) { return std::max<int64_t>(typeOf(state).getRank() - 2, 0); }

// The graph op, its block and its arguments; results are known at the end.
void ExtendedGraph::addArguments() {
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  auto addPast = [&](Location loc, StringRef wanted, Type type) {
    StringAttr name = freeName(context, wanted, argumentNames);
    names.push_back(name);
    types.push_back(type);
    locations.push_back(NameLoc::get(name, loc));
    numStates++;
  };
  auto pastOf = [&](Value value) { return cast<NameLoc>(named(value, ".past")).getName().getValue(); };
  for (auto [i, argument] : llvm::enumerate(core.getBlock().getArguments())) {
    argumentNames.insert(core.getArgName(i));
    names.push_back(core.getArgNames()[i]);
    types.push_back(typeOf(argument).withDims(dimsOf(argument, 0)));
    locations.push_back(argument.getLoc());
  }
  for (Value state : needed.getStates()) {
    SmallVector<DimAttr> dims = dimsOf(state, 0);
    dims.erase(dims.begin() + needed.stateAxis(state));
    dims.insert(dims.begin() + rowAxis(state), words.past);
    addPast(state.getLoc(), pastOf(state), typeOf(state).withDims(dims));
  }
  for (Scan &scan : scans) {
    GraphOp body = scan.body->getGraph(), before = scan.op.getBody();
    if (scan.along)
      for (auto [i, carry] : llvm::enumerate(scan.op.getCarry())) {
        unsigned at = before.getNumGraphArguments() - scan.op.getCarry().size() + i;
        addPast(scan.op.getLoc(), (before.getArgName(at) + ".past").str(), typeOf(carry).withDims(dimsOf(carry, 0)));
      }
    for (unsigned i = 0; i < scan.body->getNumStates(); i++) {
      unsigned at = body.getNumGraphArguments() - scan.body->getNumStates() + i;
      SmallVector<DimAttr> dims{rename(scan.op.getCount())};
      llvm::append_range(dims, body.getArgumentType(at).getDims());
      addPast(scan.op.getLoc(), body.getArgName(at), body.getArgumentType(at).withDims(dims));
    }
  }

  ModuleOp module = words.module;
  builder.setInsertionPointToStart(module.getBody());
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
  for (auto [argument, value] : llvm::zip(core.getBlock().getArguments(), block->getArguments()))
    values[{argument, 0}] = value;
  auto states = block->getArguments().take_back(numStates);
  stateArguments.append(states.begin(), states.begin() + needed.getStates().size());
  states = states.drop_front(needed.getStates().size());
  for (Scan &scan : scans) {
    unsigned count = scan.along ? scan.op.getCarry().size() : scan.body->getNumStates();
    scan.past.append(states.begin(), states.begin() + count);
    states = states.drop_front(count);
  }
}

// The new rows of `value` joined to the past ones; its version over all rows is that, with the axes in their old order.
void ExtendedGraph::addState(Value value) {
  unsigned index = llvm::find(needed.getStates(), value) - needed.getStates().begin();
  unsigned axis = needed.stateAxis(value), rank = typeOf(value).getRank(), place = rowAxis(value);
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
Value ExtendedGraph::transposed(Location loc, Value operand, ArrayRef<int64_t> permutation) {
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
void ExtendedGraph::setAttributes(Operation *op, Version version, NamedAttrList &attributes) const {
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
  if (needed.sequenceAxes(iota.getResult()) & own & ~version)
    from = addDims(from, words.past);
  if (from && constantValue(from) != 0)
    attributes.set("from", from);
}

// A slice of something else that is as long as the sequence (the first n rows of a table) goes on where the rows do.
void ExtendedGraph::setSlice(SliceOp slice, Version version, NamedAttrList &attributes) const {
  Value value = slice.getResult();
  DimAttr from = rename(slice.getFrom());
  Version own = Version(1) << slice.getAxis();
  if (needed.sequenceAxes(value) & own & ~version) {
    DimAttr passed = multiplyDims(words.past, constantDim(context, slice.stepOrOne()));
    from = passed ? addDims(from, passed) : from;
  }
  attributes.set("from", from);
  attributes.set("size", dimsOf(value, version)[slice.getAxis()]);
}

// The rows of a value over all rows that are new ones.
Value ExtendedGraph::newRows(Value all, unsigned axis, Location loc) {
  SmallVector<NamedAttribute> attributes{{builder.getStringAttr("axis"), builder.getI64IntegerAttr(axis)},
                                         {builder.getStringAttr("from"), words.past},
                                         {builder.getStringAttr("size"), words.rows}};
  return createInferred<SliceOp>(builder, loc, {all}, extendedFacts, attributes);
}

LogicalResult ExtendedGraph::compute(Operation *op, Version version) {
  AxisMaps maps = *axisMapsOf(op, words.facts);
  OperationState state(op->getLoc(), op->getName());
  for (unsigned i = 0; i < op->getNumOperands(); i++) {
    Value operand = needed.operandOf(op, i);
    unsigned index = operand == op->getOperand(i) ? i : 3 - i;
    state.operands.push_back(values.lookup({operand, needed.operandVersion(op, maps, index, version)}));
  }
  state.attributes = NamedAttrList(op->getAttrDictionary());
  setAttributes(op, version, state.attributes);
  // A running sum adds up all rows also where only the last ones are asked for.
  std::optional<unsigned> cut;
  if (auto sum = dyn_cast<CumulativeSumOp>(op))
    if (needed.sequenceAxes(sum.getResult()) & ~version & Version(1) << sum.getAxis()) {
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

// Whether no row was there before: then a carry along the sequence is at its beginning.
Value ExtendedGraph::isFirst(Location loc) {
  if (first)
    return first;
  auto integer = [&](OperationState &state) { return createInferred(builder, state, extendedFacts); };
  OperationState length(loc, DimValueOp::getOperationName()), zero(loc, ConstantOp::getOperationName());
  length.addAttribute("dim", words.past);
  zero.addAttribute("value", DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), int64_t(0)));
  zero.addAttribute("declared", TypeAttr::get(builder.getI64Type()));
  return first = createInferred<EqualOp>(builder, loc, {integer(length), integer(zero)}, extendedFacts);
}

LogicalResult ExtendedGraph::computeScan(Scan &scan) {
  ScanOp op = scan.op;
  Location loc = op.getLoc();
  SmallVector<Value> over, whole, carry, states;
  for (Value value : op.getOver())
    over.push_back(values.lookup({value, 0}));
  for (Value value : op.getWhole())
    whole.push_back(values.lookup({value, 0}));
  for (auto [i, value] : llvm::enumerate(op.getCarry())) {
    carry.push_back(values.lookup({value, 0}));
    if (!scan.along)
      continue;
    Location nameless = namedLocation(loc, builder.getStringAttr(""));
    carry.back() =
        createInferred<WhereOp>(builder, nameless, {isFirst(nameless), carry.back(), scan.past[i]}, extendedFacts);
    if (!carry.back())
      return failure();
  }
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(typeOf(result).withDims(dimsOf(result, 0)));
  if (!scan.along) {
    llvm::append_range(states, scan.past);
    GraphOp body = scan.body->getGraph();
    for (Type type : body.getFunctionTypeValue().getResults().take_back(states.size())) {
      auto entry = cast<TensorType>(type);
      SmallVector<DimAttr> dims{rename(op.getCount())};
      llvm::append_range(dims, entry.getDims());
      types.push_back(entry.withDims(dims));
    }
  }
  auto extendedScan = builder.create<ScanOp>(
      loc, types, FlatSymbolRefAttr::get(context, scan.body->getGraph().getSymName()), over, whole, carry, states);
  for (auto [before, after] : llvm::zip(op.getResults(), extendedScan.getResults()))
    values[{before, 0}] = after;
  auto kept = scan.along ? extendedScan.getCarried() : extendedScan.getResults().take_back(states.size());
  scan.states.append(kept.begin(), kept.end());
  return success();
}

LogicalResult ExtendedGraph::build() {
  if (failed(buildBodies()))
    return failure();
  addArguments();
  for (BlockArgument argument : core.getBlock().getArguments())
    if (needed.isState(argument))
      addState(argument);
  Scan *scan = scans.data();
  for (Operation &op : core.getBlock().without_terminator()) {
    if (isa<ScanOp>(op)) {
      if (needed.body(cast<ScanOp>(op)) && failed(computeScan(*scan++)))
        return failure();
    } else {
      for (Version version : needed.of(op.getResult(0)))
        if (failed(compute(&op, version)))
          return failure();
    }
    for (Value result : op.getResults())
      if (needed.isState(result))
        addState(result);
  }
  close();
  return success();
}

// The results, and without transposes that were passed over by those that were joined.
void ExtendedGraph::close() {
  SmallVector<Value> results;
  for (Value value : core.getReturn().getValues())
    results.push_back(values.lookup({value, 0}));
  for (Value state : needed.getStates())
    results.push_back(newStates.lookup(state));
  for (const Scan &scan : scans)
    llvm::append_range(results, scan.states);
  builder.create<ReturnOp>(core.getReturn().getLoc(), results);
  extended.setFunctionType(
      builder.getFunctionType(extended.getBlock().getArgumentTypes(), ValueRange(results).getTypes()));
  for (Operation *op = extended.getBlock().getTerminator()->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    if (isa<TransposeOp>(op) && op->use_empty())
      op->erase();
    op = before;
  }
}
} // namespace nova
