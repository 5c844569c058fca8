#include "compiler/conversion/GraphToTiles/Prepare.h"
#include "compiler/conversion/GraphToTiles/Values.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace mlir;

namespace nova {
namespace {
// Where each run of the loops around it finds its part of a buffer.
struct Spread {
  std::vector<DimAttr> strides; // outermost first
  StepBuffer::Unit unit;
};

class Splitter {
public:
  Splitter(GraphOp graph, TileProgram &program)
      : graph(graph), program(program), plan(program.plan), zero(constantDim(graph.getContext(), 0)) {}

  LogicalResult run() {
    for (BlockArgument argument : graph.getBlock().getArguments())
      if (graph.isParam(argument.getArgNumber()))
        for (DimAttr dim : cast<TensorType>(argument.getType()).getDims())
          if (StringAttr symbol = asSymbol(dim))
            known.insert(symbol);
    writers = countWriters(plan.steps);
    plan.steps = split(std::move(plan.steps));
    if (tooLarge)
      return graph.emitError("what is prepared from its params is larger than dimensions can say");
    return success();
  }

private:
  /// The steps that are left for every run.
  std::vector<PlanStep> split(std::vector<PlanStep> steps) {
    std::vector<PlanStep> rest;
    for (PlanStep &step : steps) {
      if (step.isLoop()) {
        loops.push_back(step.repeats);
        step.body = split(std::move(step.body));
        loops.pop_back();
        rest.push_back(std::move(step));
        continue;
      }
      for (StepBuffer &buffer : step.buffers)
        if (auto it = spreads.find(buffer.index); it != spreads.end())
          spread(buffer, it->second);
      if (isPrepared(step))
        plan.prepare.push_back(prepared(std::move(step)));
      else
        rest.push_back(std::move(step));
    }
    return rest;
  }

  static void spread(StepBuffer &buffer, const Spread &spread) {
    llvm::copy(spread.strides, buffer.loopStrides.begin());
    buffer.loopUnit = spread.unit;
  }

  bool isKnown(DimAttr dim) const {
    return llvm::all_of(dim.getAtoms(), [&](Attribute atom) { return known.contains(atom); });
  }
  bool areKnown(ArrayRef<DimAttr> dims) const {
    return llvm::all_of(dims, [&](DimAttr dim) { return isKnown(dim); });
  }
  bool isZero(ArrayRef<DimAttr> dims) const {
    return llvm::all_of(dims, [&](DimAttr dim) { return dim == zero; });
  }

  bool isPrepared(const PlanStep &step) {
    for (auto [at, buffer] : llvm::enumerate(step.buffers)) {
      const PlanBuffer &memory = plan.buffers[buffer.index];
      if (llvm::is_contained(step.writes, at)) {
        // Whoever else wrote to it would do so while other runs read it.
        if (memory.kind != BufferKind::Temporary || writers.lookup(buffer.index) != 1 ||
            (memory.count && !isKnown(memory.count)))
          return false;
      } else if (memory.kind == BufferKind::Argument
                     ? !graph.isParam(memory.index)
                     : memory.kind != BufferKind::Constant && memory.kind != BufferKind::Prepared) {
        return false;
      }
      // The loops become axes of a batch, and an axis has one unit.
      if (buffer.unit != buffer.loopUnit && !isZero(buffer.strides) && !isZero(buffer.loopStrides))
        return false;
    }
    return areKnown(step.batch) && areKnown(loops) && kernelIsKnown(step.kernel);
  }

  // What differs from run to run of the loops around it is prepared for all of them at once.
  PlanStep prepared(PlanStep step) {
    std::vector<bool> differs(loops.size());
    for (auto [at, buffer] : llvm::enumerate(step.buffers))
      if (!llvm::is_contained(step.writes, at))
        for (size_t loop = 0; loop < loops.size(); loop++)
          differs[loop] = differs[loop] || buffer.loopStrides[loop] != zero;
    for (unsigned at : step.writes) {
      StepBuffer &buffer = step.buffers[at];
      Spread own = multiply(plan.buffers[buffer.index], differs);
      plan.buffers[buffer.index].kind = BufferKind::Prepared;
      spread(buffer, own);
      spreads[buffer.index] = own;
    }
    std::vector<DimAttr> batch;
    std::vector<int64_t> runs; // where the batch counts those of each loop
    for (size_t loop = 0; loop < loops.size(); loop++) {
      runs.push_back(differs[loop] ? int64_t(batch.size()) : -1);
      if (differs[loop])
        batch.push_back(loops[loop]);
    }
    step.batch.insert(step.batch.begin(), batch.begin(), batch.end());
    for (StepFault &fault : step.faults) {
      fault.batch.insert(fault.batch.begin(), batch.size(), {});
      fault.runs = runs;
    }
    for (StepBuffer &buffer : step.buffers) {
      if (!isZero(buffer.loopStrides))
        buffer.unit = buffer.loopUnit;
      std::vector<DimAttr> own;
      for (size_t loop = 0; loop < loops.size(); loop++)
        if (differs[loop])
          own.push_back(buffer.loopStrides[loop]);
      buffer.strides.insert(buffer.strides.begin(), own.begin(), own.end());
      buffer.loopStrides.clear();
      buffer.loopUnit = StepBuffer::Unit::Bytes;
    }
    return step;
  }

  DimAttr times(DimAttr a, DimAttr b) {
    DimAttr product = multiplyDims(a, b);
    tooLarge |= !product;
    return product ? product : a;
  }

  // Room for every run of the loops that matter: more axes of a dense buffer, more matrices of a packed one.
  Spread multiply(PlanBuffer &buffer, const std::vector<bool> &differs) {
    bool dense = buffer.type.getLayout() == tile::Layout::rows;
    TensorType tensor = buffer.type.getTensor();
    SmallVector<DimAttr> dims(tensor.getDims());
    MLIRContext *context = graph.getContext();
    DimAttr each = constantDim(context, 1);
    if (dense) {
      each = constantDim(context, bytesOf(tensor.getElementType()));
      for (DimAttr dim : dims)
        each = times(each, dim);
    } else if (buffer.count) {
      each = buffer.count;
    }
    Spread result{std::vector<DimAttr>(loops.size(), zero),
                  dense ? StepBuffer::Unit::Bytes : StepBuffer::Unit::Matrices};
    for (size_t loop = loops.size(); loop-- > 0;) {
      if (!differs[loop])
        continue;
      result.strides[loop] = each;
      each = times(each, loops[loop]);
      dims.insert(dims.begin(), loops[loop]);
    }
    if (dense) {
      buffer.type = tile::BufferType::get(context, tensor.withDims(dims), tile::Layout::rows);
      program.module->lookupSymbol<tile::StorageOp>(buffer.symbol).setType(buffer.type);
    } else {
      buffer.count = each;
    }
    return result;
  }

  // All sizes that the kernel reads.
  bool kernelIsKnown(StringRef name) const {
    auto kernel = program.module->lookupSymbol<tile::KernelOp>(name);
    bool all = true;
    auto look = [&](DimAttr dim) { all &= isKnown(dim); };
    kernel->walk([&](Operation *op) {
      op->getAttrDictionary().walk(look);
      for (Type type : op->getResultTypes())
        type.walk(look);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          argument.getType().walk(look);
    });
    return all;
  }

  GraphOp graph;
  TileProgram &program;
  Plan &plan;
  DimAttr zero;
  llvm::DenseSet<Attribute> known;            // symbols that params determine
  llvm::DenseMap<unsigned, unsigned> writers; // of buffers: how many steps
  std::vector<DimAttr> loops;                 // around the step: how often each runs
  std::map<unsigned, Spread> spreads;         // of prepared buffers
  bool tooLarge = false;
};
} // namespace

LogicalResult splitPrepared(GraphOp graph, TileProgram &program) {
  // Without params there need be no instance.
  return graph.getBoundArgs() ? Splitter(graph, program).run() : success();
}
} // namespace nova
