#include "compiler/analysis/Demand.h"
#include "compiler/analysis/Mask.h"
#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::IntegerRelation;
using presburger::PresburgerSet;
using presburger::Simplex;

namespace nova {
AxisDemand hull(const AxisDemand &a, const AxisDemand &b) {
  AxisDemand result;
  if (a.lo && b.lo)
    result.lo = std::min(*a.lo, *b.lo);
  if (a.hi && b.hi)
    result.hi = std::max(*a.hi, *b.hi);
  result.recurrent = a.recurrent || b.recurrent;
  return result;
}

static std::string fromRow(int64_t offset) {
  if (offset == 0)
    return "i";
  return (offset < 0 ? "i - " : "i + ") + std::to_string(offset < 0 ? -offset : offset);
}

std::string rowsText(const AxisDemand &d) {
  if (d.lo && d.hi)
    return *d.lo == *d.hi ? "row " + fromRow(*d.lo) : "rows " + fromRow(*d.lo) + " to " + fromRow(*d.hi);
  if (d.hi)
    return "rows <= " + fromRow(*d.hi);
  return d.lo ? "rows >= " + fromRow(*d.lo) : "every row";
}

std::string toString(const AxisDemand &d) {
  if (d.isPointwise())
    return "pointwise";
  if (!d.lo && !d.hi)
    return "full";
  const char *kind = !d.isCausal() ? "full" : d.lo ? "windowed" : d.recurrent ? "recurrent" : "causal";
  return std::string(kind) + " (" + rowsText(d) + ")";
}

namespace {
// Smallest and largest x - i over one disjunct.
class Offsets {
public:
  Offsets(const IntegerRelation &set) : simplex(set), width(set.getNumVars() + 1) {}
  bool isEmpty() { return simplex.isEmpty(); }
  AxisDemand of(unsigned axis) {
    using Direction = Simplex::Direction;
    return {optimum(axis, Direction::Down, presburger::ceil), optimum(axis, Direction::Up, presburger::floor)};
  }

private:
  std::optional<int64_t> optimum(unsigned axis, Simplex::Direction direction,
                                 llvm::DynamicAPInt (*round)(const presburger::Fraction &)) {
    SmallVector<llvm::DynamicAPInt> difference(width, llvm::DynamicAPInt(0));
    difference[axis] += 1;
    difference[0] -= 1;
    auto value = simplex.computeOptimum(direction, difference);
    if (!value.isBounded())
      return std::nullopt;
    // What a clause bounds beyond every possible size is unbounded.
    llvm::DynamicAPInt rounded = round(*value), limit(int64_t(1) << 60);
    return rounded < -limit || rounded > limit ? std::nullopt : std::optional<int64_t>(int64fromDynamicAPInt(rounded));
  }

  Simplex simplex;
  unsigned width;
};
} // namespace

std::optional<Box> restrictTo(const SizeColumns &columns, DimAttr sequence, ArrayRef<DimAttr> loops, Box box,
                              ArrayRef<LoopRegion> regions) {
  bool allVisible = llvm::all_of(regions, [](const LoopRegion &r) { return r.set->isObviouslyUniverse(); });
  if (allVisible || !columns.allows(loops.size()))
    return box;
  // Variables: the row i, the loops, then the size columns.
  SmallVector<DimAttr> dims{sequence};
  llvm::append_range(dims, loops);
  unsigned rank = dims.size();
  IntegerPolyhedron whole = columns.positions(dims);
  for (auto [k, demand] : llvm::enumerate(box)) {
    SmallVector<int64_t> row(rank + columns.count() + 1, 0);
    if (demand && demand->lo) {
      row[k + 1] = 1, row[0] = -1, row.back() = -*demand->lo;
      whole.addInequality(row);
    }
    if (demand && demand->hi) {
      row[k + 1] = -1, row[0] = 1, row.back() = *demand->hi;
      whole.addInequality(row);
    }
  }
  PresburgerSet part(whole);
  for (const LoopRegion &region : regions) {
    SmallVector<int> axes;
    for (int loop : region.loops)
      axes.push_back(loop < 0 ? -1 : loop + 1);
    part = part.intersect(embed(*region.set, axes, rank));
  }
  std::optional<Box> result;
  for (const IntegerRelation &disjunct : part.getAllDisjuncts()) {
    Offsets offsets(disjunct);
    if (offsets.isEmpty())
      continue;
    bool first = !result;
    if (first)
      result = box;
    for (auto [k, demand] : llvm::enumerate(*result)) {
      if (!demand)
        continue;
      AxisDemand part = offsets.of(k + 1);
      part.recurrent = demand->recurrent;
      demand = first ? part : hull(*demand, part);
    }
  }
  return result;
}
} // namespace nova
