#include "compiler/conversion/GraphToTiles/Plan.h"
#include "dialects/graph/Text.h"

namespace nova {
static const char *word(BufferKind kind) {
  switch (kind) {
  case BufferKind::Argument:
    return "argument";
  case BufferKind::Result:
    return "result";
  case BufferKind::Temporary:
    return "temporary";
  case BufferKind::State:
    return "state";
  case BufferKind::Constant:
    return "constant";
  }
  return "";
}

void printPlan(const Plan &plan, llvm::raw_ostream &os) {
  os << "symbols:";
  for (const std::string &symbol : plan.symbols)
    os << " " << symbol;
  os << "\nbuffers:\n";
  for (auto [i, buffer] : llvm::enumerate(plan.buffers))
    os << "  b" << i << ": " << word(buffer.kind) << " " << buffer.name << " : "
       << toString(mlir::Type(buffer.type.getTensor())) << " " << tile::stringifyLayout(buffer.type.getLayout())
       << "\n";
  os << "steps:\n";
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    os << "  " << i << ": " << step.kernel << " rows " << toString(step.rows) << " block " << step.block
       << (step.descending ? " descending" : "") << " (";
    for (auto [k, buffer] : llvm::enumerate(step.buffers))
      os << (k ? ", b" : "b") << buffer;
    os << ")\n";
  }
  os << "contractions:\n";
  for (const PlanContraction &c : plan.contractions)
    os << "  " << c.value << " in " << c.kernel << ": "
       << (c.tile == ContractionTile::Generated ? "generated" : "library") << " (" << c.reason << ")\n";
}
} // namespace nova
