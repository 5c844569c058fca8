// Dependence through scans with a carry: what a run demands of its carry is demanded of the run before it.
#include "compiler/analysis/DependenceAnalysis.h"

using namespace mlir;

namespace nova {
// Adds a demand; true when it is more than before. With `widen` a bound that moves is given up, so that demands that
// grow from run to run come to an end.
static bool addDemand(std::optional<Box> &known, const Box &more, bool widen) {
  if (!known) {
    known = more;
    return true;
  }
  bool grew = false;
  for (auto [have, add] : llvm::zip_equal(*known, more)) {
    if (!have)
      continue;
    AxisDemand both = hull(*have, *add);
    if (both == *have)
      continue;
    grew = true;
    if (widen && both.lo != have->lo)
      both.lo.reset();
    if (widen && both.hi != have->hi)
      both.hi.reset();
    have = both;
  }
  return grew;
}

static Box allRows(Box box) {
  for (std::optional<AxisDemand> &axis : box)
    if (axis)
      axis = AxisDemand{};
  return box;
}

// What is wrong in the graph of a scan, with the way from there on.
void DependenceAnalysis::adopt(const Dependence &inner, ScanOp scan) {
  if (!out.refusal.empty())
    return;
  out.refusal = inner.refusal;
  out.refusalLoc = inner.refusalLoc;
  if (inner.path.empty())
    return;
  out.path = inner.path;
  out.way = inner.way;
  for (Value value : wayFrom(readResult(scan))) {
    out.path.push_back(nameOrKind(value));
    out.way.push_back(value);
  }
}

// Over an axis that is not the sequence, every run demands rows of its values as the rows of its results say. Over the
// sequence, run i has row i: it reads its own row, and by its carry those before.
void DependenceAnalysis::visitScan(ScanOp scan) {
  constexpr unsigned patience = 3; // runs before bounds that move are given up
  bool along = isSequence(scan.getCount());
  unsigned entered = scan.getOver().size(), carried = scan.getCarry().size(), stacked = scan.getStacked().size(),
           firstCarry = scan.getNumOperands() - carried;
  if (along)
    for (auto [i, result] : llvm::enumerate(scan.getResults())) {
      ArrayRef<DimAttr> dims = cast<TensorType>(result.getType()).getDims().drop_front(i < stacked);
      if (llvm::any_of(dims, [&](DimAttr dim) { return mentionsSequence(dim); }))
        refuse(scan.getLoc(), nameOrKind(result) + " is " + toString(dims) + " after each of the rows of " +
                                  out.sequence.getValue() + ", so it grows with the rows that follow");
    }

  std::optional<AxisDemand> rows; // along the sequence: of the runs
  SmallVector<std::optional<Box>> results;
  for (auto [i, result] : llvm::enumerate(scan.getResults())) {
    ValueDependence known = out.values.lookup(result);
    std::optional<Box> &box = results.emplace_back();
    if (!known.demanded)
      continue;
    box = known.axes;
    if (i < stacked) {
      if (along)
        rows = rows ? hull(*rows, *box->front()) : *box->front();
      box->erase(box->begin());
    } else if (along) {
      rows = AxisDemand{}; // the carry after the last row
    }
    if (along)
      box = allRows(*box);
  }
  SmallVector<std::optional<Box>> demanded(results);
  auto inner = std::make_shared<Dependence>();
  GraphOp body = scan.getBody();
  DependenceAnalysis analysis(body, kept, *inner);
  auto readOf = [&](unsigned argument) { return inner->values.lookup(body.getBlock().getArgument(argument)); };
  bool handsOn = false;
  for (unsigned round = 0;; round++) {
    analysis.run(out.sequence, demanded);
    bool grew = false;
    for (unsigned c = 0; c < carried; c++)
      if (ValueDependence read = readOf(firstCarry + c); read.demanded) {
        handsOn = true;
        grew |= addDemand(demanded[stacked + c], along ? allRows(read.axes) : read.axes, round >= patience);
      }
    if (!grew)
      break;
  }
  if (!inner->extendable())
    adopt(*inner, scan);
  if (rows && handsOn)
    rows = AxisDemand{std::nullopt, rows->hi, /*recurrent=*/true};
  for (auto [i, operand] : llvm::enumerate(scan.getOperands())) {
    ValueDependence read = readOf(i);
    std::optional<Box> box;
    if (read.demanded)
      box = along ? allRows(read.axes) : read.axes;
    if (i >= firstCarry && results[stacked + i - firstCarry]) // of no run at all it is the result
      addDemand(box, *results[stacked + i - firstCarry], false);
    if (!box)
      continue;
    if (i < entered)
      box->insert(box->begin(), rows);
    demand(operand, *box, scan);
  }
  out.bodies[scan] = inner;
}
} // namespace nova
