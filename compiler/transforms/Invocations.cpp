#include "compiler/transforms/GuardOperands.h"
#include "compiler/transforms/Lowering.h"
#include "dialects/graph/Places.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace nova {
void eraseDead(GraphOp graph) {
  for (Operation *op = graph.getReturn()->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    if (op->use_empty())
      op->erase();
    op = before;
  }
}

// Without the stacked results that nobody reads, and what only they need.
static void dropUnread(ScanOp scan, OpBuilder &b) {
  unsigned stacked = scan.getStacked().size();
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < scan->getNumResults(); i++)
    if (i >= stacked || !scan.getResult(i).use_empty())
      kept.push_back(i);
  if (kept.size() == scan->getNumResults())
    return;
  GraphOp body = scan.getBody();
  SmallVector<Value> values;
  SmallVector<Type> inner, outer;
  SmallVector<StringAttr> names;
  for (unsigned i : kept) {
    values.push_back(body.getReturn().getValues()[i]);
    inner.push_back(values.back().getType());
    outer.push_back(scan.getResult(i).getType());
    std::string name = valueName(scan.getResult(i));
    names.push_back(b.getStringAttr(isNumbered(name) ? "" : StringRef(name).drop_front()));
  }
  body.getReturn()->setOperands(values);
  body.setFunctionType(b.getFunctionType(body.getBlock().getArgumentTypes(), inner));
  eraseDead(body);
  for (ScanOp inside : llvm::make_early_inc_range(body.getBlock().getOps<ScanOp>()))
    dropUnread(inside, b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(scan);
  auto less = b.create<ScanOp>(namedLocation(scan.getLoc(), names), outer, scan.getCalleeAttr(), scan.getOver(),
                               scan.getWhole(), scan.getCarry(), scan.getStates());
  for (auto [to, from] : llvm::enumerate(kept))
    scan.getResult(from).replaceAllUsesWith(less.getResult(to));
  scan.erase();
}

void closeGraph(GraphOp graph, CoreBuilder &core, Location loc, ArrayRef<Value> values, ArrayRef<Type> types,
                ArrayRef<std::string> names) {
  // What is returned has the name under which it was asked for also where a fill had to be written into it.
  for (auto [value, name] : llvm::zip(values, names))
    if (Operation *op = value.getDefiningOp(); op && op->getNumResults() == 1 && isNumbered(valueName(value)))
      op->setLoc(namedLocation(op->getLoc(), StringAttr::get(op->getContext(), name)));
  core.b.create<ReturnOp>(loc, values);
  graph.setFunctionType(core.b.getFunctionType(graph.getBlock().getArgumentTypes(), types));
  guardOperands(graph, core);
  eraseDead(graph);
  for (ScanOp scan : llvm::make_early_inc_range(graph.getBlock().getOps<ScanOp>()))
    dropUnread(scan, core.b);
  eraseDead(graph); // what only results of scans needed
}

LogicalResult Lowering::invoke(Invocation op, DenseMap<Value, MaskedValue> &env, const Batch &batch) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getCalleeAttr());
  if (!callee || callee.getNumGraphArguments() != op->getNumOperands() ||
      callee.getNumGraphResults() != op->getNumResults())
    return op->emitError("call of @") << op.getCallee() << " does not match a graph of this program";
  Location loc = op->getLoc();
  auto scan = dyn_cast<ScanOp>(*op);
  bool repeats = scan && op.getNumCarried() > 0, scans = scan && !repeats;
  DimAttr count; // of the entries that are scanned
  Words inner;
  SmallVector<MaskedValue> arguments;
  SmallVector<std::pair<DimAttr, DimAttr>> pairs;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    MaskedValue argument = env.lookup(operand);
    int64_t rank = cast<TensorType>(operand.getType()).getRank();
    if (scans && i < op.getNumScanned()) {
      argument = batch.entry(argument, rank);
      count = dimsOf(argument)[batch.getDepth()];
    } else if (scans) {
      argument = batch.whole(argument, rank);
    }
    TensorType want = callee.getArgumentType(i);
    auto have = cast<TensorType>(argument.data.getType());
    ArrayRef<DimAttr> dims = have.getDims().take_back(want.getRank());
    bool weak = cast<TensorType>(operand.getType()).isWeak();
    if (auto param = dyn_cast<ParamType>(want.getElementType()); param && !weak)
      inner.types.try_emplace(param.getName().getValue(), have.getElementType());
    for (auto [theirs, ours] : llvm::zip_equal(want.getDims(), dims))
      pairs.emplace_back(theirs, ours);
    arguments.push_back(argument);
  }
  inner.symbols = bindSymbols(pairs);
  for (Attribute a : callee.getTypeParams()) {
    auto param = cast<TypeParamAttr>(a);
    inner.types.try_emplace(param.getName().getValue(), param.getFallback());
  }
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Type element = inner.element(callee.getArgumentType(i).getElementType());
    if (failed(checkMeeting(op, op->getOperand(i), argument, element)))
      return failure();
    argument = core.castMasked(loc, argument, element);
  }
  if (repeats)
    return repeat(scan, callee, inner, arguments, env, batch);
  DenseMap<Value, MaskedValue> innerEnv;
  FailureOr<SmallVector<MaskedValue>> results =
      body(callee, inner, arguments, innerEnv, batch.getDepth() + (scans ? 1 : 0));
  if (failed(results))
    return failure();
  for (auto [i, value] : llvm::enumerate(*results))
    env[op->getResult(i)] = scans ? batch.stacked(loc, value, callee.getResultType(i).getRank(), count) : value;
  return success();
}

//===--- scans with a carry ---===//

namespace {
// Values that no argument enters (positions, sizes, numbers, masks of them) are made again inside the graph of a scan,
// so that what is known of them is known there too.
class MadeAgain {
public:
  explicit MadeAgain(CoreBuilder &inside) : inside(inside) {}

  bool isMade(const MaskedValue &value) {
    return !value.plain && isMade(value.data) &&
           llvm::all_of(value.regions, [&](const Region &region) { return region.fill && isMade(region.mask); });
  }

  MaskedValue copy(const MaskedValue &value) {
    MaskedValue result = value;
    result.data = copy(value.data);
    for (Region &region : result.regions)
      region.mask = copy(region.mask);
    result.lowOf.reset();
    return result;
  }

private:
  // Operands before ops, without recursion: chains are long.
  bool isMade(Value root) {
    SmallVector<Value> work{root};
    while (!work.empty()) {
      Operation *op = work.back().getDefiningOp();
      if (!op || isa<Invocation, GatherOp>(op))
        return made[root] = false;
      Value open;
      for (Value x : op->getOperands()) {
        auto known = made.find(x);
        if (known != made.end() && !known->second)
          return made[root] = false;
        if (known == made.end())
          open = x;
      }
      if (open) {
        work.push_back(open);
        continue;
      }
      made[work.pop_back_val()] = true;
    }
    return true;
  }

  Value copy(Value root) {
    SmallVector<Value> work{root};
    while (!work.empty()) {
      Value value = work.back();
      Operation *op = value.getDefiningOp();
      SmallVector<Value> operands;
      Value open;
      for (Value x : op->getOperands()) {
        operands.push_back(copies.lookup(x));
        if (!operands.back())
          open = x;
      }
      if (open) {
        work.push_back(open);
        continue;
      }
      copies[value] = inside.create(op->getLoc(), op->getName().getStringRef(), operands, op->getAttrs());
      work.pop_back();
    }
    return copies[root];
  }

  CoreBuilder &inside;
  DenseMap<Value, bool> made;
  DenseMap<Value, Value> copies;
};
} // namespace

static MaskedValue plainValue(Value data) {
  MaskedValue value;
  value.data = data;
  return value;
}

// Moves axis `from` of a plain value to place `to`.
static Value moveAxis(CoreBuilder &core, Location loc, Value value, int64_t from, int64_t to) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, cast<TensorType>(value.getType()).getRank()));
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return core.transpose(loc, plainValue(value), core.b.getDenseI64ArrayAttr(permutation)).data;
}

// One run follows the other, so the graph stays one of its own. What goes in and out of it is plain, but for what is
// made again there; axes of scans around it (Batch.h) stand in front of each entry.
LogicalResult Lowering::repeat(ScanOp op, GraphOp callee, const Words &inner, ArrayRef<MaskedValue> arguments,
                               DenseMap<Value, MaskedValue> &env, const Batch &batch) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  unsigned depth = batch.getDepth(), over = op.getOver().size(), carried = op.getCarry().size(),
           firstCarry = arguments.size() - carried;
  DimAttr one = constantDim(context, 1);
  SmallVector<DimAttr> around(depth, one);
  SmallVector<unsigned> added;
  bool differ = false;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    added.push_back(Batch::axes(argument, callee.getArgumentType(i).getRank() + (i < over)));
    differ |= added.back() > 0;
    for (unsigned k = 0; k < added.back(); k++)
      if (dimsOf(argument)[k] != one)
        around[k] = dimsOf(argument)[k];
  }

  OpBuilder inside(context);
  inside.setInsertionPointToEnd(bodies.module.getBody());
  std::string name = (bodies.entry.getSymName() + ".scan" + Twine(bodies.count++)).str();
  auto body = inside.create<GraphOp>(loc, inside.getStringAttr(name), TypeAttr::get(inside.getFunctionType({}, {})),
                                     inside.getArrayAttr({}), bodies.entry.getClausesAttr(), inside.getArrayAttr({}),
                                     DenseI64ArrayAttr(), StringAttr());
  Block &block = body.getBody().emplaceBlock();
  inside.setInsertionPointToStart(&block);
  Lowering lowering(inside, facts, bodies);
  MadeAgain madeAgain(lowering.core);

  SmallVector<Value> segments[3]; // over, with, carry
  SmallVector<MaskedValue> innerArguments;
  SmallVector<Attribute> names;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    bool entered = i < over, carries = i >= firstCarry;
    if (!entered && !carries && madeAgain.isMade(argument)) {
      innerArguments.push_back(madeAgain.copy(argument));
      innerArguments.back().identity = lowering.identify(innerArguments.back());
      continue;
    }
    Value value = core.materialize(loc, argument);
    if (entered)
      value = moveAxis(core, loc, value, added[i], 0);
    if (carries && differ) {
      SmallVector<DimAttr> dims(around);
      llvm::append_range(dims, ArrayRef(dimsOf(argument)).drop_front(added[i]));
      value = core.broadcast(loc, plainValue(value), dims).data;
    }
    segments[entered ? 0 : carries ? 2 : 1].push_back(value);
    auto type = cast<TensorType>(value.getType());
    StringAttr own = inside.getStringAttr(callee.getArgName(i));
    names.push_back(own);
    MaskedValue within = plainValue(block.addArgument(entered ? type.withDims(type.getDims().drop_front()) : type,
                                                      NameLoc::get(own, callee.getBlock().getArgument(i).getLoc())));
    within.identity = lowering.identify(within);
    innerArguments.push_back(within);
  }
  body.setArgNamesAttr(inside.getArrayAttr(names));

  DenseMap<Value, MaskedValue> innerEnv;
  FailureOr<SmallVector<MaskedValue>> results = lowering.body(callee, inner, innerArguments, innerEnv, depth);
  if (failed(results))
    return failure();
  SmallVector<Value> values;
  SmallVector<Type> types, outer;
  SmallVector<std::string> resultNames;
  DimAttr count = cast<TensorType>(segments[0].front().getType()).getDims().front();
  unsigned stacked = results->size() - carried;
  for (auto [i, result] : llvm::enumerate(*results)) {
    Value value = lowering.core.materialize(loc, result);
    if (i >= stacked) {
      auto want = cast<TensorType>(segments[2][i - stacked].getType());
      value = lowering.core.broadcast(loc, plainValue(value), want.getDims()).data;
    }
    values.push_back(value);
    types.push_back(value.getType());
    resultNames.push_back(callee.getResultName(i));
    auto type = cast<TensorType>(value.getType());
    SmallVector<DimAttr> dims(type.getDims());
    if (i < stacked)
      dims.insert(dims.begin(), count);
    outer.push_back(type.withDims(dims));
  }
  closeGraph(body, lowering.core, loc, values, types, resultNames);

  auto scan = core.b.create<ScanOp>(describedLocation(op), outer, FlatSymbolRefAttr::get(context, name), segments[0],
                                    segments[1], segments[2], ValueRange());
  for (auto [i, result] : llvm::enumerate(scan.getResults())) {
    int64_t rank = callee.getResultType(i).getRank() + (i < stacked);
    int64_t more = cast<TensorType>(result.getType()).getRank() - rank;
    MaskedValue value = plainValue(i < stacked ? moveAxis(core, loc, result, 0, more) : Value(result));
    value.identity = identify(value);
    env[op.getResult(i)] = value;
  }
  return success();
}
} // namespace nova
