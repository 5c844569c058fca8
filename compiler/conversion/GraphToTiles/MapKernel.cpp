#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/ScalarBody.h"
#include <map>

using namespace mlir;

namespace nova {
namespace {
// Rows of a block of a loop nest: enough work to share, small enough to spread over threads.
constexpr int64_t mapBlock = 64;

// Where an op of a fused nest reads an operand along one of its axes: at `step` times the position along an axis of the
// nest (below 0: at 0), plus `start` (null: 0).
struct AxisPlace {
  int64_t axis = -1, step = 1;
  DimAttr start;
};
using AxisMap = SmallVector<AxisPlace, 4>;

class MapEmitter {
public:
  MapEmitter(OpBuilder &builder, const Values &values, const MapKernelInput &in) : b(builder), values(values), in(in) {}
  PlanStep run();

private:
  OpBuilder &b;
  const Values &values;
  const MapKernelInput &in;
  using Key = std::pair<const void *, std::vector<std::tuple<int64_t, int64_t, const void *>>>; // (value, axis map)
  std::map<Key, Value> scalars;
  std::vector<std::pair<Value, AxisMap>> leaves;
  SmallVector<Value> indices;

  AxisMap operandMap(Operation *op, const AxisMap &own, Value operand) const;
  Value position(OpBuilder &body, Location loc, const AxisPlace &place) const;
  AffineExpr expression(const AxisPlace &place, SmallVectorImpl<Attribute> &starts) const;
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

AffineExpr MapEmitter::expression(const AxisPlace &place, SmallVectorImpl<Attribute> &starts) const {
  MLIRContext *context = b.getContext();
  AffineExpr at = getAffineConstantExpr(0, context);
  if (place.axis >= 0)
    at = getAffineDimExpr(place.axis, context) * place.step;
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
      scalars[id] = Value();
      continue;
    }
    auto operand = [&](Value x) { return scalars[key(x, operandMap(op, map, x))]; };
    if (moves) {
      scalars[id] = operand(op->getOperand(0));
      continue;
    }
    auto index = [&](OpBuilder &ib, IotaOp iota) { return position(ib, iota.getLoc(), map[iota.getAxis()]); };
    ScalarBody one(body, index);
    if (reads)
      for (Value x : op->getOperands())
        one.set(x, operand(x));
    scalars[id] = one.get(v);
  }
}

PlanStep MapEmitter::run() {
  Value v = in.value;
  TensorType type = tensorOf(v);
  MLIRContext *context = b.getContext();
  Location loc = in.op->getLoc();
  DimAttr rows = type.getRank() ? type.getDims()[0] : values.getOne();
  int64_t block = type.getRank() > 1 ? mapBlock : mapBlock * mapBlock;
  auto kernel =
      b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), rows, constantDim(context, 0), block, false);
  Block &outer = kernel.getBody().emplaceBlock();
  AxisMap identity;
  for (int64_t i = 0; i < type.getRank(); i++)
    identity.push_back({i, 1, DimAttr()});
  visit(v, identity, true, b);
  scalars.clear();

  PlanStep step{in.name, rows, block, false, {}};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto argument = [&](GlobalBuffer buffer) -> Value {
    for (auto [i, index] : llvm::enumerate(step.buffers))
      if (index == buffer.index && outer.getArgument(i).getType() == buffer.type)
        return outer.getArgument(i);
    step.buffers.push_back(buffer.index);
    return outer.addArgument(buffer.type, loc);
  };
  SmallVector<Attribute> starts;
  std::vector<SmallVector<AffineExpr>> places;
  for (auto &[leaf, map] : leaves) {
    inputs.push_back(argument(in.global(leaf)));
    places.emplace_back();
    for (const AxisPlace &place : map)
      places.back().push_back(expression(place, starts));
  }
  for (ArrayRef<AffineExpr> place : places)
    maps.push_back(AffineMap::get(type.getRank(), starts.size(), place, context));
  Value output = argument(in.global(in.op->getResult(0)));
  OpBuilder inner = OpBuilder::atBlockEnd(&outer);
  auto list = [&](ArrayRef<DimAttr> dims) { return b.getArrayAttr(SmallVector<Attribute>(dims.begin(), dims.end())); };
  bool isPart = !in.at.empty();
  auto map = inner.create<tile::MapOp>(loc, inputs, output, inner.getAffineMapArrayAttr(maps),
                                       starts.empty() ? ArrayAttr() : b.getArrayAttr(starts),
                                       isPart ? list(type.getDims()) : ArrayAttr(), isPart ? list(in.at) : ArrayAttr());
  Block &body = map.getBody().emplaceBlock();
  for (auto &[leaf, axes] : leaves)
    scalars[key(leaf, axes)] = body.addArgument(scalarType(tensorOf(leaf).getElementType()), loc);
  for (int64_t i = 0; i < type.getRank(); i++)
    indices.push_back(body.addArgument(scalarType(inner.getI64Type()), loc));
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(&body);
  visit(v, identity, false, bodyBuilder);
  bodyBuilder.create<tile::YieldOp>(loc, ValueRange{scalars[key(v, identity)]});
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
  PlanStep step{in.name, kept[0], mapBlock, false, {input.index}};
  Value in0 = body.addArgument(input.type, loc), hidden;
  if (in.op->getNumOperands() > 1) {
    GlobalBuffer mask = in.global(in.op->getOperand(1));
    step.buffers.push_back(mask.index);
    // A mask of fewer axes broadcasts from the right: the kernel sees all axes, of the same memory.
    TensorType tensor = mask.type.getTensor();
    SmallVector<DimAttr> dims(kept.size() - tensor.getRank(), values.getOne());
    llvm::append_range(dims, tensor.getDims());
    auto padded = tile::BufferType::get(b.getContext(), tensor.withDims(dims), tile::Layout::rows);
    hidden = body.addArgument(padded, loc);
  }
  step.buffers.push_back(output.index);
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
  ArrayRef<DimAttr> dims = tensorOf(op.getResult()).getDims();
  DimAttr rows = dims.empty() ? values.getOne() : dims[0];
  auto kernel = b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), rows, constantDim(b.getContext(), 0),
                                         mapBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  PlanStep step{in.name, rows, mapBlock, false, {}};
  for (const GlobalBuffer &buffer : buffers) {
    body.addArgument(buffer.type, loc);
    step.buffers.push_back(buffer.index);
  }
  OpBuilder::atBlockEnd(&body).create<tile::GatherOp>(loc, body.getArgument(0), body.getArgument(1),
                                                      body.getArgument(2), op.getAxis());
  return step;
}

PlanStep emitCopyKernel(OpBuilder &b, const std::string &name, ArrayRef<Attribute> symbols, Value value,
                        GlobalBuffer source, GlobalBuffer target) {
  TensorType type = tensorOf(value);
  MLIRContext *context = b.getContext();
  Location loc = value.getLoc();
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
  return {name, rows, mapBlock, false, {source.index, target.index}};
}
} // namespace nova
