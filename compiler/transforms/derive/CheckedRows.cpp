#include "compiler/transforms/derive/CheckedRows.h"
#include "compiler/analysis/FallibleOps.h"
#include "compiler/analysis/Mask.h"

using namespace mlir;

namespace nova {
namespace {
class Finder {
public:
  Finder(GraphOp core, const Dependence &dependence, const NeededVersions &needed, const Facts &facts)
      : core(core), dependence(dependence), sequence(symbolDim(core.getContext(), dependence.sequence.getValue())),
        needed(needed), facts(facts) {}
  CheckedRows run();

private:
  GraphOp core;
  const Dependence &dependence;
  DimAttr sequence;
  const NeededVersions &needed;
  const Facts &facts;
  std::optional<MaskAnalysis> masks; // built when the first is asked for
  CheckedRows out;

  void visit(Operation *op, unsigned index);
  void visitScan(ScanOp scan);
  std::optional<Box> counting(Operation *op, unsigned index, const Box &box);
  void refuse(Operation *op, const Twine &reason) {
    if (!out.refusal.empty())
      return;
    std::string name = valueName(op->getResult(0));
    out.refusal = ((name.empty() ? "an unnamed " + op->getName().stripDialect().str() : name) + " " + reason).str();
    out.refusalLoc = op->getLoc();
  }
};
} // namespace

// The part of `box` that counts; none when no entry does.
std::optional<Box> Finder::counting(Operation *op, unsigned index, const Box &box) {
  OperandGuard guard = guardOf(op, index, facts);
  if (!guard.mask)
    return box;
  if (!masks)
    masks.emplace(core);
  Mask mask = masks->get(guard.mask);
  AxisMaps maps = *axisMapsOf(op->getOperand(index).getDefiningOp(), facts);
  return restrictTo(masks->getColumns(), sequence, maps.loops, box,
                    {{guard.counts ? &mask.mayHold : &mask.mayFail, maps.operands[0]}});
}

void Finder::visit(Operation *op, unsigned index) {
  Value checked = op->getOperand(index);
  AxisMaps maps = *axisMapsOf(op, facts);
  Version axes = needed.sequenceAxes(checked);
  unsigned rank = cast<TensorType>(checked.getType()).getRank();
  bool divides = isa<DivideOp>(op);
  // Entries that are computed with row i: on new rows those of row i, with all others. Where no axis is one of new rows
  // all entries are computed again with every row: up to row i they must be those of the whole run.
  auto boxOf = [&](Version all) {
    bool single = llvm::popcount(axes) == 1;
    Box box(rank);
    for (unsigned k = 0; k < rank; k++)
      if (axes >> k & 1)
        box[k] = single || !(all >> k & 1) ? AxisDemand{0, 0}
                 : all == axes             ? AxisDemand{std::nullopt, 0}
                                           : AxisDemand{};
    return box;
  };
  ArrayRef<Version> versions = needed.of(op->getResult(0));
  if (versions.empty() && counting(op, index, boxOf(axes)))
    refuse(op, divides ? "may divide by 0 at entries that no row of a result reads"
                       : "may look up an index outside its axis at entries that no row of a result reads");
  for (Version version : versions) {
    std::optional<Box> box = counting(op, index, boxOf(needed.operandVersion(op, maps, index, version)));
    if (!box)
      continue;
    if (llvm::any_of(*box, [](const auto &axis) { return axis && !axis->isCausal(); }))
      refuse(op, divides
                     ? "divides in row i by what rows after i give, and does not hide a 0 there"
                     : "looks up in row i what rows after i give, and does not hide an index outside its axis there");
    out.rows.push_back({checked, *box});
  }
}

// Whether something in the graph of a scan, or in those below it, may fail.
static bool mayFailInside(ScanOp scan, const Facts &facts) {
  return llvm::any_of(scan.getBody().getBlock(), [&](Operation &op) {
    auto inner = dyn_cast<ScanOp>(op);
    return inner ? mayFailInside(inner, facts) : mayFail(&op, facts).has_value();
  });
}

void Finder::visitScan(ScanOp scan) {
  const NeededVersions *body = needed.body(scan);
  if (!body) {
    if (mayFailInside(scan, facts))
      refuse(scan, "may fail at entries that no row of a result reads");
    return;
  }
  CheckedRows inner = findCheckedRows(scan.getBody(), *dependence.bodies.find(scan)->second, *body, facts);
  llvm::append_range(out.rows, inner.rows);
  if (out.refusal.empty()) {
    out.refusal = inner.refusal;
    out.refusalLoc = inner.refusalLoc;
  }
}

CheckedRows Finder::run() {
  for (Operation &op : core.getBlock())
    if (auto scan = dyn_cast<ScanOp>(op))
      visitScan(scan);
    else if (std::optional<Fallible> place = mayFail(&op, facts))
      visit(&op, place->operand);
  return std::move(out);
}

CheckedRows findCheckedRows(GraphOp core, const Dependence &dependence, const NeededVersions &needed,
                            const Facts &facts) {
  return Finder(core, dependence, needed, facts).run();
}
} // namespace nova
