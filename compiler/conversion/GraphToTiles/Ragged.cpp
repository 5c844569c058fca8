#include "compiler/conversion/GraphToTiles/Ragged.h"
#include "compiler/conversion/GraphToTiles/Values.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova {
namespace {
/// Where the new rows lie in a buffer.
struct RowAxis {
  bool known = true;                 // else a size follows from the rows in another way
  std::optional<unsigned> axis = {}; // none where the buffer has nothing to do with rows
};

class RaggedAnalysis {
public:
  RaggedAnalysis(TileProgram &program, StringAttr whole, StringAttr rows, StringAttr past)
      : program(program), plan(program.plan), whole(whole), rows(rows), past(past) {}

  void run() {
    plan.ragged = RaggedPlan{true, ""};
    checkLoops(plan.steps);
    for (PlanBuffer &buffer : plan.buffers)
      findRowAxis(buffer);
    findSteps(plan.steps);
    if (plan.ragged->possible)
      return;
    for (PlanBuffer &buffer : plan.buffers)
      buffer.rowAxis.reset();
    clearSteps(plan.steps);
  }

private:
  void refuse(const Twine &why) {
    if (plan.ragged->possible)
      plan.ragged = RaggedPlan{false, why.str()};
  }

  /// Whether the size depends on how many rows there are.
  bool varies(DimAttr dim) const { return mentions(dim, whole) || mentions(dim, rows) || mentions(dim, past); }

  RowAxis rowAxisOf(TensorType type) const {
    RowAxis found;
    for (auto [i, dim] : llvm::enumerate(type.getDims())) {
      if (!varies(dim))
        continue;
      if (found.axis || asSymbol(dim) != rows)
        return {false, {}};
      found.axis = i;
    }
    return found;
  }
  static TensorType typeOf(Value buffer) { return cast<tile::BufferType>(buffer.getType()).getTensor(); }
  RowAxis rowAxisOf(Value buffer) const { return rowAxisOf(typeOf(buffer)); }

  void findRowAxis(PlanBuffer &buffer) {
    if (buffer.kind != BufferKind::Argument && buffer.kind != BufferKind::Result &&
        buffer.kind != BufferKind::Temporary)
      return;
    TensorType type = buffer.type.getTensor();
    RowAxis found = rowAxisOf(type);
    if (!found.known || (found.axis && buffer.type.getLayout() != tile::Layout::rows))
      return refuse(buffer.name + " : " + toString(Type(type)) + " does not lie row by row");
    if (buffer.count && varies(buffer.count))
      return refuse(buffer.name + " is " + toString(buffer.count) + " matrices");
    if (buffer.kind == BufferKind::Result && !found.axis)
      return refuse(buffer.name + " is the same for all rows");
    if (!found.axis)
      return;
    if (type.getElementType().isInteger(4))
      return refuse(buffer.name + " has less than a byte for an entry");
    buffer.rowAxis = found.axis;
  }

  void checkLoops(ArrayRef<PlanStep> steps) {
    for (const PlanStep &step : steps)
      if (step.isLoop()) {
        if (varies(step.repeats))
          refuse("a loop runs " + toString(step.repeats) + " times");
        checkLoops(step.body);
      }
  }

  static void clearSteps(std::vector<PlanStep> &steps) {
    for (PlanStep &step : steps) {
      step.apart = false;
      clearSteps(step.body);
    }
  }

  void findSteps(std::vector<PlanStep> &steps) {
    for (PlanStep &step : steps) {
      if (step.isLoop()) {
        findSteps(step.body);
        continue;
      }
      auto kernel = program.module->lookupSymbol<tile::KernelOp>(step.kernel);
      step.apart = !runsTogether(step, kernel);
      if (step.apart && !runsApart(step, kernel))
        refuse(step.kernel + " reads the rows of others");
    }
  }

  const PlanBuffer &bufferOf(const PlanStep &step, unsigned at) const { return plan.buffers[step.buffers[at].index]; }

  /// The axis of the step's batch that counts rows; one beyond the last for none.
  unsigned rowsInBatch(const PlanStep &step) const {
    auto isRows = [&](DimAttr dim) { return asSymbol(dim) == rows; };
    return llvm::find_if(step.batch, isRows) - step.batch.begin();
  }

  // --- Together ---

  bool runsTogether(const PlanStep &step, tile::KernelOp kernel) const {
    unsigned inBatch = rowsInBatch(step);
    bool batched = inBatch < step.batch.size();
    if (varies(step.rows) && (batched || asSymbol(step.rows) != rows))
      return false;
    for (auto [i, dim] : llvm::enumerate(step.batch))
      if (varies(dim) && i != inBatch)
        return false;
    for (unsigned i = 0; i < step.buffers.size(); i++) {
      const PlanBuffer &buffer = bufferOf(step, i);
      if (buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next)
        return false;
      if (batched && !movesWithRows(step.buffers[i], buffer, inBatch))
        return false;
    }
    Block &body = kernel.getBody().front();
    for (Operation &op : body)
      if (!isRowwise(&op, step, kernel, batched))
        return false;
    return true;
  }

  /// Whether an index of the batch that counts rows finds its row of the buffer.
  bool movesWithRows(const StepBuffer &given, const PlanBuffer &buffer, unsigned axis) const {
    DimAttr stride = given.strides[axis];
    if (!buffer.rowAxis)
      return constantValue(stride) == 0;
    return given.unit == StepBuffer::Unit::Bytes && stride == bytesOfRow(buffer);
  }

  /// Whether some number in the op follows from how many rows there are, or from where they are. What an error says
  /// does not count: it is found again session by session.
  bool knowsRows(Operation *op) const {
    bool found = false;
    for (NamedAttribute attr : op->getAttrs())
      if (!isa<tile::FaultAttr>(attr.getValue()) && !(isa<tile::MapOp>(op) && attr.getName() == "part"))
        attr.getValue().walk([&](DimAttr dim) { found |= varies(dim); });
    return found;
  }

  /// The op and what it does at each entry.
  bool isRowwise(Operation *op, const PlanStep &step, tile::KernelOp kernel, bool batched) const {
    bool known = false;
    op->walk([&](Operation *inner) { known |= knowsRows(inner); });
    if (known)
      return false;
    auto lies = [&](Value buffer, std::optional<unsigned> axis) { return liesAt(buffer, axis, step, kernel, batched); };
    auto first = [&](Value buffer) { // rows of the launch
      return buffer.getDefiningOp<tile::ScratchOp>() || lies(buffer, 0);
    };
    auto isPicked = [&](Value buffer, unsigned axis) { // a whole buffer, of which the batch picks a row
      auto argument = dyn_cast<BlockArgument>(buffer);
      return argument && batched && isAsIn(bufferOf(step, argument.getArgNumber()), buffer, axis);
    };
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](tile::ContractOp contract) {
          if (contract.getTerms() || contract.getColumns())
            return false;
          for (Value factor : {Value(contract.getB()), Value(contract.getBMask()), Value(contract.getPlain())})
            if (factor && !lies(factor, std::nullopt))
              return false;
          return first(contract.getA()) && first(contract.getC()) && (!contract.getMask() || first(contract.getMask()));
        })
        .Case([&](tile::PassOp pass) {
          Value position = pass.getBody().getArgument(pass.getInputs().size());
          return !pass.getColumns() && position.use_empty() && llvm::all_of(pass->getOperands(), first);
        })
        .Case([&](tile::MapOp map) { return isRowwiseMap(map, lies, isPicked); })
        .Case([&](tile::ReduceOp reduce) { return isBeside(reduce, reduce.getHidden(), lies); })
        .Case([&](tile::AccumulateOp sum) { return isBeside(sum, sum.getHidden(), lies); })
        .Case([&](tile::GatherOp gather) {
          RowAxis input = rowAxisOf(gather.getInput()), indices = rowAxisOf(gather.getIndices());
          if (input.axis || !input.known || !indices.known)
            return false;
          std::optional<unsigned> out;
          if (indices.axis)
            out = gather.getAxis() + *indices.axis;
          return lies(gather.getInput(), std::nullopt) && lies(gather.getIndices(), indices.axis) &&
                 lies(gather.getOutput(), out);
        })
        .Case([&](tile::CopyOp copy) {
          return constantValue(kernel.getPosition()) == 0 && lies(copy.getSource(), 0) && lies(copy.getTarget(), 0);
        })
        .Case([&](tile::PackOp pack) {
          return lies(pack.getSource(), std::nullopt) && lies(pack.getPacked(), std::nullopt);
        })
        .Case([&](tile::ScratchOp scratch) { return !varies(typeOf(scratch.getBuffer()).getDims().back()); })
        .Default(
            [](Operation *other) { return !isa<tile::TileDialect>(other->getDialect()) || isa<tile::DimOp>(other); });
  }

  /// Whether a buffer of the kernel has its rows along this axis, as the module knows them there, or none at all. In a
  /// batch that counts rows no kernel sees more than one.
  bool liesAt(Value buffer, std::optional<unsigned> axis, const PlanStep &step, tile::KernelOp kernel,
              bool batched) const {
    auto argument = dyn_cast<BlockArgument>(buffer);
    if (!argument || argument.getOwner() != &kernel.getBody().front())
      return false;
    RowAxis seen = rowAxisOf(buffer);
    const PlanBuffer &memory = bufferOf(step, argument.getArgNumber());
    if (!seen.known)
      return false;
    if (!seen.axis)
      return !memory.rowAxis || batched;
    return !batched && seen.axis == axis && isAsIn(memory, buffer, *seen.axis);
  }
  bool isAsIn(const PlanBuffer &memory, Value buffer, unsigned axis) const {
    return memory.rowAxis && bytesAlong(typeOf(buffer), axis) == bytesOfRow(memory);
  }

  bool isRowwiseMap(tile::MapOp map, llvm::function_ref<bool(Value, std::optional<unsigned>)> lies,
                    llvm::function_ref<bool(Value, unsigned)> isPicked) const {
    RowAxis out = rowAxisOf(map.getOutput());
    if (!out.known || !lies(map.getOutput(), out.axis))
      return false;
    for (auto [input, indices] : llvm::zip(map.getInputs(), map.getMaps().getAsValueRange<AffineMapAttr>())) {
      RowAxis in = rowAxisOf(input);
      if (in.axis && isZero(indices.getResult(*in.axis)) && isPicked(input, *in.axis))
        continue;
      bool sameRow =
          in.axis && out.axis && indices.getResult(*in.axis) == getAffineDimExpr(*out.axis, map.getContext());
      if (!in.known || (in.axis && !sameRow) || !lies(input, in.axis))
        return false;
    }
    if (!out.axis)
      return !map.getPart() ||
             llvm::none_of(map.getPart()->getAsRange<DimAttr>(), [&](DimAttr d) { return varies(d); });
    if (map.getPart())
      for (auto [i, part] : llvm::enumerate(map.getPart()->getAsRange<DimAttr>()))
        if (i == *out.axis ? asSymbol(part) != rows || !isZero(map, i) : varies(part))
          return false;
    return map.getBody().getArgument(map.getInputs().size() + *out.axis).use_empty();
  }
  static bool isZero(tile::MapOp map, unsigned axis) { return constantValue(cast<DimAttr>((*map.getAt())[axis])) == 0; }
  static bool isZero(AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == 0;
  }

  template <typename Op, typename Lies> bool isBeside(Op op, Value hidden, Lies lies) const {
    RowAxis in = rowAxisOf(op.getInput());
    if (!in.known || in.axis == unsigned(op.getAxis()))
      return false;
    if (hidden) {
      RowAxis mask = rowAxisOf(hidden);
      if (!mask.known || !lies(hidden, mask.axis) || (mask.axis && mask.axis != in.axis))
        return false;
    }
    return lies(op.getInput(), in.axis) && lies(op.getOutput(), in.axis);
  }

  // --- Apart ---

  bool runsApart(const PlanStep &step, tile::KernelOp kernel) const {
    if ((varies(step.rows) && asSymbol(step.rows) != rows) ||
        llvm::any_of(step.batch, [&](DimAttr dim) { return varies(dim); }))
      return false;
    for (unsigned i = 0; i < step.buffers.size(); i++) {
      const PlanBuffer &buffer = bufferOf(step, i);
      bool isState = buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next;
      if (buffer.rowAxis ? !beginsAtRows(kernel.getBody().getArgument(i), buffer)
                         : !isState && llvm::is_contained(step.writes, i)) // the same for all sessions
        return false;
    }
    return true;
  }

  /// Whether the kernel finds the rows of a session if the buffer begins at the first of them. What lies before the
  /// axis of the rows is as far apart as all sessions have rows, so no index of the kernel may go there.
  bool beginsAtRows(BlockArgument argument, const PlanBuffer &memory) const {
    RowAxis seen = rowAxisOf(argument);
    if (!seen.known || !seen.axis || !isAsIn(memory, argument, *seen.axis))
      return false;
    auto staysInFirst = [&](OpOperand &use) {
      auto map = dyn_cast<tile::MapOp>(use.getOwner());
      if (!map || use.getOperandNumber() >= map.getInputs().size())
        return false;
      auto indices = cast<AffineMapAttr>(map.getMaps()[use.getOperandNumber()]).getValue().getResults();
      return llvm::all_of(indices.take_front(*seen.axis), [](AffineExpr index) { return isZero(index); });
    };
    return *seen.axis == 0 || llvm::all_of(argument.getUses(), staysInFirst);
  }

  TileProgram &program;
  Plan &plan;
  StringAttr whole, rows, past;
};
} // namespace

void findRagged(TileProgram &program, StringAttr whole, StringAttr rows, StringAttr past) {
  RaggedAnalysis(program, whole, rows, past).run();
}
} // namespace nova
