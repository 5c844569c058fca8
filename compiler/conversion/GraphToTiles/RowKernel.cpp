#include "compiler/conversion/GraphToTiles/RowKernel.h"
#include "compiler/conversion/GraphToTiles/ScalarBody.h"

using namespace mlir;

namespace nova {
namespace {
// Rows of a block. Contractions want a multiple of the register tile's 6 or 12 rows whose scores stay in cache.
// Library tiles have a height of their own.
constexpr int64_t contractionBlock = 48, passBlock = 64, libraryBlock = 64;

class Emitter {
public:
  Emitter(OpBuilder &builder, const Values &values, const RowKernelInput &in)
      : b(builder), values(values), in(in), kernelScalars(b, noIndex), faults(in.faults) {}
  PlanStep run();

private:
  OpBuilder &b;
  const Values &values;
  const RowKernelInput &in;
  DenseMap<Value, Value> buffers; // kept values and plain inputs
  DenseMap<std::pair<Value, Operation *>, Value> packed;
  DenseMap<Operation *, Value> plain; // second factors for library tiles
  std::vector<std::pair<StepBuffer, BlockArgument>> globals;
  Block *body = nullptr;
  // Scalars of the kernel's region: they have no index.
  std::function<Value(OpBuilder &, IotaOp)> noIndex = [](OpBuilder &, IotaOp) { return Value(); };
  ScalarBody kernelScalars;
  KernelFaults faults;

  bool isKept(Value v) const { return in.schedule.kept.contains(v); }
  DenseSet<unsigned> written; // positions among the globals
  BlockArgument globalArgument(GlobalBuffer global, Location loc);
  void assignGlobals();
  void assignScratch();
  void emitContraction(const RowEvent &event);
  void emitPass(const RowEvent &event);
  void noteFault(Operation *op, Operation *scalar);
  void findInPlace(PlanStep &step) const;
  bool folds(const PlanStep &step) const;
};
} // namespace

// One block argument per buffer of the plan, even when several values name it.
BlockArgument Emitter::globalArgument(GlobalBuffer global, Location loc) {
  for (auto &[buffer, arg] : globals)
    if (buffer == global.buffer && arg.getType() == global.type)
      return arg;
  globals.emplace_back(global.buffer, body->addArgument(global.type, loc));
  return globals.back().second;
}

void Emitter::assignGlobals() {
  for (const RowEvent &event : in.schedule.events) {
    for (Value x : event.loads) {
      bool isPacked = false;
      if (event.contraction)
        for (auto [i, operand] : llvm::enumerate(event.contraction->getOperands()))
          isPacked |= operand == x && isPackedOperand(event.contraction, i);
      if (isPacked) {
        packed[{x, event.contraction}] = globalArgument(in.global(x, event.contraction), x.getLoc());
        if (in.isForLibrary)
          plain[event.contraction] = globalArgument(in.plain(event.contraction), x.getLoc());
        if (x != event.contraction->getOperand(0))
          continue;
      }
      if (!isKept(x) && !buffers.count(x))
        buffers[x] = globalArgument(in.global(x, nullptr), x.getLoc());
    }
  }
  for (const RowEvent &event : in.schedule.events) {
    auto output = [&](Value v) {
      if (!in.outputs.contains(v))
        return;
      BlockArgument argument = globalArgument(in.global(v, nullptr), v.getLoc());
      written.insert(argument.getArgNumber());
      buffers[v] = argument;
    };
    if (event.contraction)
      output(event.contraction->getResult(0));
    for (Value v : event.stores)
      output(v);
    for (Operation *op : event.reductions)
      output(op->getResult(0));
  }
}

// Scratch tiles, used again once their value has been read for the last time. A pass may write over what it reads: both
// are at the same entry.
void Emitter::assignScratch() {
  const std::vector<RowEvent> &events = in.schedule.events;
  DenseMap<Value, size_t> lastUse;
  for (auto [i, event] : llvm::enumerate(events))
    for (Value x : event.loads)
      lastUse[x] = i;
  struct Tile {
    Value buffer;
    Value holder;
  };
  std::vector<Tile> tiles;
  auto assign = [&](Value v, size_t i, bool inPlace) {
    if (buffers.count(v))
      return;
    TensorType tensor = tensorOf(v);
    DimAttr width = tensor.getRank() < 2 ? values.getOne() : values.widthOf(v);
    auto type = tile::BufferType::get(
        b.getContext(), TensorType::get(b.getContext(), tensor.getElementType(), {in.rows, width}), tile::Layout::rows);
    for (Tile &t : tiles) {
      size_t last = lastUse.lookup(t.holder);
      bool dead = lastUse.count(t.holder) ? last < i || (inPlace && last == i) : true;
      if (t.buffer.getType() == type && dead) {
        t.holder = v;
        buffers[v] = t.buffer;
        return;
      }
    }
    tiles.push_back({b.create<tile::ScratchOp>(v.getLoc(), type), v});
    buffers[v] = tiles.back().buffer;
  };
  for (auto [i, event] : llvm::enumerate(events)) {
    if (event.contraction)
      assign(event.contraction->getResult(0), i, false);
    for (Value v : event.stores)
      assign(v, i, true);
    // A reduction is written when its row ends, so it may not take the place of what the row still reads.
    for (Operation *op : event.reductions)
      assign(op->getResult(0), i, false);
    // Nobody reads it after all: its place is free again from the next event on.
    for (Value v : event.stores)
      lastUse.try_emplace(v, i);
  }
}

void Emitter::emitContraction(const RowEvent &event) {
  auto matmul = cast<MatmulOp>(event.contraction);
  Value mask;
  tile::RangeAttr terms;
  if (Value hidden = matmul.getLhsHidden()) {
    MaskRange range = in.ranges(hidden);
    terms = range.range;
    if (!range.isAll)
      mask = buffers.lookup(hidden);
  }
  b.create<tile::ContractOp>(matmul.getLoc(), buffers.lookup(matmul.getLhs()), packed.lookup({matmul.getRhs(), matmul}),
                             buffers.lookup(matmul.getResult()), mask,
                             matmul.getRhsHidden() ? packed.lookup({matmul.getRhsHidden(), matmul}) : Value(),
                             plain.lookup(matmul), terms, event.columns);
}

// A pass sees one matrix of the batch, at the absolute position of the row.
void Emitter::noteFault(Operation *op, Operation *scalar) {
  ArrayRef<DimAttr> dims = tensorOf(op->getResult(0)).getDims();
  SmallVector<AxisPlace> places;
  for (auto [axis, dim] : llvm::enumerate(dims))
    places.push_back({values.isOne(dim) ? -1 : int64_t(axis), 1, DimAttr()});
  int64_t batch = in.batch.size();
  faults.note(op, scalar, places, batch, /*own=*/2,
              constantValue(in.position) == 0 ? std::nullopt : std::optional<unsigned>(batch));
}

void Emitter::emitPass(const RowEvent &event) {
  Location loc = b.getUnknownLoc();
  SmallVector<Value> inputs, stores, reductions;
  SmallVector<Attribute> kinds;
  SmallVector<int64_t> hide;
  for (Value x : event.loads)
    inputs.push_back(buffers.lookup(x));
  for (Value v : event.stores)
    stores.push_back(buffers.lookup(v));
  for (Operation *op : event.reductions) {
    reductions.push_back(buffers.lookup(op->getResult(0)));
    auto reduction = cast<ReductionOp>(op);
    kinds.push_back(tile::ReduceKindAttr::get(b.getContext(), kindOf(reduction)));
    hide.push_back(reduction.getHidden() && !in.ranges(reduction.getHidden()).isAll);
    loc = op->getLoc();
  }
  if (!event.stores.empty())
    loc = event.stores[0].getLoc();
  // What is the same for all entries is computed once, in the kernel's own region.
  SmallVector<std::pair<Value, Value>> uniform;
  auto hoist = [&](Value x) {
    if (values.isFree(x) && tensorOf(x).getRank() == 0)
      uniform.emplace_back(x, kernelScalars.get(x));
  };
  for (Operation *op : event.inlined)
    llvm::for_each(op->getOperands(), hoist);
  auto pass = b.create<tile::PassOp>(loc, inputs, stores, reductions, event.width, event.columns, b.getArrayAttr(kinds),
                                     b.getDenseI64ArrayAttr(hide));
  Block &block = pass.getBody().emplaceBlock();
  for (Value x : event.loads)
    block.addArgument(scalarType(tensorOf(x).getElementType()), x.getLoc());
  BlockArgument row = block.addArgument(scalarType(b.getI64Type()), loc),
                column = block.addArgument(row.getType(), loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  // The launch's row is the absolute position less the kernel's; an iota on the row axis adds its own beginning.
  auto index = [&](OpBuilder &ib, IotaOp iota) -> Value {
    TensorType type = tensorOf(iota.getResult());
    int64_t fromEnd = type.getRank() - 1 - iota.getAxis();
    if (values.isOne(type.getDims()[iota.getAxis()]))
      return scalarInteger(ib, iota.getLoc(), 0);
    if (fromEnd == 0)
      return column;
    if (constantValue(in.position) == 0)
      return row;
    return ib.create<SubtractOp>(iota.getLoc(), row.getType(), row, scalarDim(ib, iota.getLoc(), in.position));
  };
  auto cloned = [&](Operation *op, Operation *scalar) { noteFault(op, scalar); };
  ScalarBody scalars(inner, index, cloned);
  for (auto [x, scalar] : uniform)
    scalars.set(x, scalar);
  for (auto [x, arg] : llvm::zip(event.loads, block.getArguments()))
    scalars.set(x, arg);
  for (Operation *op : event.inlined)
    scalars.get(op->getResult(0));
  SmallVector<Value> yields;
  for (Value v : event.stores)
    yields.push_back(scalars.get(v));
  for (Operation *op : event.reductions)
    yields.push_back(scalars.get(op->getOperand(0)));
  for (auto [i, op] : llvm::enumerate(event.reductions))
    if (hide[i])
      yields.push_back(scalars.get(op->getOperand(1)));
  inner.create<tile::YieldOp>(loc, yields);
}

// A buffer of the kernel's own rows whose last reader is the pass that writes another one, or comes before it. A pass
// writes each entry when it has read it; a contraction reads whole rows.
void Emitter::findInPlace(PlanStep &step) const {
  DenseMap<unsigned, size_t> lastRead, firstWritten; // by position: the event
  for (auto [i, event] : llvm::enumerate(in.schedule.events)) {
    auto positionOf = [&](Value v) {
      auto argument = dyn_cast_or_null<BlockArgument>(buffers.lookup(v));
      return argument ? std::optional<unsigned>(argument.getArgNumber()) : std::nullopt;
    };
    for (Value x : event.loads)
      if (auto at = positionOf(x))
        lastRead[*at] = event.contraction ? i + 1 : i;
    for (Value v : event.stores)
      if (auto at = positionOf(v))
        firstWritten.try_emplace(*at, i);
  }
  for (unsigned write : step.writes)
    for (auto [read, last] : lastRead) {
      TensorType type = cast<tile::BufferType>(globals[read].second.getType()).getTensor();
      bool same = globals[read].second.getType() == globals[write].second.getType() &&
                  step.buffers[read].unit == step.buffers[write].unit &&
                  step.buffers[read].strides == step.buffers[write].strides;
      if (read != write && same && type.getRank() == 2 && values.equal(type.getDims()[0], in.rows) &&
          firstWritten.count(write) && last <= firstWritten[write])
        step.inPlace.emplace_back(read, write);
    }
}

// Whether the instances along the last axis of the batch are rows behind one another of what has rows, and have all
// else in common. Then a factor that they share is read once for all of them where each has one row.
bool Emitter::folds(const PlanStep &step) const {
  if (step.batch.empty() || values.isOne(in.rows)) // a buffer of one row is the same for all rows
    return false;
  for (auto [global, buffer] : llvm::zip(globals, step.buffers)) {
    auto type = cast<tile::BufferType>(global.second.getType());
    ArrayRef<DimAttr> dims = type.getTensor().getDims();
    bool hasRows = type.getLayout() == tile::Layout::rows && dims.size() == 2 && values.equal(dims[0], in.rows);
    DimAttr stride = buffer.strides.back(), each = constantDim(stride.getContext(), 0);
    if (hasRows) {
      each = multiplyDims(in.rows, dims[1]);
      each = each ? multiplyDims(each, constantDim(stride.getContext(), bytesOf(type.getTensor().getElementType())))
                  : each;
      if (buffer.unit != StepBuffer::Unit::Bytes || type.getTensor().getElementType().isInteger(4))
        return false;
    }
    if (!each || !values.equal(stride, each))
      return false;
  }
  return true;
}

PlanStep Emitter::run() {
  bool contracts = llvm::any_of(in.schedule.events, [](const RowEvent &e) { return e.contraction; });
  bool growing = llvm::any_of(in.schedule.events, [](const RowEvent &e) { return e.columns && e.columns.isNested(); });
  int64_t block = !contracts ? passBlock : in.isForLibrary ? libraryBlock : contractionBlock;
  auto kernel = b.create<tile::KernelOp>(b.getUnknownLoc(), in.name, b.getArrayAttr(in.symbols), in.rows, in.position,
                                         block, growing);
  body = &kernel.getBody().emplaceBlock();
  assignGlobals();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  assignScratch();
  for (const RowEvent &event : in.schedule.events)
    event.contraction ? emitContraction(event) : emitPass(event);
  PlanStep step{in.name, in.rows, block, growing, {}, {}, in.batch};
  step.libraryTiles = plain.size();
  for (auto &[buffer, arg] : globals) {
    if (written.contains(step.buffers.size()))
      step.writes.push_back(step.buffers.size());
    step.buffers.push_back(buffer);
  }
  findInPlace(step);
  step.faults = faults.finish(kernel);
  step.folds = step.faults.empty() && folds(step); // whose instances it tells
  if (step.folds)
    kernel.setFolds(true);
  return step;
}

PlanStep emitRowKernel(OpBuilder &builder, const Values &values, const RowKernelInput &input) {
  return Emitter(builder, values, input).run();
}
} // namespace nova
