#include "compiler/conversion/GraphToTiles/GraphToTiles.h"
#include "compiler/analysis/FallibleOps.h"
#include "compiler/analysis/Mask.h"
#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/RowKernel.h"
#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include "dialects/graph/Text.h"
#include <map>
#include <set>

using namespace mlir;

namespace nova {
namespace {
// Rows of a block that only moves data.
constexpr int64_t packBlock = 256;

// Ops whose operands are all read from memory, also those that could be computed anywhere.
static bool readsMemory(Role role) { return role == Role::Reduce || role == Role::Gather || role == Role::View; }

class Planner {
public:
  explicit Planner(const TileInput &input)
      : in(input), values(input.graph, input.numArguments, input.resultNames.size()), b(in.graph.getContext()) {}
  FailureOr<TileProgram> run();

private:
  TileInput in;
  Values values;
  OpBuilder b;
  TileProgram program;
  SmallVector<Attribute> symbols;
  /// The first level at which the value can be read from memory, and for fused values the level of their kernel.
  DenseMap<Value, unsigned> ready, level;
  DenseSet<Value> inMemory;         // values that some other kernel, a result or a packing reads
  DenseMap<Value, unsigned> memory; // buffers of the plan
  std::map<std::pair<const void *, int>, unsigned> packedBuffers; // (value, layout) -> buffer
  std::map<unsigned, std::vector<PlanStep>> steps;                // by level
  std::map<Value, std::optional<int64_t>, bool (*)(Value, Value)> limits{
      [](Value a, Value c) { return a.getAsOpaquePointer() < c.getAsOpaquePointer(); }};
  std::optional<MaskAnalysis> masks; // built for the first mask
  unsigned nextKernel = 0, nextStorage = 0;

  struct Factor {    // how a packed operand of a contraction lies in memory
    Value source;    // the value whose rows are packed
    bool transposed; // the factor is the source transposed
    bool isState;
  };
  Factor factorOf(MatmulOp op, Value operand) const;
  /// Dims as the clauses simplify them: what is known to be 1 must be seen to broadcast.
  tile::BufferType bufferType(TensorType tensor, tile::Layout layout = tile::Layout::rows) const {
    SmallVector<DimAttr> dims;
    for (DimAttr dim : tensor.getDims())
      dims.push_back(values.getFacts().normalize(dim));
    return tile::BufferType::get(tensor.getContext(), tensor.withDims(dims), layout);
  }
  std::optional<int64_t> upperLimit(Value mask);

  void collectSymbols();
  LogicalResult findLevels();
  void findMemory();
  bool fusesInto(Value x, Operation &reader, DenseMap<Value, unsigned> &fused) const;
  unsigned addBuffer(PlanBuffer buffer);
  unsigned memoryOf(Value v);
  GlobalBuffer packedOf(MatmulOp op, Value operand);
  GlobalBuffer globalOf(Value v, Operation *contraction);
  void emitState(ConcatOp op);
  void emitRowKernels();
  void emitMaps();
  void emitMap(Operation *op, Value value, ArrayRef<DimAttr> at);
  void emitJoin(ConcatOp op);
  void emitResults();
  std::string kernelName(StringRef what) { return "k" + std::to_string(nextKernel++) + "_" + what.str(); }
  static std::string nameOf(Value v) {
    std::string name = valueName(v);
    return name.empty() ? "value" : name.substr(1);
  }
};
} // namespace

std::optional<int64_t> Planner::upperLimit(Value mask) {
  auto [it, fresh] = limits.try_emplace(mask);
  if (!fresh || tensorOf(mask).getRank() != 2)
    return it->second;
  if (!masks)
    masks.emplace(in.graph);
  bool newRows = in.rows && asSymbol(values.rowsOf(mask)) == in.rows;
  it->second = asUpperLimit(*masks, mask, 0, 1, newRows ? symbolDim(b.getContext(), in.past.getValue()) : DimAttr());
  return it->second;
}

Planner::Factor Planner::factorOf(MatmulOp op, Value rhs) const {
  bool transposed = false;
  if (values.role(rhs) == Role::Absorbed) {
    rhs = rhs.getDefiningOp<TransposeOp>().getOperand();
    transposed = true;
  }
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

LogicalResult Planner::findLevels() {
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    unsigned at = 0;
    switch (values.role(v)) {
    case Role::Free:
    case Role::Data:
      break;
    case Role::State: {
      auto concat = cast<ConcatOp>(op);
      if (concat.getNumOperands() != 2 || concat.getAxis() != 0)
        return op.emitError("a state grows by new rows along its leading axis alone");
      Value rows = concat.getOperand(1);
      ready[v] = ready[rows] + 1;
      break;
    }
    case Role::Absorbed:
      ready[v] = ready[op.getOperand(0)];
      break;
    case Role::View:
      ready[v] = values.isFree(op.getOperand(0)) ? 1 : ready[op.getOperand(0)];
      break;
    case Role::Row: {
      DimAttr rows = values.rowsOf(v);
      for (auto [i, x] : llvm::enumerate(op.getOperands())) {
        if (values.isFree(x) && !isPackedOperand(&op, i))
          continue;
        if (isPackedOperand(&op, i)) {
          Factor factor = factorOf(cast<MatmulOp>(op), x);
          at = std::max(at, ready[factor.source] + (factor.isState ? 0 : 1));
        } else if (values.role(x) == Role::Row && values.isAligned(x, rows)) {
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
      for (Value x : op.getOperands())
        at = std::max(at, values.isFree(x) && readsMemory(values.role(v)) ? 1u : ready[x]);
      level[v] = at;
      ready[v] = at + 1;
      break;
    case Role::Argument:
      break;
    }
  }
  return success();
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
        bool aligned = values.role(x) == Role::Row && values.isAligned(x, values.rowsOf(v)) && level[x] == level[v];
        // A packed state is written from its new rows alone.
        bool packed = isPackedOperand(&op, i);
        reads =
            packed ? values.role(x) != Role::Absorbed && values.role(x) != Role::State : !values.isFree(x) && !aligned;
      } else if (role == Role::Map || role == Role::Join) {
        reads = !values.isFree(x) && !fusesInto(x, op, fused);
      } else if (readsMemory(role)) {
        reads = true;
      } else if (role == Role::Absorbed) {
        reads = values.role(x) != Role::State;
      } else if (role == Role::State) {
        reads = i == 1;
      }
      if (reads)
        inMemory.insert(x);
    }
  }
}

unsigned Planner::addBuffer(PlanBuffer buffer) {
  if (buffer.kind == BufferKind::Temporary || buffer.kind == BufferKind::State) {
    buffer.symbol = (buffer.kind == BufferKind::State ? "state" : "temporary") + std::to_string(nextStorage++);
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
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    buffer.kind = BufferKind::Argument;
    buffer.index = arg.getArgNumber();
    buffer.name = in.graph.getArgName(arg.getArgNumber());
  } else if (values.role(v) == Role::State) {
    buffer.kind = BufferKind::State;
  } else if (values.role(v) == Role::Data) {
    buffer.kind = BufferKind::Constant;
    buffer.symbol = "nova_const_" + std::to_string(nextStorage++);
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

// The packed second factor of a contraction: written by a kernel of its own, one level before it is read.
GlobalBuffer Planner::packedOf(MatmulOp op, Value operand) {
  Factor factor = factorOf(op, operand);
  // A mask lies as the factor that it hides entries of.
  tile::Layout layout = factorOf(op, op.getRhs()).transposed ? tile::Layout::panels : tile::Layout::pages;
  tile::BufferType type = bufferType(tensorOf(op.getRhs()), layout);
  auto key = std::make_pair(static_cast<const void *>(factor.source.getAsOpaquePointer()),
                            2 * int(layout) + factor.transposed);
  auto [it, fresh] = packedBuffers.try_emplace(key, 0);
  if (fresh) {
    OpBuilder::InsertionGuard guard(b);
    Value rows = factor.isState ? cast<ConcatOp>(factor.source.getDefiningOp()).getOperand(1) : factor.source;
    PlanBuffer buffer{factor.isState ? BufferKind::State : BufferKind::Temporary, 0, nameOf(rows) + ".packed", "",
                      type};
    it->second = addBuffer(buffer);
    unsigned source = memoryOf(rows);
    DimAttr count = values.getFacts().normalize(tensorOf(rows).getDims()[0]);
    DimAttr position = factor.isState ? symbolDim(b.getContext(), in.past.getValue()) : constantDim(b.getContext(), 0);
    std::string name = kernelName("pack");
    b.setInsertionPointToEnd(program.module->getBody());
    auto kernel =
        b.create<tile::KernelOp>(op.getLoc(), name, b.getArrayAttr(symbols), count, position, packBlock, false);
    Block &body = kernel.getBody().emplaceBlock();
    body.addArguments({bufferType(tensorOf(rows)), type}, {op.getLoc(), op.getLoc()});
    b.setInsertionPointToStart(&body);
    b.create<tile::PackOp>(op.getLoc(), body.getArgument(0), body.getArgument(1), factor.transposed);
    steps[ready[rows]].push_back({name, count, packBlock, false, {source, it->second}});
  }
  return {it->second, type};
}

GlobalBuffer Planner::globalOf(Value v, Operation *contraction) {
  if (contraction)
    return packedOf(cast<MatmulOp>(contraction), v);
  return {memoryOf(v), bufferType(tensorOf(v))};
}

// A state that someone reads row by row, not as a packed factor: kept as plain rows.
void Planner::emitState(ConcatOp op) {
  Value rows = op.getOperand(1);
  unsigned source = memoryOf(rows), target = memoryOf(op.getResult());
  DimAttr count = values.getFacts().normalize(tensorOf(rows).getDims()[0]);
  std::string name = kernelName("append");
  b.setInsertionPointToEnd(program.module->getBody());
  auto kernel = b.create<tile::KernelOp>(op.getLoc(), name, b.getArrayAttr(symbols), count,
                                         symbolDim(b.getContext(), in.past.getValue()), packBlock, false);
  Block &body = kernel.getBody().emplaceBlock();
  body.addArguments({bufferType(tensorOf(rows)), bufferType(tensorOf(op.getResult()))}, {op.getLoc(), op.getLoc()});
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  inner.create<tile::CopyOp>(op.getLoc(), body.getArgument(0), body.getArgument(1));
  steps[ready[rows]].push_back({name, count, packBlock, false, {source, target}});
}

void Planner::emitRowKernels() {
  // Groups of one level and one number of rows, in order of appearance.
  std::vector<std::pair<std::pair<unsigned, DimAttr>, std::vector<Operation *>>> groups;
  DenseMap<std::pair<unsigned, Attribute>, size_t> index;
  for (Operation &op : in.graph.getBlock().without_terminator()) {
    Value v = op.getResult(0);
    if (values.role(v) != Role::Row)
      continue;
    auto [it, fresh] = index.try_emplace({level[v], values.rowsOf(v)}, groups.size());
    if (fresh)
      groups.push_back({{level[v], values.rowsOf(v)}, {}});
    groups[it->second].second.push_back(&op);
  }
  auto limit = [&](Value mask) { return upperLimit(mask); };
  auto global = [&](Value v, Operation *contraction) { return globalOf(v, contraction); };
  for (auto &[key, ops] : groups) {
    DenseSet<Value> outputs;
    for (Operation *op : ops)
      if (inMemory.contains(op->getResult(0)))
        outputs.insert(op->getResult(0));
    RowSchedule schedule = scheduleRows(values, ops, outputs, limit);
    bool newRows = in.rows && asSymbol(key.second) == in.rows;
    DimAttr position = newRows ? symbolDim(b.getContext(), in.past.getValue()) : constantDim(b.getContext(), 0);
    // Buffers and packings are created while the kernel is emitted, so it is built apart and moved behind them.
    OwningOpRef<ModuleOp> apart = ModuleOp::create(in.graph.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(apart->getBody());
    std::string name = kernelName("rows");
    PlanStep step =
        emitRowKernel(builder, values, {name, symbols, key.second, position, schedule, limit, global, outputs});
    apart->getBody()->front().moveBefore(program.module->getBody(), program.module->getBody()->end());
    for (Operation *op : ops)
      if (isa<MatmulOp>(op))
        program.plan.contractions.push_back({nameOf(op->getResult(0)), name, ContractionTile::Generated,
                                             "library tiles are not used by this compiler version"});
    steps[key.first].push_back(step);
  }
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
                                : role == Role::Gather ? "gather_" + nameOf(value) // which its errors name
                                : role == Role::Join   ? "join"
                                                       : "map");
  auto global = [&](Value x) { return globalOf(x, nullptr); };
  auto inlined = [&](Value x) { return values.isFree(x) || (values.role(x) == Role::Map && !inMemory.contains(x)); };
  OwningOpRef<ModuleOp> apart = ModuleOp::create(op->getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(apart->getBody());
  MapKernelInput input{name, symbols, op, value, at, global, inlined};
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
    unsigned home = memoryOf(v);
    if (program.plan.buffers[home].kind == BufferKind::Result && program.plan.buffers[home].index == i)
      continue;
    unsigned target = addBuffer({BufferKind::Result, unsigned(i), in.resultNames[i], "", bufferType(tensorOf(v))});
    std::string name = kernelName("copy");
    OwningOpRef<ModuleOp> apart = ModuleOp::create(in.graph.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(apart->getBody());
    tile::BufferType type = bufferType(tensorOf(v));
    steps[last].push_back(emitCopyKernel(builder, name, symbols, v, {home, type}, {target, type}));
    apart->getBody()->front().moveBefore(program.module->getBody(), program.module->getBody()->end());
  }
}

FailureOr<TileProgram> Planner::run() {
  program.module = ModuleOp::create(in.graph.getLoc());
  collectSymbols();
  if (failed(findLevels()))
    return failure();
  findMemory();
  emitMaps();
  emitRowKernels();
  emitResults();
  for (auto &[at, list] : steps)
    llvm::append_range(program.plan.steps, list);
  for (Operation &op : in.graph.getBlock())
    program.plan.canFail |= mayFail(&op, values.getFacts()).has_value();
  return std::move(program);
}

FailureOr<TileProgram> graphToTiles(const TileInput &input) { return Planner(input).run(); }
} // namespace nova
