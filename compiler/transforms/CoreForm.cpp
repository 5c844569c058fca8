#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/Lowering.h"
#include "dialects/graph/Places.h"
#include "dialects/graph/Text.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace nova {
static Type coreElement(Type stored, const Words &words) {
  MLIRContext *context = stored.getContext();
  if (isa<WeakIntType>(stored))
    return IntegerType::get(context, 64);
  if (isa<WeakFloatType>(stored))
    return Float64Type::get(context);
  return words.element(stored);
}

unsigned Lowering::identify(const MaskedValue &value) {
  auto bits = [](Value v) { return uint64_t(reinterpret_cast<uintptr_t>(v.getAsOpaquePointer())); };
  std::vector<uint64_t> key{bits(value.data), value.plain ? bits(value.plain->data) : 0};
  for (const Region &region : value.regions) {
    key.push_back(bits(region.mask));
    key.push_back(region.fill.has_value());
    key.push_back(region.fill ? llvm::bit_cast<uint64_t>(region.fill->real) : 0);
    key.push_back(region.fill ? uint64_t(region.fill->integer) : 0);
  }
  return identities.try_emplace(key, identities.size() + 1).first->second;
}

// Numbers of a constant whose type parameter is now known; the others were checked when they were read.
static LogicalResult checkRange(ConstantOp constant, DenseElementsAttr numbers, Type element) {
  int64_t different = numbers.isSplat() ? 1 : numbers.getNumElements();
  std::string problem;
  for (int64_t i = 0; i < different && problem.empty(); i++)
    problem = isa<FloatType>(numbers.getElementType())
                  ? rangeProblem(numbers.getValues<APFloat>()[i].convertToDouble(), element)
                  : rangeProblem(numbers.getValues<APInt>()[i].getSExtValue(), element);
  return problem.empty() ? success() : LogicalResult(constant.emitError(problem));
}

LogicalResult checkMeeting(Operation *at, Value stored, const MaskedValue &value, Type element) {
  auto type = cast<TensorType>(stored.getType());
  if (isa<WeakFloatType>(type.getElementType()) && element.isInteger())
    return at->emitError(valueName(stored))
           << " is a number with a fraction and cannot meet element type " << elementText(element);
  if (!type.isWeak() || !value.constant)
    return success();
  std::string problem;
  if (!value.constant->isFloat())
    problem = rangeProblem(value.constant->integer, element);
  else if (stored.getDefiningOp<ConstantOp>())
    problem = rangeProblem(value.constant->real, element);
  if (problem.empty())
    return success();
  return at->emitError(valueName(stored)) << " meets element type " << elementText(element) << ": " << problem;
}

static LogicalResult refuseHidden(Operation *op) { return op->emitError("the stored form names no hidden entries"); }

// The axes that scans add to operand `i`.
static unsigned addedAxes(Operation *op, ArrayRef<MaskedValue> operands, unsigned i) {
  return Batch::axes(operands[i], cast<TensorType>(op->getOperand(i).getType()).getRank());
}

FailureOr<MaskedValue> Lowering::gather(GatherOp op, ArrayRef<MaskedValue> operands) {
  Location loc = describedLocation(op);
  MaskedValue indices = operands[1];
  if (cast<TensorType>(op.getIndices().getType()).isWeak())
    indices = core.castMasked(loc, indices, core.b.getI64Type());
  Value plain = core.materialize(loc, indices);
  if (Type element = cast<TensorType>(plain.getType()).getElementType(); !element.isInteger())
    return op->emitError("expected indices of element type i64 or i32, found ") << elementText(element);
  if (op.getBatch())
    return op.emitError("the stored form names no batch of a gather");
  unsigned own = addedAxes(op, operands, 0), added = addedAxes(op, operands, 1);
  MaskedValue picked = core.gather(loc, operands[0], plain, op.getAxis() + own, own && added ? own : 0);
  if (own || !added || op.getAxis() == 0)
    return picked;
  // The axes of the scans stand where those of the indices do: they go to the front.
  SmallVector<int64_t> permutation;
  int64_t rank = cast<TensorType>(picked.data.getType()).getRank(), axis = op.getAxis();
  for (int64_t k = 0; k < added; k++)
    permutation.push_back(axis + k);
  for (int64_t k = 0; k < rank; k++)
    if (k < axis || k >= axis + added)
      permutation.push_back(k);
  return core.transpose(loc, picked, core.b.getDenseI64ArrayAttr(permutation));
}

// Ops that move entries act on mask and fill alike.
FailureOr<MaskedValue> Lowering::layout(Operation *op, const Words &words, ArrayRef<MaskedValue> operands,
                                        const Batch &batch) {
  Location loc = op->getLoc();
  unsigned added = addedAxes(op, operands, 0);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, added));
    for (int64_t axis : transpose.getPermutation())
      permutation.push_back(axis + added);
    return core.transpose(loc, operands[0], core.b.getDenseI64ArrayAttr(permutation));
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    int64_t rank = concat.getType().getRank();
    SmallVector<MaskedValue> parts = batch.joint(loc, operands, rank);
    return core.concat(loc, parts, concat.getAxis() + Batch::axes(parts[0], rank));
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    FailureOr<SmallVector<DimAttr>> dims = words.dims(op, {slice.getFrom(), slice.getSize()});
    if (failed(dims))
      return failure();
    return core.slice(loc, operands[0], slice.getAxis() + added, (*dims)[0], (*dims)[1], slice.getStepAttr());
  }
  if (auto pad = dyn_cast<PadOp>(op)) {
    FailureOr<SmallVector<DimAttr>> dims = words.dims(op, {pad.getLow(), pad.getHigh()});
    Type element = coreElement(cast<TensorType>(pad.getType()).getElementType(), words);
    if (failed(dims) || failed(checkMeeting(op, pad.getValue(), operands[1], element)))
      return failure();
    MaskedValue fill = core.castMasked(loc, operands[1], element);
    if (unsigned differs = addedAxes(op, operands, 1)) {
      // A number of its own for each entry of a scan: what is put around is joined as a value.
      int64_t rank = pad.getType().getRank();
      SmallVector<MaskedValue> parts;
      for (DimAttr size : *dims) {
        SmallVector<DimAttr> around(dimsOf(fill));
        llvm::append_range(around, dimsOf(operands[0]).take_back(rank));
        around[differs + pad.getAxis()] = size;
        parts.push_back(core.broadcast(loc, batch.widened(loc, fill, differs, rank), around));
      }
      parts.insert(parts.begin() + 1, operands[0]);
      parts = batch.joint(loc, parts, rank);
      return core.concat(loc, parts, pad.getAxis() + Batch::axes(parts[0], rank));
    }
    return core.pad(loc, operands[0], core.materialize(loc, fill), pad.getAxis() + added, (*dims)[0], (*dims)[1]);
  }
  if (auto gatherOp = dyn_cast<GatherOp>(op))
    return gather(gatherOp, operands);
  auto reshape = dyn_cast<ReshapeOp>(op);
  FailureOr<SmallVector<DimAttr>> dims = words.dims(op, reshape ? reshape.getDims() : cast<BroadcastOp>(op).getDims());
  if (failed(dims))
    return failure();
  MaskedValue operand = operands[0];
  int64_t rank = dimsOf(operand).size() - added, more = dims->size() - rank;
  if (!reshape && added && more) // new axes come behind those of the scans
    operand = batch.widened(loc, operand, added, more);
  dims->insert(dims->begin(), dimsOf(operand).begin(), dimsOf(operand).begin() + added);
  return reshape ? core.reshape(loc, operand, *dims) : core.broadcast(loc, operand, *dims);
}

FailureOr<MaskedValue> Lowering::value(Operation *op, const Words &words, ArrayRef<MaskedValue> operands,
                                       const Batch &batch) {
  Location loc = isa<DivideOp>(op) ? describedLocation(op) : op->getLoc(); // it may fail
  StringRef name = op->getName().getStringRef();
  auto type = cast<TensorType>(op->getResult(0).getType());
  Type element = coreElement(type.getElementType(), words);
  OpBuilder &b = core.b;
  MaskedValue result;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto attr = cast<DenseElementsAttr>(constant.getValue());
    if (element.isInteger() && isa<FloatType>(attr.getElementType()))
      return op->emitError("a number with a dot cannot be of element type ") << elementText(element);
    if (constant.getDeclared() && isa<ParamType>(*constant.getDeclared()) &&
        failed(checkRange(constant, attr, element)))
      return failure();
    bool uniform = attr.getNumElements() > 0 && attr.isSplat();
    if (uniform) {
      Scalar s{attr.getElementType(), 0, 0};
      if (isa<FloatType>(s.type))
        s.real = attr.getSplatValue<APFloat>().convertToDouble();
      else
        s.integer = s.type.isInteger(1) ? attr.getSplatValue<bool>() : attr.getSplatValue<APInt>().getSExtValue();
      result.constant = castScalar(s, element);
    }
    if (type.getRank() == 0)
      result.data = core.constant(loc, *result.constant);
    else
      result.data = core.create(loc, name, {},
                                {b.getNamedAttr("value", attr), b.getNamedAttr("declared", TypeAttr::get(element))});
    return result;
  }
  if (auto size = dyn_cast<SizeOp>(op)) {
    DimAttr dim = dimsOf(operands[0])[size.getAxis() + addedAxes(op, operands, 0)];
    if (std::optional<int64_t> known = constantValue(dim)) {
      result.constant = Scalar{b.getI64Type(), 0, *known};
      result.data = core.constant(loc, *result.constant);
    } else {
      result.data = core.create(loc, "nova.dim_value", {}, b.getNamedAttr("dim", dim));
    }
    return result;
  }
  if (auto dimValue = dyn_cast<DimValueOp>(op)) {
    result.data = core.create(loc, name, {}, b.getNamedAttr("dim", words.dim(dimValue.getDim())));
    return result;
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    FailureOr<SmallVector<DimAttr>> dims = words.dims(op, iota.getDims());
    if (failed(dims))
      return failure();
    SmallVector<Attribute> list(dims->begin(), dims->end());
    SmallVector<NamedAttribute> attributes{b.getNamedAttr("axis", iota.getAxisAttr()),
                                           b.getNamedAttr("dims", b.getArrayAttr(list))};
    if (iota.getFromAttr())
      attributes.push_back(b.getNamedAttr("from", words.dim(iota.getFromAttr())));
    result.data = core.create(loc, name, {}, attributes);
    return result;
  }
  if (auto castOp = dyn_cast<CastOp>(op)) {
    // `low` is low among entries of its own type; what it is cast to need not be.
    MaskedValue operand = operands[0];
    if (llvm::any_of(operand.regions, [](const Region &region) { return !region.fill; })) {
      operand = MaskedValue();
      operand.data = core.materialize(loc, operands[0]);
    }
    return core.castMasked(loc, operand, words.element(castOp.getTo()));
  }
  if (isa<TransposeOp, ReshapeOp, BroadcastOp, SliceOp, ConcatOp, PadOp, GatherOp>(op))
    return layout(op, words, operands, batch);
  if (auto sum = dyn_cast<CumulativeSumOp>(op)) {
    if (sum.getHidden())
      return refuseHidden(op);
    return core.cumulativeSum(loc, operands[0], b.getI64IntegerAttr(sum.getAxis() + addedAxes(op, operands, 0)));
  }
  if (auto reduction = dyn_cast<ReductionOp>(op)) {
    if (reduction.getHidden())
      return refuseHidden(op);
    return core.reduce(loc, name, operands[0], reduction.getAxis() + addedAxes(op, operands, 0), reduction.getDrop());
  }
  // What is left is elementwise or a contraction: operands meet at one element type.
  SmallVector<MaskedValue> met = batch.aligned(op, operands);
  Type meet = element;
  if (isComparison(op)) {
    // A comparison's operands meet at the stronger of the two stored types.
    auto a = cast<TensorType>(op->getOperand(0).getType()), c = cast<TensorType>(op->getOperand(1).getType());
    bool first = !a.isWeak() || (c.isWeak() && isa<WeakFloatType>(a.getElementType()));
    meet = coreElement((first ? a : c).getElementType(), words);
  }
  for (auto [i, operand] : llvm::enumerate(met)) {
    if (isa<WhereOp>(op) && i == 0)
      continue;
    if (failed(checkMeeting(op, op->getOperand(i), operand, meet)))
      return failure();
    operand = core.castMasked(loc, operand, meet);
  }
  if (isa<WhereOp>(op))
    return core.where(loc, met[0], met[1], met[2]);
  if (isa<MatmulOp>(op)) {
    if (met.size() > 2)
      return refuseHidden(op);
    return core.matmul(loc, met[0], met[1]);
  }
  return core.elementwise(loc, name, met);
}

FailureOr<SmallVector<MaskedValue>> Lowering::body(GraphOp graph, const Words &words, ArrayRef<MaskedValue> arguments,
                                                   DenseMap<Value, MaskedValue> &env, unsigned depth) {
  Batch batch(core, depth);
  for (auto [arg, value] : llvm::zip_equal(graph.getBlock().getArguments(), arguments))
    env[arg] = value;
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (auto invocation = dyn_cast<Invocation>(op)) {
      if (failed(invoke(invocation, env, batch)))
        return failure();
      continue;
    }
    SmallVector<MaskedValue> operands;
    for (Value operand : op.getOperands())
      operands.push_back(env.lookup(operand));
    FailureOr<MaskedValue> result = value(&op, words, operands, batch);
    if (failed(result) || !result->data)
      return failure();
    result->identity = identify(*result);
    env[op.getResult(0)] = *result;
  }
  SmallVector<MaskedValue> results;
  for (auto [i, value] : llvm::enumerate(graph.getReturn().getValues())) {
    Type element = words.element(graph.getResultType(i).getElementType());
    if (failed(checkMeeting(graph.getReturn(), value, env.lookup(value), element)))
      return failure();
    results.push_back(core.castMasked(graph.getLoc(), env.lookup(value), element));
  }
  return results;
}

// The graphs of scans that turned out to be unused, and what they alone run.
static void eraseUnused(Bodies &bodies) {
  for (bool more = true; more;) {
    more = false;
    for (GraphOp graph : llvm::make_early_inc_range(bodies.module.getOps<GraphOp>()))
      if (graph != bodies.entry && SymbolTable::symbolKnownUseEmpty(graph, bodies.module)) {
        graph.erase();
        more = true;
      }
  }
}

OwningOpRef<ModuleOp> buildCoreForm(GraphOp graph, const TypeBindings &types, ArrayRef<std::string> probes) {
  MLIRContext *context = graph.getContext();
  OpBuilder b(context);
  Words words;
  for (Attribute a : graph.getTypeParams()) {
    auto param = cast<TypeParamAttr>(a);
    Type given = types.lookup(param.getName().getValue());
    if (given && (param.getKind().getValue() == "float") != isa<FloatType>(given)) {
      graph.emitError("type parameter ") << param.getName().getValue() << " is of kind " << param.getKind().getValue()
                                         << ", found " << elementText(given);
      return {};
    }
    words.types[param.getName().getValue()] = given ? given : param.getFallback();
  }
  for (auto &entry : types)
    if (!words.types.count(entry.getKey())) {
      graph.emitError("graph @") << graph.getSymName() << " has no type parameter " << entry.getKey();
      return {};
    }

  OwningOpRef<ModuleOp> module = ModuleOp::create(graph.getLoc());
  b.setInsertionPointToStart(module->getBody());
  SmallVector<Type> argTypes;
  for (Type type : graph.getFunctionTypeValue().getInputs())
    argTypes.push_back(words.type(cast<TensorType>(type)));
  auto core = b.create<GraphOp>(graph.getLoc(), graph.getSymNameAttr(), TypeAttr::get(b.getFunctionType(argTypes, {})),
                                b.getArrayAttr({}), graph.getClausesAttr(), graph.getArgNamesAttr(),
                                graph.getBoundArgsAttr(), StringAttr());
  Block &block = core.getBody().emplaceBlock();
  Facts facts = factsOf(graph); // the builder keeps a reference
  Bodies bodies{*module, core};
  Lowering lowering(b, facts, bodies);
  SmallVector<MaskedValue> arguments;
  for (auto [type, arg] : llvm::zip_equal(argTypes, graph.getBlock().getArguments())) {
    MaskedValue value;
    value.data = block.addArgument(type, arg.getLoc());
    value.identity = lowering.identify(value);
    arguments.push_back(value);
  }
  b.setInsertionPointToStart(&block);
  DenseMap<Value, MaskedValue> env;
  FailureOr<SmallVector<MaskedValue>> results = lowering.body(graph, words, arguments, env, /*depth=*/0);
  if (failed(results))
    return {};
  for (const std::string &probe : probes) {
    Value found;
    for (BlockArgument arg : graph.getBlock().getArguments())
      if (graph.getArgName(arg.getArgNumber()) == probe)
        found = arg;
    for (Operation &op : graph.getBlock())
      for (Value result : op.getResults())
        if (valueName(result) == "%" + probe)
          found = result;
    if (!found) {
      graph.emitError("graph @") << graph.getSymName() << " has no value named " << probe;
      return {};
    }
    results->push_back(env.lookup(found));
  }
  SmallVector<Value> values;
  SmallVector<Type> resultTypes;
  SmallVector<std::string> names;
  for (auto [i, result] : llvm::enumerate(*results)) {
    values.push_back(lowering.core.materialize(graph.getLoc(), result));
    bool declared = i < graph.getNumGraphResults();
    names.push_back(declared ? graph.getResultName(i) : probes[i - graph.getNumGraphResults()]);
    resultTypes.push_back(declared ? Type(words.type(graph.getResultType(i))) : values.back().getType());
  }
  closeGraph(core, lowering.core, graph.getReturn().getLoc(), values, resultTypes, names);
  eraseUnused(bodies);
  return module;
}

GraphOp coreGraph(ModuleOp module) { return *module.getOps<GraphOp>().begin(); }
} // namespace nova
