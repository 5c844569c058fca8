#include "compiler/conversion/GraphToTiles/Sections.h"

using namespace mlir;

namespace nova {
namespace {
// Columns of a product are cut at multiples of this, as rows of a state are in chunks of sums.
constexpr int64_t rowsOfPage = 256;

bool canBeCut(const PlanStep &step, tile::KernelOp kernel) {
  return step.faults.empty() && llvm::all_of(kernel.getBody().front(), [](Operation &op) {
           auto contract = dyn_cast<tile::ContractOp>(op);
           return contract
                      ? !contract.getPlain()
                      : isa<tile::PassOp, tile::ScratchOp, tile::DimOp>(op) || !isa<tile::TileDialect>(op.getDialect());
         });
}

class Sections {
public:
  Sections(TileProgram &program, StringAttr rows) : program(program), rows(rows) {}

  void visit(std::vector<PlanStep> &steps) {
    for (PlanStep &step : steps) {
      if (step.isLoop()) {
        visit(step.body);
        continue;
      }
      auto kernel = program.module->lookupSymbol<tile::KernelOp>(step.kernel);
      if (asSymbol(step.rows) != rows || !readsState(step, kernel) || !canBeCut(step, kernel))
        continue;
      kernel.setSections(true);
      for (tile::ContractOp contract : tile::sectionsOf(kernel))
        step.sections.push_back(sectionOf(contract));
    }
  }

private:
  bool readsState(const PlanStep &step, tile::KernelOp kernel) const {
    return llvm::any_of(kernel.getBody().getOps<tile::ContractOp>(), [&](tile::ContractOp contract) {
      auto factor = dyn_cast<BlockArgument>(contract.getB());
      return factor && program.plan.buffers[step.buffers[factor.getArgNumber()].index].kind == BufferKind::State;
    });
  }

  static PlanSection sectionOf(tile::ContractOp contract) {
    if (!contract)
      return {};
    auto type = cast<tile::BufferType>(contract.getB().getType());
    bool isTurned = type.getLayout() == tile::Layout::panels; // the columns are rows of the state
    int64_t panel = type.getTensor().getElementType().getIntOrFloatBitWidth() == 64 ? 8 : 16;
    return {type.getTensor().getDims()[1], isTurned ? rowsOfPage : panel};
  }

  TileProgram &program;
  StringAttr rows;
};
} // namespace

void findSections(TileProgram &program, StringAttr rows) { Sections(program, rows).visit(program.plan.steps); }
} // namespace nova
