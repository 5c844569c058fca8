#include "compiler/transforms/derive/DivisorRows.h"
#include "compiler/analysis/Mask.h"
#include "compiler/analysis/ZeroDivisors.h"

using namespace mlir;

namespace nova {
namespace {
class Finder {
public:
  Finder(GraphOp core, const Dependence &dependence, const NeededVersions &needed, const Facts &facts)
      : core(core), sequence(symbolDim(core.getContext(), dependence.sequence.getValue())), needed(needed),
        facts(facts) {}
  DivisorRows run();

private:
  GraphOp core;
  DimAttr sequence;
  const NeededVersions &needed;
  const Facts &facts;
  std::optional<MaskAnalysis> masks; // built when the first is asked for
  DivisorRows out;

  void visit(DivideOp divide);
  std::optional<Box> counting(Value divisor, const Box &box);
  void refuse(DivideOp divide, const Twine &reason) {
    if (!out.refusal.empty())
      return;
    std::string name = valueName(divide.getResult());
    out.refusal = ((name.empty() ? "an unnamed divide" : name) + " " + reason).str();
    out.refusalLoc = divide.getLoc();
  }
};
} // namespace

// The part of `box` that counts; none when no entry does.
std::optional<Box> Finder::counting(Value divisor, const Box &box) {
  DivisorGuard guard = guardOf(divisor);
  if (!guard.mask)
    return box;
  if (!masks)
    masks.emplace(core);
  Mask mask = masks->get(guard.mask);
  AxisMaps maps = *axisMapsOf(divisor.getDefiningOp(), facts);
  return restrictTo(masks->getColumns(), sequence, maps.loops, box,
                    {{guard.counts ? &mask.mayHold : &mask.mayFail, maps.operands[0]}});
}

void Finder::visit(DivideOp divide) {
  Value divisor = divide.getRhs();
  AxisMaps maps = *axisMapsOf(divide, facts);
  Version axes = needed.sequenceAxes(divisor);
  unsigned rank = cast<TensorType>(divisor.getType()).getRank();
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
  ArrayRef<Version> versions = needed.of(divide.getResult());
  if (versions.empty() && counting(divisor, boxOf(axes)))
    refuse(divide, "may divide by 0 at entries that no row of a result reads");
  for (Version version : versions) {
    std::optional<Box> box = counting(divisor, boxOf(needed.operandVersion(divide, maps, 1, version)));
    if (!box)
      continue;
    if (llvm::any_of(*box, [](const auto &axis) { return axis && !axis->isCausal(); }))
      refuse(divide, "divides in row i by what rows after i give, and does not hide a 0 there");
    out.rows.push_back({divisor, *box});
  }
}

DivisorRows Finder::run() {
  for (auto divide : core.getBlock().getOps<DivideOp>())
    if (mayDivideByZero(divide, facts))
      visit(divide);
  return std::move(out);
}

DivisorRows findDivisorRows(GraphOp core, const Dependence &dependence, const NeededVersions &needed,
                            const Facts &facts) {
  return Finder(core, dependence, needed, facts).run();
}
} // namespace nova
