#include "compiler/analysis/FallibleOps.h"
#include "compiler/conversion/GraphToTiles/LibraryTiles.h"
#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/Planner.h"
#include "compiler/conversion/GraphToTiles/Prepare.h"
#include "compiler/conversion/GraphToTiles/Ragged.h"
#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include "compiler/conversion/GraphToTiles/Sections.h"
#include "compiler/conversion/GraphToTiles/WidenNibbles.h"
#include "compiler/conversion/GraphToTiles/Windows.h"
#include <set>

using namespace mlir;

namespace nova {
// Rows of a block that only moves data.
constexpr int64_t packBlock = 256;

// Ops whose operands are all read from memory, also those that could be computed anywhere.
static bool readsMemory(Role role) {
  return role == Role::Reduce || role == Role::Gather || role == Role::View || role == Role::Scan;
}

MaskRange Planner::rangeOf(Value mask) {
  auto [it, fresh] = ranges.try_emplace(mask);
  unsigned rank = tensorOf(mask).getRank();
  if (!fresh || rank < 2 || !llvm::all_of(values.batchOf(mask), [&](DimAttr dim) { return values.isOne(dim); }))
    return it->second;
  if (!masks)
    masks.emplace(in.graph);
  bool newRows = in.rows && asSymbol(values.rowsOf(mask)) == in.rows;
  std::optional<VisibleColumns> visible =
      visibleColumns(*masks, mask, newRows ? symbolDim(b.getContext(), in.past.getValue()) : DimAttr());
  if (!visible)
    return it->second;
  SmallVector<AffineMap> lows, highs, guards;
  for (const VisibleColumns::Piece &piece : visible->pieces) {
    lows.push_back(piece.low);
    highs.push_back(piece.high);
    guards.push_back(piece.guard);
  }
  bool inOrder = visible->kind == VisibleColumns::InOrder;
  it->second = {tile::RangeAttr::get(b.getContext(), lows, highs, guards, visible->sizes, inOrder), visible->sayAll()};
  return it->second;
}

Planner::Factor Planner::factorOf(MatmulOp op, Value rhs) const {
  bool transposed = false;
  for (; values.role(rhs) == Role::Absorbed; rhs = rhs.getDefiningOp()->getOperand(0))
    transposed ^= isa<TransposeOp>(rhs.getDefiningOp());
  return {rhs, transposed, values.role(rhs) == Role::State};
}

void Planner::collectSymbols() {
  std::set<std::string> names;
  auto add = [&](DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      names.insert(cast<StringAttr>(atom).str());
  };
  for (BlockArgument arg : in.graph.getBlock().getArguments())
    for (DimAttr dim : tensorOf(arg).getDims())
      add(dim);
  for (StringAttr symbol : {in.sequence, in.rows, in.past})
    if (symbol)
      names.insert(symbol.str());
  for (const std::string &name : names) {
    symbols.push_back(b.getStringAttr(name));
    program.plan.symbols.push_back(name);
  }
}

void Planner::findLevels() {
  for (BlockArgument argument : in.graph.getBlock().getArguments())
    if (isReadWhole(argument))
      ready[argument] = 1;
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    unsigned at = 0;
    switch (values.role(v)) {
    case Role::Free:
    case Role::Data:
      break;
    case Role::State: {
      auto concat = cast<ConcatOp>(op);
      assert(concat.getNumOperands() == 2 &&
             int64_t(concat.getAxis()) == std::max<int64_t>(tensorOf(v).getRank() - 2, 0) &&
             "a state grows by new rows along its last axis but one alone");
      Value rows = concat.getOperand(1);
      ready[v] = ready[rows] + (isReadWhole(v) ? 2 : 1);
      break;
    }
    case Role::Absorbed:
      ready[v] = ready[op.getOperand(0)];
      break;
    case Role::View:
      ready[v] = values.isFree(op.getOperand(0)) ? 1 : ready[op.getOperand(0)];
      break;
    case Role::Row: {
      for (auto [i, x] : llvm::enumerate(op.getOperands())) {
        if (values.isFree(x) && !isPackedOperand(&op, i))
          continue;
        if (isPackedOperand(&op, i)) {
          Factor factor = factorOf(cast<MatmulOp>(op), x);
          at = std::max(at, ready[factor.source] + (factor.isState ? 0 : 1));
        } else if (values.role(x) == Role::Row && values.isAligned(x, v)) {
          at = std::max(at, level[x]);
        } else {
          at = std::max(at, ready[x]);
        }
      }
      level[v] = at;
      ready[v] = at + 1;
      break;
    }
    case Role::Map:
    case Role::Join:
    case Role::Reduce:
    case Role::Gather:
    case Role::Scan:
      for (Value x : op.getOperands())
        at = std::max(at, values.isFree(x) && readsMemory(values.role(v)) ? 1u : ready[x]);
      for (Value result : op.getResults()) {
        level[result] = at;
        ready[result] = at + 1;
      }
      break;
    case Role::Argument:
    case Role::Carried:
      break;
    }
  }
  fuseLate();
}

// What only later kernels read, row by row, is computed there: scores that wait for projected values are never stored.
void Planner::fuseLate() {
  for (Operation &op : llvm::reverse(in.graph.getBlock().without_terminator())) {
    Value v = op.getResult(0);
    if (values.role(v) != Role::Row || v.use_empty())
      continue;
    unsigned latest = ~0u;
    for (OpOperand &use : v.getUses()) {
      Operation *user = use.getOwner();
      Value read = user->getNumResults() == 1 ? user->getResult(0) : Value();
      bool fuses = read && values.role(read) == Role::Row && values.isAligned(v, read) &&
                   !isPackedOperand(user, use.getOperandNumber());
      latest = std::min(latest, fuses ? level[read] : level[v]);
    }
    level[v] = std::max(level[v], latest);
    ready[v] = level[v] + 1;
  }
}

// Whether the loop nest of `reader` computes the value of a loop nest before it, which nobody else reads. The nest's
// body is kept below a size that LLVM handles in linear time.
bool Planner::fusesInto(Value x, Operation &reader, DenseMap<Value, unsigned> &fused) const {
  constexpr unsigned maxFused = 256;
  Value v = reader.getResult(0);
  bool alone = llvm::all_of(x.getUsers(), [&](Operation *user) { return user == &reader; });
  bool sameShape = isa<TransposeOp, ConcatOp>(reader) || tensorOf(x).getDims() == tensorOf(v).getDims();
  if (values.role(x) != Role::Map || !alone || !sameShape || fused[x] >= maxFused)
    return false;
  fused[v] += fused[x] + 1;
  return true;
}

void Planner::findMemory() {
  DenseMap<Value, unsigned> fused; // ops before the value in its own loop nest
  for (Value v : in.graph.getReturn().getValues().take_front(in.resultNames.size()))
    inMemory.insert(v);
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    Role role = values.role(v);
    for (auto [i, x] : llvm::enumerate(op.getOperands())) {
      bool reads = false;
      if (role == Role::Row) {
        bool aligned = values.role(x) == Role::Row && values.isAligned(x, v) && level[x] == level[v];
        // A packed state is written from its new rows alone.
        bool packed = isPackedOperand(&op, i);
        reads =
            packed ? values.role(x) != Role::Absorbed && values.role(x) != Role::State : !values.isFree(x) && !aligned;
      } else if (role == Role::Map || role == Role::Join) {
        reads = !values.isFree(x) && !fusesInto(x, op, fused);
      } else if (readsMemory(role)) {
        reads = true;
      } else if (role == Role::Absorbed) {
        reads = values.role(x) != Role::State && values.role(x) != Role::Absorbed;
      } else if (role == Role::State) {
        reads = i == 1;
      }
      if (reads)
        inMemory.insert(x);
    }
  }
}

unsigned Planner::addBuffer(PlanBuffer buffer) {
  if (buffer.kind == BufferKind::Temporary || buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next) {
    const char *word = buffer.kind == BufferKind::State  ? "state"
                       : buffer.kind == BufferKind::Next ? "next"
                                                         : "temporary";
    buffer.symbol = word + std::to_string(counters.storage++);
    b.setInsertionPointToEnd(program.module->getBody());
    b.create<tile::StorageOp>(b.getUnknownLoc(), buffer.symbol, b.getArrayAttr(symbols), buffer.type);
  }
  program.plan.buffers.push_back(std::move(buffer));
  return program.plan.buffers.size() - 1;
}

unsigned Planner::memoryOf(Value v) {
  v = values.home(v);
  if (auto it = memory.find(v); it != memory.end())
    return it->second;
  PlanBuffer buffer{BufferKind::Temporary, 0, nameOf(v), "", bufferType(tensorOf(v))};
  if (Value carry = carryOf(v))
    return memory[v] = memoryOf(carry);
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    buffer.kind = BufferKind::Argument;
    buffer.index = arg.getArgNumber();
    buffer.name = in.graph.getArgName(arg.getArgNumber());
  }
  if (values.isState(v)) {
    buffer.kind = BufferKind::State;
    TensorType type = tensorOf(v);
    if (type.getRank() > 2)
      buffer.type = bufferType(type.withDims(type.getDims().take_back(2)));
    buffer.count = type.getRank() > 2 ? product(values.batchOf(v)) : values.getOne();
  } else if (values.role(v) == Role::Data) {
    buffer.kind = BufferKind::Constant;
    buffer.symbol = "nova_const_" + std::to_string(counters.storage++);
    b.setInsertionPointToEnd(program.module->getBody());
    b.create<tile::DataOp>(v.getLoc(), buffer.symbol, cast<ElementsAttr>(v.getDefiningOp<ConstantOp>().getValue()),
                           buffer.type);
  } else {
    // A value that is returned is written where the caller wants it; the first place it is returned at.
    for (auto [i, result] : llvm::enumerate(in.graph.getReturn().getValues().take_front(in.resultNames.size())))
      if (values.home(result) == v && buffer.kind == BufferKind::Temporary) {
        buffer.kind = BufferKind::Result;
        buffer.index = i;
        buffer.name = in.resultNames[i];
      }
  }
  return memory[v] = addBuffer(buffer);
}

DimAttr Planner::product(ArrayRef<DimAttr> dims) {
  DimAttr result = values.getOne();
  for (DimAttr dim : dims)
    result = checked(multiplyDims(result, dim));
  return result;
}

// `dims`: the axes of a buffer before its matrices, whose neighbours lie `each` apart; they broadcast to `batch`.
std::vector<DimAttr> Planner::strides(ArrayRef<DimAttr> dims, DimAttr each, ArrayRef<DimAttr> batch) {
  std::vector<DimAttr> result(batch.size(), constantDim(b.getContext(), 0));
  for (size_t k = dims.size(); k-- > 0;) {
    if (!values.isOne(dims[k]))
      result[batch.size() - dims.size() + k] = each;
    each = checked(multiplyDims(each, dims[k]));
  }
  return result;
}

std::vector<DimAttr> Planner::mapStrides(TensorType type, ArrayRef<AxisPlace> places, int64_t batch) {
  std::vector<DimAttr> result(batch, constantDim(b.getContext(), 0));
  DimAttr each = bytesOf(type.getElementType());
  for (size_t k = places.size(); k-- > 0;) {
    int64_t axis = places[k].axis;
    if (axis >= 0 && axis < batch)
      result[axis] =
          checked(addDims(result[axis], checked(multiplyDims(each, constantDim(b.getContext(), places[k].step)))));
    each = checked(multiplyDims(each, values.getFacts().normalize(type.getDims()[k])));
  }
  return result;
}

GlobalBuffer Planner::matrixOf(Value v, ArrayRef<DimAttr> batch) {
  return matrixIn(values.isState(v) ? memoryOf(v) : denseMemoryOf(v), v, batch);
}

GlobalBuffer Planner::matrixIn(unsigned buffer, Value v, ArrayRef<DimAttr> batch) {
  TensorType whole = tensorOf(v);
  if (whole.getRank() <= 2 || batch.empty()) {
    std::vector<DimAttr> none(batch.size(), constantDim(b.getContext(), 0));
    return {{buffer, StepBuffer::Unit::Bytes, none}, bufferType(whole)};
  }
  std::vector<DimAttr> own = values.batchOf(v);
  tile::BufferType type = bufferType(whole.withDims(whole.getDims().take_back(2)));
  BufferKind kind = program.plan.buffers[buffer].kind;
  if (kind == BufferKind::State || kind == BufferKind::Next) // matrices with room between them
    return {{buffer, StepBuffer::Unit::Matrices, strides(own, values.getOne(), batch)}, type};
  DimAttr matrix = checked(multiplyDims(product(type.getTensor().getDims()), bytesOf(whole.getElementType())));
  return {{buffer, StepBuffer::Unit::Bytes, strides(own, matrix, batch)}, type};
}

// The packed second factor of a contraction: written by a kernel of its own, one level before it is read.
GlobalBuffer Planner::packedOf(MatmulOp op, Value operand, ArrayRef<DimAttr> batch) {
  Factor factor = factorOf(op, operand);
  // A mask lies as the factor that it hides entries of.
  tile::Layout layout = factorOf(op, op.getRhs()).transposed ? tile::Layout::panels : tile::Layout::pages;
  TensorType packed = tensorOf(op.getRhs()).withElementType(tensorOf(factor.source).getElementType());
  tile::BufferType type = bufferType(packed.withDims(packed.getDims().take_back(2)), layout);
  std::vector<DimAttr> own = values.batchOf(factor.source);
  auto key = std::make_pair(static_cast<const void *>(factor.source.getAsOpaquePointer()),
                            2 * int(layout) + factor.transposed);
  auto [it, fresh] = packedBuffers.try_emplace(key, 0);
  if (fresh) {
    OpBuilder::InsertionGuard guard(b);
    Value rows = factor.isState ? cast<ConcatOp>(factor.source.getDefiningOp()).getOperand(1) : factor.source;
    PlanBuffer buffer{factor.isState ? BufferKind::State : BufferKind::Temporary,
                      0,
                      nameOf(rows) + ".packed",
                      "",
                      type,
                      product(own)};
    it->second = addBuffer(buffer);
    GlobalBuffer source = matrixOf(rows, own);
    DimAttr position = factor.isState ? symbolDim(b.getContext(), in.past.getValue()) : constantDim(b.getContext(), 0);
    std::string name = kernelName("pack");
    b.setInsertionPointToEnd(program.module->getBody());
    auto kernel = b.create<tile::KernelOp>(op.getLoc(), name, b.getArrayAttr(symbols), values.rowsOf(rows), position,
                                           packBlock, false);
    Block &body = kernel.getBody().emplaceBlock();
    body.addArguments({source.type, type}, {op.getLoc(), op.getLoc()});
    b.setInsertionPointToStart(&body);
    b.create<tile::PackOp>(op.getLoc(), body.getArgument(0), body.getArgument(1), factor.transposed);
    StepBuffer target{it->second, StepBuffer::Unit::Matrices, strides(own, values.getOne(), own)};
    steps[ready[rows]].push_back({name, values.rowsOf(rows), packBlock, false, {source.buffer, target}, {1}, own});
  }
  return {{it->second, StepBuffer::Unit::Matrices, strides(own, values.getOne(), batch)}, type};
}

GlobalBuffer Planner::globalOf(Value v) { return {{denseMemoryOf(v)}, bufferType(tensorOf(v))}; }

// The matrices of a state have room to grow between them: kernels that look at all of them at once read a copy.
bool Planner::isReadWhole(Value v) const {
  auto readsWhole = [&](Operation *user) {
    if (auto ret = dyn_cast<ReturnOp>(user))
      return llvm::is_contained(ret.getValues().take_front(in.resultNames.size()), v);
    Role role = values.role(user->getResult(0));
    return role == Role::Map || role == Role::Reduce || role == Role::View || role == Role::Join ||
           role == Role::Gather || role == Role::Scan;
  };
  return values.isState(v) && tensorOf(v).getRank() > 2 && llvm::any_of(v.getUsers(), readsWhole);
}

unsigned Planner::denseMemoryOf(Value v) {
  v = values.home(v);
  if (!isReadWhole(v))
    return memoryOf(v);
  auto [it, fresh] = denseCopies.try_emplace(v, 0);
  if (!fresh)
    return it->second;
  unsigned copy = addBuffer({BufferKind::Temporary, 0, nameOf(v) + ".dense", "", bufferType(tensorOf(v))});
  std::vector<DimAttr> batch = values.batchOf(v);
  GlobalBuffer source = matrixOf(v, batch), target = matrixIn(copy, v, batch);
  steps[ready[v] - 1].push_back(copyStep(v.getLoc(), source, target, batch));
  return denseCopies[v] = copy;
}

// A state that someone reads row by row, not as a packed factor: kept as plain rows.
void Planner::emitState(ConcatOp op) {
  Value rows = op.getOperand(1);
  bool matrices = tensorOf(rows).getRank() >= 2;
  std::vector<DimAttr> batch = matrices ? values.batchOf(rows) : std::vector<DimAttr>();
  GlobalBuffer source = matrixOf(rows, batch), target = matrixOf(op.getResult(), batch);
  DimAttr count = matrices ? values.rowsOf(rows) : values.widthOf(rows);
  std::string name = kernelName("append");
  b.setInsertionPointToEnd(program.module->getBody());
  auto kernel = b.create<tile::KernelOp>(op.getLoc(), name, b.getArrayAttr(symbols), count,
                                         symbolDim(b.getContext(), in.past.getValue()), packBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  body.addArguments({source.type, target.type}, {op.getLoc(), op.getLoc()});
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  inner.create<tile::CopyOp>(op.getLoc(), body.getArgument(0), body.getArgument(1));
  steps[ready[rows]].push_back({name, count, packBlock, false, {source.buffer, target.buffer}, {1}, batch});
}

void Planner::emitRowKernels() {
  // Groups of one level, one number of rows and one batch, in order of appearance.
  struct Group {
    unsigned level;
    DimAttr rows;
    std::vector<DimAttr> batch;
    std::vector<Operation *> ops;
  };
  std::vector<Group> groups;
  DenseMap<std::pair<unsigned, Attribute>, size_t> index;
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    if (values.role(v) != Role::Row)
      continue;
    std::vector<DimAttr> batch = values.batchOf(v);
    SmallVector<Attribute> sizes(batch.begin(), batch.end());
    sizes.push_back(values.rowsOf(v));
    auto [it, fresh] = index.try_emplace({level[v], b.getArrayAttr(sizes)}, groups.size());
    if (fresh)
      groups.push_back({level[v], values.rowsOf(v), batch, {}});
    groups[it->second].ops.push_back(&op);
  }
  auto ranges = [&](Value mask) { return rangeOf(mask); };
  for (const Group &group : groups) {
    const std::vector<Operation *> &ops = group.ops;
    auto global = [&](Value v, Operation *contraction) {
      return contraction ? packedOf(cast<MatmulOp>(contraction), v, group.batch) : matrixOf(v, group.batch);
    };
    DenseSet<Value> outputs;
    for (Operation *op : ops)
      if (inMemory.contains(op->getResult(0)))
        outputs.insert(op->getResult(0));
    RowSchedule schedule = scheduleRows(values, ops, outputs, ranges);
    bool newRows = in.rows && asSymbol(group.rows) == in.rows;
    DimAttr position = newRows ? symbolDim(b.getContext(), in.past.getValue()) : constantDim(b.getContext(), 0);
    // Buffers and packings are created while the kernel is emitted, so it is built apart and moved behind them.
    OwningOpRef<ModuleOp> apart = ModuleOp::create(in.graph.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(apart->getBody());
    std::string name = kernelName("rows");
    bool isForLibrary = noteContractions(schedule, group.rows, name);
    auto plain = [&](Operation *contraction) {
      return matrixOf(factorOf(cast<MatmulOp>(contraction), contraction->getOperand(1)).source, group.batch);
    };
    PlanStep step = emitRowKernel(builder, values,
                                  {name, symbols, group.rows, position, group.batch, schedule, ranges, global, outputs,
                                   faults, isForLibrary, plain});
    apart->getBody()->front().moveBefore(program.module->getBody(), program.module->getBody()->end());
    step.splits = true;
    steps[group.level].push_back(step);
  }
}

// Says of each contraction of a kernel what carries it. Blocks have the height of library tiles only where all
// contractions of the kernel can use them: generated code is faster on others.
bool Planner::noteContractions(const RowSchedule &schedule, DimAttr rows, const std::string &kernel) {
  DenseSet<Attribute> rowSymbols(rows.getAtoms().begin(), rows.getAtoms().end());
  for (StringAttr symbol : {in.sequence, in.rows, in.past})
    if (symbol)
      rowSymbols.insert(symbol);
  bool all = true;
  std::vector<PlanContraction> found;
  for (const RowEvent &event : schedule.events)
    if (event.contraction) {
      Factor factor = factorOf(cast<MatmulOp>(event.contraction), event.contraction->getOperand(1));
      Type element = tensorOf(factor.source).getElementType();
      std::string why = whyGenerated(event, rows, values, {factor.transposed, factor.isState, element}, rowSymbols);
      all &= why.empty();
      found.push_back({nameOf(event.contraction->getResult(0)), kernel, ContractionTile::Generated, why});
    }
  for (PlanContraction &contraction : found) {
    if (all) {
      contraction.tile = ContractionTile::Library;
      contraction.reason = "in blocks of 64 rows where it gives these bits, else generated";
    } else if (contraction.reason.empty()) {
      contraction.reason = "shares its kernel with one that is generated";
    }
    program.plan.contractions.push_back(contraction);
  }
  return all && !found.empty();
}

void Planner::emitMaps() {
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    Role role = values.role(v);
    bool freeInMemory = role == Role::Free && inMemory.contains(v);
    if (role == Role::State && inMemory.contains(v))
      emitState(cast<ConcatOp>(op));
    if (role == Role::Join)
      emitJoin(cast<ConcatOp>(op));
    // What is a loop nest and not in memory is fused into the loops of its readers.
    if (role == Role::Reduce || role == Role::Gather || freeInMemory || (role == Role::Map && inMemory.contains(v)))
      emitMap(&op, op.getResult(0), {});
  }
}

// The loop nest that writes `value`, or a part of it, for `op`.
void Planner::emitMap(Operation *op, Value value, ArrayRef<DimAttr> at) {
  Role role = values.role(op->getResult(0));
  auto emit = role == Role::Reduce ? emitReduceKernel : role == Role::Gather ? emitGatherKernel : emitMapKernel;
  std::string name = kernelName(role == Role::Reduce   ? "reduce"
                                : role == Role::Gather ? "gather"
                                : role == Role::Join   ? "join"
                                                       : "map");
  auto global = [&](Value x) { return globalOf(x); };
  auto inlined = [&](Value x) { return values.isFree(x) || (values.role(x) == Role::Map && !inMemory.contains(x)); };
  OwningOpRef<ModuleOp> apart = ModuleOp::create(op->getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(apart->getBody());
  auto strides = [&](TensorType type, ArrayRef<AxisPlace> places, int64_t batch) {
    return mapStrides(type, places, batch);
  };
  MapKernelInput input{name, symbols, op, value, at, global, inlined, strides, faults};
  PlanStep step = emit(builder, values, input);
  apart->getBody()->front().moveBefore(program.module->getBody(), program.module->getBody()->end());
  steps[level.lookup(op->getResult(0))].push_back(step);
}

// Each operand goes to its part of the result.
void Planner::emitJoin(ConcatOp op) {
  SmallVector<DimAttr> at(tensorOf(op.getResult()).getRank(), constantDim(b.getContext(), 0));
  DimAttr &begin = at[op.getAxis()];
  for (Value operand : op.getOperands()) {
    emitMap(op, operand, at);
    begin = addDims(begin, tensorOf(operand).getDims()[op.getAxis()]); // at most the result's size, so in range
  }
}

// Results that are arguments, or that are returned more than once: copied at the end.
void Planner::emitResults() {
  unsigned last = steps.empty() ? 0 : steps.rbegin()->first + 1;
  for (auto [i, v] : llvm::enumerate(in.graph.getReturn().getValues().take_front(in.resultNames.size()))) {
    unsigned home = denseMemoryOf(v);
    if (program.plan.buffers[home].kind == BufferKind::Result && program.plan.buffers[home].index == i)
      continue;
    unsigned target = addBuffer({BufferKind::Result, unsigned(i), in.resultNames[i], "", bufferType(tensorOf(v))});
    tile::BufferType type = bufferType(tensorOf(v));
    steps[last].push_back(copyStep(v.getLoc(), {{home}, type}, {{target}, type}, {}));
  }
}

FailureOr<TileProgram> Planner::run() {
  program.module = ModuleOp::create(in.graph.getLoc());
  findLevels();
  findMemory();
  emitMaps();
  emitRowKernels();
  for (ScanOp scan : in.graph.getBlock().getOps<ScanOp>())
    if (failed(emitScan(scan)))
      return failure();
  emitResults();
  emitNextStates();
  for (auto &[at, list] : steps)
    llvm::append_range(program.plan.steps, list);
  for (Operation &op : in.graph.getBlock())
    program.plan.canFail |= mayFail(&op, values.getFacts()).has_value();
  if (tooLarge)
    return in.graph.emitError("the memory of its values is larger than dimensions can say");
  return std::move(program);
}

FailureOr<TileProgram> graphToTiles(const TileInput &input) {
  widenNibbles(input.graph, input.numArguments, input.resultNames.size());
  Faults faults(input);
  FailureOr<TileProgram> program = Planner(input, faults).run();
  if (failed(program) || failed(splitPrepared(input.graph, *program)))
    return failure();
  program->plan.operations = faults.takeOperations();
  program->plan.scans = faults.takeScans();
  joinSteps(program->plan, program->plan.prepare);
  joinSteps(program->plan, program->plan.steps);
  if (input.rows) {
    findRagged(*program, input.sequence, input.rows, input.past);
    findSections(*program, input.rows);
    findWindows(*program, input.sequence, input.rows, input.past);
  }
  return program;
}
} // namespace nova
