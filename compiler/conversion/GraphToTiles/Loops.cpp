// Scans with a carry: the plan of their graph becomes a loop in the plan around it.
#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/Planner.h"

using namespace mlir;

namespace nova {
PlanStep Planner::copyStep(Location loc, GlobalBuffer source, GlobalBuffer target, ArrayRef<DimAttr> batch) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(program.module->getBody());
  PlanStep step = emitCopyKernel(b, kernelName("copy"), symbols, loc, source, target);
  step.batch = batch;
  return step;
}

Value Planner::carryOf(Value v) const {
  Role role = values.role(v);
  bool written = role == Role::Row || role == Role::Map || role == Role::Reduce || role == Role::Gather ||
                 role == Role::Join || role == Role::Free;
  if (!written || !v.hasOneUse())
    return {};
  OpOperand &use = *v.use_begin();
  auto scan = dyn_cast<ScanOp>(use.getOwner());
  unsigned first = scan ? scan.getOver().size() + scan.getWhole().size() : 0, at = use.getOperandNumber();
  return scan && at >= first && at < first + scan.getCarry().size() ? scan.getCarried()[at - first] : Value();
}

// Buffers of arguments and results are those of the scan's operands and results, run by run; memory of its own comes to
// that of this plan, a state once for every run. `next`: where a run leaves its carries.
std::vector<Planner::Place> Planner::placesOf(ScanOp op, const Plan &inner, ArrayRef<unsigned> next) {
  using Unit = StepBuffer::Unit;
  unsigned entered = op.getOver().size(), firstCarry = entered + op.getWhole().size(), stacked = op.getStacked().size();
  DimAttr count = values.getFacts().normalize(op.getCount());
  std::vector<Place> places;
  for (const PlanBuffer &buffer : inner.buffers) {
    switch (buffer.kind) {
    case BufferKind::Argument: {
      Value operand = op.getOperand(buffer.index);
      if (buffer.index >= firstCarry)
        places.push_back({memoryOf(op.getCarried()[buffer.index - firstCarry]), Unit::Bytes, zero()});
      else
        places.push_back({denseMemoryOf(operand), Unit::Bytes, buffer.index < entered ? entryBytes(operand) : zero()});
      break;
    }
    case BufferKind::Result:
      if (buffer.index < stacked) {
        Value result = op.getResult(buffer.index);
        places.push_back({memoryOf(result), Unit::Bytes, entryBytes(result)});
      } else {
        places.push_back({next[buffer.index - stacked], Unit::Bytes, zero()});
      }
      break;
    case BufferKind::State:
    case BufferKind::Next: {
      PlanBuffer all = buffer;
      all.count = checked(multiplyDims(count, buffer.count));
      if (buffer.kind == BufferKind::Next)
        all.index = places[buffer.index].buffer;
      places.push_back({unsigned(program.plan.buffers.size()), Unit::Matrices, buffer.count});
      program.plan.buffers.push_back(all);
      break;
    }
    case BufferKind::Temporary:
    case BufferKind::Constant:
      places.push_back({unsigned(program.plan.buffers.size()), Unit::Bytes, zero()});
      program.plan.buffers.push_back(buffer);
      break;
    case BufferKind::Prepared:
      llvm_unreachable("only the plan of the whole graph is divided");
    }
  }
  return places;
}

std::vector<PlanStep> Planner::movedTo(ArrayRef<Place> places, ArrayRef<PlanStep> steps) const {
  std::vector<PlanStep> moved(steps.begin(), steps.end());
  for (PlanStep &step : moved) {
    for (StepBuffer &buffer : step.buffers) {
      const Place &place = places[buffer.index];
      buffer.index = place.buffer;
      // Loops inside move within what belongs to one run: that is a matrix or several, or bytes of one.
      if (place.stride != zero())
        buffer.loopUnit = place.unit;
      buffer.loopStrides.insert(buffer.loopStrides.begin(), place.stride);
    }
    step.body = movedTo(places, step.body);
  }
  return moved;
}

static bool isBufferOf(const Plan &plan, const StepBuffer &buffer, BufferKind kind, unsigned index) {
  return plan.buffers[buffer.index].kind == kind && plan.buffers[buffer.index].index == index;
}

static bool touches(const Plan &plan, const PlanStep &step, BufferKind kind, unsigned index) {
  return llvm::any_of(step.buffers, [&](const StepBuffer &b) { return isBufferOf(plan, b, kind, index); }) ||
         llvm::any_of(step.body, [&](const PlanStep &inner) { return touches(plan, inner, kind, index); });
}

// Whether a run may write its carry, the result `result` of its plan, over the one it got, the argument `argument`:
// when nothing reads that from there on, but for a step that reads each entry before it writes it.
static bool isReplacedInPlace(const Plan &plan, unsigned argument, unsigned result) {
  bool written = false;
  for (const PlanStep &step : plan.steps) {
    bool before = written;
    written |= touches(plan, step, BufferKind::Result, result);
    if (!written || !touches(plan, step, BufferKind::Argument, argument))
      continue;
    if (before || step.isLoop())
      return false;
    for (auto [read, given] : llvm::enumerate(step.buffers))
      for (auto [write, taken] : llvm::enumerate(step.buffers))
        if (isBufferOf(plan, given, BufferKind::Argument, argument) &&
            isBufferOf(plan, taken, BufferKind::Result, result) &&
            !llvm::is_contained(step.inPlace, std::pair(unsigned(read), unsigned(write))))
          return false;
  }
  return true;
}

LogicalResult Planner::emitScan(ScanOp op) {
  GraphOp body = op.getBody();
  unsigned states = op.getStates().size();
  TileInput input{body, body.getNumGraphArguments() - states, {}, in.sequence, in.rows, in.past};
  for (unsigned i = 0; i + states < body.getNumGraphResults(); i++)
    input.resultNames.push_back(body.getResultName(i));
  FailureOr<TileProgram> inner = Planner(input, counters, symbols, faults).run();
  if (failed(inner))
    return failure();
  program.module->getBody()->getOperations().splice(program.module->getBody()->end(),
                                                    inner->module->getBody()->getOperations());
  llvm::append_range(program.plan.contractions, inner->plan.contractions);
  program.plan.canFail |= inner->plan.canFail;

  std::vector<PlanStep> &out = steps[level[op.getResult(0)]];
  std::vector<PlanStep> handOn;
  std::vector<unsigned> next;
  DenseSet<unsigned> carries;
  for (auto [i, carry, begin] : llvm::enumerate(op.getCarried(), op.getCarry())) {
    tile::BufferType type = bufferType(tensorOf(carry));
    unsigned home = memoryOf(carry);
    carries.insert(home);
    if (!carryOf(begin))
      out.push_back(copyStep(op.getLoc(), {{denseMemoryOf(begin)}, type}, {{home}, type}, {}));
    if (isReplacedInPlace(inner->plan, op.getOver().size() + op.getWhole().size() + i, op.getStacked().size() + i)) {
      next.push_back(home);
      continue;
    }
    next.push_back(addBuffer({BufferKind::Temporary, 0, nameOf(carry) + ".next", "", type}));
    handOn.push_back(copyStep(op.getLoc(), {{next.back()}, type}, {{home}, type}, {}));
    for (StepBuffer &buffer : handOn.back().buffers)
      buffer.loopStrides.push_back(zero());
  }
  PlanStep loop{};
  loop.repeats = values.getFacts().normalize(op.getCount());
  loop.body = movedTo(placesOf(op, inner->plan, next), inner->plan.steps);
  llvm::append_range(loop.body, handOn);
  if (!inner->plan.canFail) // what may fail runs as often as the graph says
    moveInvariant(loop, carries, out);
  out.push_back(loop);
  return success();
}

// What is the same in every run, such as a packed factor, is computed once, before the loop.
void Planner::moveInvariant(PlanStep &loop, const DenseSet<unsigned> &carries, std::vector<PlanStep> &before) const {
  DenseMap<unsigned, unsigned> writers = countWriters(loop.body);
  auto isInvariant = [&](const PlanStep &step) {
    for (auto [at, buffer] : llvm::enumerate(step.buffers)) {
      bool writes = llvm::is_contained(step.writes, at);
      if (buffer.loopStrides.front() != zero() || carries.contains(buffer.index) ||
          writers.lookup(buffer.index) != writes ||
          (writes && program.plan.buffers[buffer.index].kind != BufferKind::Temporary))
        return false;
    }
    return !step.isLoop();
  };
  std::vector<PlanStep> rest;
  for (PlanStep &step : loop.body) {
    if (!isInvariant(step)) {
      rest.push_back(std::move(step));
      continue;
    }
    for (unsigned at : step.writes)
      writers.erase(step.buffers[at].index);
    for (StepBuffer &buffer : step.buffers)
      buffer.loopStrides.erase(buffer.loopStrides.begin());
    before.push_back(std::move(step));
  }
  loop.body = std::move(rest);
}

// What a carry along the sequence is after the new rows: kept apart from what it was, in case the run fails.
void Planner::emitNextStates() {
  unsigned last = steps.empty() ? 0 : steps.rbegin()->first + 1;
  auto results = in.graph.getReturn().getValues().drop_front(in.resultNames.size());
  for (auto [i, v] : llvm::enumerate(results)) {
    BlockArgument state = in.graph.getBlock().getArgument(in.numArguments + i);
    if (values.role(state) != Role::Carried)
      continue;
    unsigned before = memoryOf(state);
    PlanBuffer buffer = program.plan.buffers[before];
    buffer.kind = BufferKind::Next;
    buffer.index = before;
    buffer.name += ".next";
    unsigned target = addBuffer(buffer);
    std::vector<DimAttr> batch = tensorOf(v).getRank() > 2 ? values.batchOf(v) : std::vector<DimAttr>();
    steps[last].push_back(copyStep(v.getLoc(), matrixOf(v, batch), matrixIn(target, v, batch), batch));
  }
}
} // namespace nova
