#include "compiler/conversion/GraphToTiles/Prepare.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nova {
namespace {
class Splitter {
public:
  Splitter(GraphOp graph, TileProgram &program) : graph(graph), program(program) {}

  void run() {
    for (BlockArgument argument : graph.getBlock().getArguments())
      if (graph.isParam(argument.getArgNumber()))
        for (DimAttr dim : cast<TensorType>(argument.getType()).getDims())
          if (StringAttr symbol = asSymbol(dim))
            known.insert(symbol);
    Plan &plan = program.plan;
    std::vector<PlanStep> rest;
    for (PlanStep &step : plan.steps) {
      bool prepared = isPrepared(step);
      for (const StepBuffer &buffer : step.buffers) // who touches a temporary first writes it
        if (touched.insert(buffer.index).second && prepared && plan.buffers[buffer.index].kind == BufferKind::Temporary)
          plan.buffers[buffer.index].kind = BufferKind::Prepared;
      (prepared ? plan.prepare : rest).push_back(std::move(step));
    }
    plan.steps = std::move(rest);
  }

private:
  bool isKnown(DimAttr dim) const {
    return llvm::all_of(dim.getAtoms(), [&](Attribute atom) { return known.contains(atom); });
  }

  bool isPrepared(const PlanStep &step) {
    auto given = [&](const StepBuffer &buffer) {
      const PlanBuffer &plan = program.plan.buffers[buffer.index];
      switch (plan.kind) {
      case BufferKind::Argument:
        return graph.isParam(plan.index);
      case BufferKind::Temporary:
        return !touched.contains(buffer.index) && (!plan.count || isKnown(plan.count));
      case BufferKind::Constant:
      case BufferKind::Prepared:
        return true;
      case BufferKind::Result:
      case BufferKind::State:
        return false;
      }
      return false;
    };
    return llvm::all_of(step.buffers, given) && llvm::all_of(step.batch, [&](DimAttr dim) { return isKnown(dim); }) &&
           kernelIsKnown(step.kernel);
  }

  // All sizes that the kernel reads.
  bool kernelIsKnown(StringRef name) {
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
  llvm::DenseSet<Attribute> known;  // symbols that params determine
  llvm::DenseSet<unsigned> touched; // buffers of the steps so far
};
} // namespace

void splitPrepared(GraphOp graph, TileProgram &program) {
  if (graph.getBoundArgs()) // else there need be no instance
    Splitter(graph, program).run();
}
} // namespace nova
