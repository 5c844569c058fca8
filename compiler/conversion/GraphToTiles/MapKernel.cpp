#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/ScalarBody.h"
#include <map>

using namespace mlir;

namespace nova {
namespace {
// Rows of a block of a loop nest: enough work to share, small enough to spread over threads.
constexpr int64_t mapBlock = 64;

using AxisMap = SmallVector<AxisPlace, 4>;

class MapEmitter {
public:
  MapEmitter(OpBuilder &builder, const Values &values, const MapKernelInput &in)
      : b(builder), values(values), in(in), faults(in.faults) {}
  PlanStep run();

private:
  OpBuilder &b;
  const Values &values;
  const MapKernelInput &in;
  using Key = std::pair<const void *, std::vector<std::tuple<int64_t, int64_t, const void *>>>; // (value, axis map)
  std::map<Key, Value> scalars;
  std::vector<std::pair<Value, AxisMap>> leaves;
  SmallVector<Value> indices;
  DenseSet<int64_t> indexed; // axes of the output whose positions are computed with
  KernelFaults faults;
  int64_t batch = 0; // leading axes of the output

  AxisMap operandMap(Operation *op, const AxisMap &own, Value operand) const;
  Value position(OpBuilder &body, Location loc, const AxisPlace &place) const;
  AffineExpr expression(const AxisPlace &place, int64_t batch, SmallVectorImpl<Attribute> &starts) const;
  int64_t batchAxes(TensorType type) const;
  void visit(Value root, const AxisMap &map, bool collect, OpBuilder &body);
  static Key key(Value value, const AxisMap &map) {
    Key key{value.getAsOpaquePointer(), {}};
    for (const AxisPlace &place : map)
      key.second.emplace_back(place.axis, place.step, place.start.getAsOpaquePointer());
    return key;
  }
};
} // namespace

AxisMap MapEmitter::operandMap(Operation *op, const AxisMap &own, Value operand) const {
  TensorType type = tensorOf(operand);
  AxisMap map;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    map.resize(type.getRank());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      map[from] = own[to];
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    // Slices are read by what keeps positions as they are, never by slices: nothing has to be composed.
    map = own;
    map[slice.getAxis()] = {own[slice.getAxis()].axis, slice.stepOrOne(), slice.getFrom()};
  } else {
    int64_t shift = int64_t(own.size()) - type.getRank();
    for (int64_t axis = 0; axis < type.getRank(); axis++)
      map.push_back(own[shift + axis]);
  }
  for (int64_t axis = 0; axis < type.getRank(); axis++)
    if (values.isOne(type.getDims()[axis]))
      map[axis] = AxisPlace();
  return map;
}

Value MapEmitter::position(OpBuilder &body, Location loc, const AxisPlace &place) const {
  Value at = place.axis < 0 ? scalarInteger(body, loc, 0) : indices[place.axis];
  if (place.step != 1)
    at = body.create<MultiplyOp>(loc, at.getType(), at, scalarInteger(body, loc, place.step));
  return place.start ? body.create<AddOp>(loc, at.getType(), at, scalarDim(body, loc, place.start)) : at;
}

// What an axis of the batch adds is in the step's strides.
AffineExpr MapEmitter::expression(const AxisPlace &place, int64_t batch, SmallVectorImpl<Attribute> &starts) const {
  MLIRContext *context = b.getContext();
  AffineExpr at = getAffineConstantExpr(0, context);
  if (place.axis >= batch)
    at = getAffineDimExpr(place.axis - batch, context) * place.step;
  if (!place.start || constantValue(place.start) == 0)
    return at;
  unsigned symbol = llvm::find(starts, place.start) - starts.begin();
  if (symbol == starts.size())
    starts.push_back(place.start);
  return at + getAffineSymbolExpr(symbol, context);
}

// Once to collect the leaves (what is read from memory), once to create the scalars. Operands before ops, without
// recursion.
void MapEmitter::visit(Value root, const AxisMap &rootMap, bool collect, OpBuilder &body) {
  std::vector<std::pair<Value, AxisMap>> work{{root, rootMap}};
  std::map<Key, bool> entered;
  while (!work.empty()) {
    Value v = work.back().first;
    AxisMap map = work.back().second;
    Key id = key(v, map);
    if (scalars.count(id)) {
      work.pop_back();
      continue;
    }
    Operation *op = v.getDefiningOp();
    bool isOwn = v == root && v == in.op->getResult(0);
    if (!isOwn && !in.inlined(v)) {
      if (collect)
        leaves.emplace_back(v, map);
      scalars[id] = Value();
      work.pop_back();
      continue;
    }
    bool moves = isa<TransposeOp, SliceOp>(op), reads = isElementwise(op) || moves;
    if (reads && !entered[id]) {
      entered[id] = true;
      for (Value x : op->getOperands())
        work.emplace_back(x, operandMap(op, map, x));
      continue;
    }
    work.pop_back();
    if (collect) {
      if (auto iota = dyn_cast<IotaOp>(op))
        indexed.insert(map[iota.getAxis()].axis);
      scalars[id] = Value();
      continue;
    }
    auto operand = [&](Value x) { return scalars[key(x, operandMap(op, map, x))]; };
    if (moves) {
      scalars[id] = operand(op->getOperand(0));
      continue;
    }
    auto index = [&](OpBuilder &ib, IotaOp iota) { return position(ib, iota.getLoc(), map[iota.getAxis()]); };
    auto cloned = [&](Operation *graphOp, Operation *scalar) {
      faults.note(graphOp, scalar, map, batch, tensorOf(in.value).getRank() - batch);
    };
    ScalarBody one(body, index, cloned);
    if (reads)
      for (Value x : op->getOperands())
        one.set(x, operand(x));
    scalars[id] = one.get(v);
  }
}

// How many leading axes of the output become a batch: all but two, as far as no position along them is computed with
// and each instance has work.
int64_t MapEmitter::batchAxes(TensorType type) const {
  int64_t batch = std::max<int64_t>(type.getRank() - 2, 0);
  if (batch > 0 && !isWorthBatching(type))
    return 0;
  // The steps through packed 4-bit rows are no polynomials.
  auto isNibble = [](TensorType tensor) { return tensor.getElementType().isInteger(4); };
  if (isNibble(type) || llvm::any_of(leaves, [&](auto &leaf) { return isNibble(tensorOf(leaf.first)); }))
    return 0;
  for (int64_t axis : indexed)
    if (axis >= 0)
      batch = std::min(batch, axis);
  for (auto [axis, begin] : llvm::enumerate(in.at))
    if (constantValue(begin) != 0)
      batch = std::min<int64_t>(batch, axis);
  return batch;
}

PlanStep MapEmitter::run() {
  Value v = in.value;
  TensorType type = tensorOf(v);
  MLIRContext *context = b.getContext();
  Location loc = in.op->getLoc();
  DimAttr rows = type.getRank() ? type.getDims()[0] : values.getOne();
  int64_t block = type.getRank() > 1 ? mapBlock : mapBlock * mapBlock;
  AxisMap identity;
  for (int64_t i = 0; i < type.getRank(); i++)
    identity.push_back({i, 1, DimAttr()});
  visit(v, identity, true, b);
  scalars.clear();
  batch = batchAxes(type);
  if (batch > 0)
    rows = type.getDims()[batch];
  auto kernel =
      b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), rows, constantDim(context, 0), block, false);
  Block &outer = kernel.getBody().emplaceBlock();

  PlanStep step{in.name, rows, block, false, {}, {}};
  llvm::append_range(step.batch, type.getDims().take_front(batch));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto argument = [&](GlobalBuffer global) -> BlockArgument {
    for (auto [i, buffer] : llvm::enumerate(step.buffers))
      if (buffer == global.buffer && outer.getArgument(i).getType() == global.type)
        return outer.getArgument(i);
    step.buffers.push_back(global.buffer);
    return outer.addArgument(global.type, loc);
  };
  SmallVector<Attribute> starts;
  std::vector<SmallVector<AffineExpr>> places;
  for (auto &[leaf, map] : leaves) {
    GlobalBuffer global = in.global(leaf);
    global.buffer.strides = in.strides(tensorOf(leaf), map, batch);
    inputs.push_back(argument(global));
    places.emplace_back();
    for (const AxisPlace &place : map)
      places.back().push_back(expression(place, batch, starts));
  }
  for (ArrayRef<AffineExpr> place : places)
    maps.push_back(AffineMap::get(type.getRank() - batch, starts.size(), place, context));
  GlobalBuffer whole = in.global(in.op->getResult(0));
  TensorType target = whole.type.getTensor();
  whole.buffer.strides = in.strides(target, identity, batch);
  whole.type = tile::BufferType::get(context, target.withDims(target.getDims().drop_front(batch)), tile::Layout::rows);
  BlockArgument output = argument(whole);
  step.writes = {output.getArgNumber()};
  OpBuilder inner = OpBuilder::atBlockEnd(&outer);
  auto list = [&](ArrayRef<DimAttr> dims) { return b.getArrayAttr(SmallVector<Attribute>(dims.begin(), dims.end())); };
  bool isPart = !in.at.empty();
  auto map = inner.create<tile::MapOp>(loc, inputs, output, inner.getAffineMapArrayAttr(maps),
                                       starts.empty() ? ArrayAttr() : b.getArrayAttr(starts),
                                       isPart ? list(type.getDims().drop_front(batch)) : ArrayAttr(),
                                       isPart ? list(in.at.drop_front(batch)) : ArrayAttr());
  Block &body = map.getBody().emplaceBlock();
  for (auto &[leaf, axes] : leaves)
    scalars[key(leaf, axes)] = body.addArgument(scalarType(tensorOf(leaf).getElementType()), loc);
  indices.resize(batch);
  for (int64_t i = batch; i < type.getRank(); i++)
    indices.push_back(body.addArgument(scalarType(inner.getI64Type()), loc));
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(&body);
  visit(v, identity, false, bodyBuilder);
  bodyBuilder.create<tile::YieldOp>(loc, ValueRange{scalars[key(v, identity)]});
  step.faults = faults.finish(kernel);
  return step;
}

PlanStep emitMapKernel(OpBuilder &builder, const Values &values, const MapKernelInput &input) {
  return MapEmitter(builder, values, input).run();
}

PlanStep emitReduceKernel(OpBuilder &b, const Values &values, const MapKernelInput &in) {
  auto reduction = dyn_cast<ReductionOp>(in.op);
  Location loc = in.op->getLoc();
  int64_t axis = reduction ? reduction.getAxis() : cast<CumulativeSumOp>(in.op).getAxis();
  GlobalBuffer input = in.global(in.op->getOperand(0)), output = in.global(in.op->getResult(0));
  // The kernel sees the axis kept with size 1, also where the graph drops it: the memory is the same.
  TensorType inputType = input.type.getTensor();
  SmallVector<DimAttr> kept(inputType.getDims());
  kept[axis] = values.getOne();
  tile::BufferType outType = output.type;
  if (reduction)
    outType = tile::BufferType::get(b.getContext(), outType.getTensor().withDims(kept), tile::Layout::rows);
  auto kernel = b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), kept[0],
                                         constantDim(b.getContext(), 0), mapBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  PlanStep step{in.name, kept[0], mapBlock, false, {input.buffer}, {}};
  Value in0 = body.addArgument(input.type, loc), hidden;
  if (in.op->getNumOperands() > 1) {
    GlobalBuffer mask = in.global(in.op->getOperand(1));
    step.buffers.push_back(mask.buffer);
    // A mask of fewer axes broadcasts from the right: the kernel sees all axes, of the same memory.
    TensorType tensor = mask.type.getTensor();
    SmallVector<DimAttr> dims(kept.size() - tensor.getRank(), values.getOne());
    llvm::append_range(dims, tensor.getDims());
    auto padded = tile::BufferType::get(b.getContext(), tensor.withDims(dims), tile::Layout::rows);
    hidden = body.addArgument(padded, loc);
  }
  step.writes = {unsigned(step.buffers.size())};
  step.buffers.push_back(output.buffer);
  Value out = body.addArgument(outType, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  if (reduction)
    inner.create<tile::ReduceOp>(loc, in0, hidden, out, axis, kindOf(reduction));
  else
    inner.create<tile::AccumulateOp>(loc, in0, hidden, out, axis);
  return step;
}

PlanStep emitGatherKernel(OpBuilder &b, const Values &values, const MapKernelInput &in) {
  auto op = cast<GatherOp>(in.op);
  Location loc = op.getLoc();
  GlobalBuffer buffers[] = {in.global(op.getOperand()), in.global(op.getIndices()), in.global(op.getResult())};
  // Axes that table and indices have in common are a batch of the step.
  int64_t batch = op.batchOrZero();
  ArrayRef<DimAttr> dims = tensorOf(op.getResult()).getDims(), own = dims.drop_front(batch);
  DimAttr rows = own.empty() ? values.getOne() : own[0];
  auto kernel = b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), rows, constantDim(b.getContext(), 0),
                                         mapBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  PlanStep step{in.name, rows, mapBlock, false, {}, {2}};
  llvm::append_range(step.batch, dims.take_front(batch));
  for (GlobalBuffer &buffer : buffers) {
    TensorType type = buffer.type.getTensor();
    AxisMap places;
    for (auto [axis, dim] : llvm::enumerate(type.getDims()))
      places.push_back({int64_t(axis) < batch && !values.isOne(dim) ? int64_t(axis) : -1, 1, DimAttr()});
    buffer.buffer.strides = in.strides(type, places, batch);
    TensorType matrix = type.withDims(type.getDims().drop_front(batch));
    body.addArgument(tile::BufferType::get(b.getContext(), matrix, tile::Layout::rows), loc);
    step.buffers.push_back(buffer.buffer);
  }
  auto gather = OpBuilder::atBlockEnd(&body).create<tile::GatherOp>(loc, body.getArgument(0), body.getArgument(1),
                                                                    body.getArgument(2), op.getAxis() - batch);
  AxisMap places;
  for (auto [axis, dim] : llvm::enumerate(tensorOf(op.getIndices()).getDims()))
    places.push_back({int64_t(axis) < batch && values.isOne(dim) ? -1 : int64_t(axis), 1, DimAttr()});
  KernelFaults faults(in.faults);
  faults.note(op, gather, places, batch, places.size() - batch);
  step.faults = faults.finish(kernel);
  return step;
}

PlanStep emitCopyKernel(OpBuilder &b, const std::string &name, ArrayRef<Attribute> symbols, Location loc,
                        GlobalBuffer source, GlobalBuffer target) {
  TensorType type = target.type.getTensor();
  MLIRContext *context = b.getContext();
  DimAttr rows = type.getRank() ? type.getDims()[0] : constantDim(context, 1);
  auto kernel =
      b.create<tile::KernelOp>(loc, name, b.getArrayAttr(symbols), rows, constantDim(context, 0), mapBlock, false);
  Block &outer = kernel.getBody().emplaceBlock();
  outer.addArguments({source.type, target.type}, {loc, loc});
  OpBuilder inner = OpBuilder::atBlockEnd(&outer);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), context);
  auto map = inner.create<tile::MapOp>(loc, ValueRange{outer.getArgument(0)}, outer.getArgument(1),
                                       inner.getAffineMapArrayAttr({identity}), ArrayAttr(), ArrayAttr(), ArrayAttr());
  Block &body = map.getBody().emplaceBlock();
  Value entry = body.addArgument(scalarType(type.getElementType()), loc);
  for (int64_t i = 0; i < type.getRank(); i++)
    body.addArgument(scalarType(inner.getI64Type()), loc);
  OpBuilder::atBlockEnd(&body).create<tile::YieldOp>(loc, ValueRange{entry});
  return {name, rows, mapBlock, false, {source.buffer, target.buffer}, {1}};
}
} // namespace nova
