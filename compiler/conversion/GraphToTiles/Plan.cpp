#include "compiler/conversion/GraphToTiles/Plan.h"
#include "compiler/conversion/GraphToTiles/Values.h"
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
  case BufferKind::Next:
    return "next";
  case BufferKind::Constant:
    return "constant";
  case BufferKind::Prepared:
    return "prepared";
  }
  return "";
}

DimAttr bytesAlong(TensorType type, unsigned axis) {
  DimAttr bytes = constantDim(type.getContext(), bytesOf(type.getElementType()));
  for (DimAttr dim : type.getDims().drop_front(axis + 1))
    bytes = bytes ? multiplyDims(bytes, dim) : bytes;
  return bytes;
}

llvm::DenseMap<unsigned, unsigned> countWriters(llvm::ArrayRef<PlanStep> steps) {
  llvm::DenseMap<unsigned, unsigned> writers;
  for (const PlanStep &step : steps) {
    for (unsigned at : step.writes)
      writers[step.buffers[at].index]++;
    for (auto [buffer, count] : countWriters(step.body))
      writers[buffer] += count;
  }
  return writers;
}

void joinSteps(const Plan &plan, std::vector<PlanStep> &steps) {
  size_t first = 0; // of the steps that are joined
  for (size_t i = 0; i < steps.size(); i++) {
    PlanStep &step = steps[i];
    if (step.isLoop()) {
      joinSteps(plan, step.body);
      first = i + 1;
      continue;
    }
    auto sharesOwn = [&](const PlanStep &before) {
      for (const StepBuffer &mine : step.buffers)
        for (const StepBuffer &other : before.buffers) {
          BufferKind kind = plan.buffers[mine.index].kind;
          bool written = kind != BufferKind::Argument && kind != BufferKind::Constant;
          if (written && mine.index == other.index && !(mine == other))
            return false;
        }
      return true;
    };
    step.joins = i > first && !step.batch.empty() && step.batch == steps[first].batch &&
                 std::all_of(steps.begin() + first, steps.begin() + i, sharesOwn);
    if (!step.joins)
      first = i;
  }
}

static void printSteps(llvm::ArrayRef<PlanStep> steps, unsigned indent, llvm::raw_ostream &os) {
  for (auto [i, step] : llvm::enumerate(steps)) {
    os.indent(indent) << i << ": ";
    if (step.isLoop()) {
      os << "repeat " << toString(step.repeats) << "\n";
      printSteps(step.body, indent + 2, os);
      continue;
    }
    os << step.kernel;
    if (!step.batch.empty())
      os << " batch " << toString(llvm::ArrayRef(step.batch)) << (step.joins ? " joined" : "");
    os << " rows " << toString(step.rows) << " block " << step.block << (step.descending ? " descending" : "")
       << (step.splits ? " splits" : "") << (step.folds ? " folds" : "") << (step.sections.empty() ? "" : " sections")
       << (step.apart ? " apart" : "") << " (";
    for (auto [k, buffer] : llvm::enumerate(step.buffers))
      os << (k ? ", b" : "b") << buffer.index;
    os << ")\n";
  }
}

void printPlan(const Plan &plan, llvm::raw_ostream &os) {
  os << "symbols:";
  for (const std::string &symbol : plan.symbols)
    os << " " << symbol;
  os << "\nbuffers:\n";
  for (auto [i, buffer] : llvm::enumerate(plan.buffers))
    os << "  b" << i << ": " << word(buffer.kind) << " " << buffer.name << " : "
       << toString(mlir::Type(buffer.type.getTensor())) << " " << tile::stringifyLayout(buffer.type.getLayout())
       << (buffer.count && constantValue(buffer.count) != 1 ? " x " + toString(buffer.count) : "")
       << (buffer.window ? " window " + toString(buffer.window) : "") << "\n";
  if (!plan.prepare.empty()) {
    os << "prepare:\n";
    printSteps(plan.prepare, 2, os);
  }
  os << "steps:\n";
  printSteps(plan.steps, 2, os);
  if (plan.ragged)
    os << "ragged batch: " << (plan.ragged->possible ? "yes" : "no, " + plan.ragged->why) << "\n";
  if (!plan.operations.empty())
    os << "may fail:\n";
  for (const PlanOperation &operation : plan.operations) {
    os << "  " << operation.text;
    for (unsigned scan : llvm::reverse(operation.scans))
      os << ", in " << plan.scans[scan].text;
    os << "\n";
  }
  os << "contractions:\n";
  for (const PlanContraction &c : plan.contractions)
    os << "  " << c.value << " in " << c.kernel << ": "
       << (c.tile == ContractionTile::Generated ? "generated" : "library") << " (" << c.reason << ")\n";
}
} // namespace nova
