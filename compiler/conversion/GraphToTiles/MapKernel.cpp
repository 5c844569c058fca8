#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/ScalarBody.h"
#include <map>

using namespace mlir;

namespace nova {
namespace {
// Rows of a block of a loop nest: enough work to share, small enough to spread over threads.
constexpr int64_t mapBlock = 64;

// Where an op of a fused nest reads an operand: for each of the operand's axes the axis of the output, or -1 for entry
// 0.
using AxisMap = SmallVector<int64_t, 4>;

class MapEmitter {
public:
  MapEmitter(OpBuilder &builder, const Values &values, const MapKernelInput &in) : b(builder), values(values), in(in) {}
  PlanStep run();

private:
  OpBuilder &b;
  const Values &values;
  const MapKernelInput &in;
  std::map<std::pair<const void *, std::vector<int64_t>>, Value> scalars; // of (value, axis map)
  std::vector<std::pair<Value, AxisMap>> leaves;
  SmallVector<Value> indices;

  AxisMap operandMap(Operation *op, const AxisMap &own, Value operand) const;
  void visit(Value root, const AxisMap &map, bool collect, OpBuilder &body);
  static std::vector<int64_t> key(const AxisMap &map) { return {map.begin(), map.end()}; }
};
} // namespace

AxisMap MapEmitter::operandMap(Operation *op, const AxisMap &own, Value operand) const {
  TensorType type = tensorOf(operand);
  AxisMap map;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    map.resize(type.getRank());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      map[from] = own[to];
  } else {
    int64_t shift = int64_t(own.size()) - type.getRank();
    for (int64_t axis = 0; axis < type.getRank(); axis++)
      map.push_back(own[shift + axis]);
  }
  for (int64_t axis = 0; axis < type.getRank(); axis++)
    if (values.isOne(type.getDims()[axis]))
      map[axis] = -1;
  return map;
}

// Once to collect the leaves (what is read from memory), once to create the scalars. Operands before ops, without
// recursion.
void MapEmitter::visit(Value root, const AxisMap &rootMap, bool collect, OpBuilder &body) {
  std::vector<std::pair<Value, AxisMap>> work{{root, rootMap}};
  std::map<std::pair<const void *, std::vector<int64_t>>, bool> entered;
  while (!work.empty()) {
    Value v = work.back().first;
    AxisMap map = work.back().second;
    auto id = std::make_pair(static_cast<const void *>(v.getAsOpaquePointer()), key(map));
    if (scalars.count(id)) {
      work.pop_back();
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (v != root && !in.inlined(v)) {
      if (collect)
        leaves.emplace_back(v, map);
      scalars[id] = Value();
      work.pop_back();
      continue;
    }
    bool reads = isElementwise(op) || isa<TransposeOp>(op);
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
    if (isa<TransposeOp>(op)) {
      scalars[id] = scalars[{op->getOperand(0).getAsOpaquePointer(), key(operandMap(op, map, op->getOperand(0)))}];
      continue;
    }
    auto index = [&](OpBuilder &ib, IotaOp iota) -> Value {
      int64_t axis = map[iota.getAxis()];
      return axis < 0 ? scalarInteger(ib, iota.getLoc(), 0) : indices[axis];
    };
    ScalarBody one(body, index);
    if (reads)
      for (Value x : op->getOperands())
        one.set(x, scalars[{x.getAsOpaquePointer(), key(operandMap(op, map, x))}]);
    scalars[id] = one.get(v);
  }
}

PlanStep MapEmitter::run() {
  Value v = in.op->getResult(0);
  TensorType type = tensorOf(v);
  MLIRContext *context = b.getContext();
  Location loc = v.getLoc();
  DimAttr rows = type.getRank() ? type.getDims()[0] : values.getOne();
  int64_t block = type.getRank() > 1 ? mapBlock : mapBlock * mapBlock;
  auto kernel =
      b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), rows, constantDim(context, 0), block, false);
  Block &outer = kernel.getBody().emplaceBlock();
  AxisMap identity;
  for (int64_t i = 0; i < type.getRank(); i++)
    identity.push_back(i);
  visit(v, identity, true, b);
  scalars.clear();

  PlanStep step{in.name, rows, block, false, {}};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto argument = [&](GlobalBuffer buffer) -> Value {
    for (auto [i, index] : llvm::enumerate(step.buffers))
      if (index == buffer.index)
        return outer.getArgument(i);
    step.buffers.push_back(buffer.index);
    return outer.addArgument(buffer.type, loc);
  };
  for (auto &[leaf, map] : leaves) {
    inputs.push_back(argument(in.global(leaf)));
    SmallVector<AffineExpr> exprs;
    for (int64_t axis : map)
      exprs.push_back(axis < 0 ? getAffineConstantExpr(0, context) : getAffineDimExpr(axis, context));
    maps.push_back(AffineMap::get(type.getRank(), 0, exprs, context));
  }
  Value output = argument(in.global(v));
  OpBuilder inner = OpBuilder::atBlockEnd(&outer);
  auto map = inner.create<tile::MapOp>(loc, inputs, output, inner.getAffineMapArrayAttr(maps));
  Block &body = map.getBody().emplaceBlock();
  for (auto &[leaf, axes] : leaves)
    scalars[{leaf.getAsOpaquePointer(), key(axes)}] =
        body.addArgument(scalarType(tensorOf(leaf).getElementType()), loc);
  for (int64_t i = 0; i < type.getRank(); i++)
    indices.push_back(body.addArgument(scalarType(inner.getI64Type()), loc));
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(&body);
  visit(v, identity, false, bodyBuilder);
  bodyBuilder.create<tile::YieldOp>(loc, ValueRange{scalars[{v.getAsOpaquePointer(), key(identity)}]});
  return step;
}

PlanStep emitMapKernel(OpBuilder &builder, const Values &values, const MapKernelInput &input) {
  return MapEmitter(builder, values, input).run();
}

PlanStep emitReduceKernel(OpBuilder &b, const Values &values, const MapKernelInput &in) {
  auto op = cast<ReductionOp>(in.op);
  Location loc = op->getLoc();
  int64_t axis = op.getAxis();
  GlobalBuffer input = in.global(op.getOperand()), output = in.global(op->getResult(0));
  // The kernel sees the axis kept with size 1, also where the graph drops it: the memory is the same.
  SmallVector<DimAttr> kept(tensorOf(op.getOperand()).getDims());
  kept[axis] = values.getOne();
  auto outType = tile::BufferType::get(b.getContext(), input.type.getTensor().withDims(kept), tile::Layout::rows);
  auto kernel = b.create<tile::KernelOp>(loc, in.name, b.getArrayAttr(in.symbols), kept[0],
                                         constantDim(b.getContext(), 0), mapBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  PlanStep step{in.name, kept[0], mapBlock, false, {input.index}};
  Value in0 = body.addArgument(input.type, loc), hidden;
  if (op.getHidden()) {
    GlobalBuffer mask = in.global(op.getHidden());
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
  inner.create<tile::ReduceOp>(loc, in0, hidden, out, axis, kindOf(op));
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
                                       inner.getAffineMapArrayAttr({identity}));
  Block &body = map.getBody().emplaceBlock();
  Value entry = body.addArgument(scalarType(type.getElementType()), loc);
  for (int64_t i = 0; i < type.getRank(); i++)
    body.addArgument(scalarType(inner.getI64Type()), loc);
  OpBuilder::atBlockEnd(&body).create<tile::YieldOp>(loc, ValueRange{entry});
  return {name, rows, mapBlock, false, {source.index, target.index}};
}
} // namespace nova
