#include "compiler/analysis/ReshapeGroups.h"

using namespace mlir;

namespace nova {
static SmallVector<unsigned> axesBeyondOne(ArrayRef<DimAttr> dims, const Facts &facts) {
  SmallVector<unsigned> axes;
  for (auto [k, dim] : llvm::enumerate(dims))
    if (!facts.equal(dim, constantDim(dim.getContext(), 1)))
      axes.push_back(k);
  return axes;
}

// Products of the first 1, 2, ... of these axes; null out of range.
static SmallVector<DimAttr> products(ArrayRef<DimAttr> dims, ArrayRef<unsigned> axes) {
  SmallVector<DimAttr> result;
  for (unsigned axis : axes)
    result.push_back(result.empty() ? dims[axis] : result.back() ? multiplyDims(result.back(), dims[axis]) : DimAttr());
  return result;
}

// How many axes on both sides hold the same entries: the fewest together.
static std::pair<size_t, size_t> firstGroup(ArrayRef<DimAttr> before, ArrayRef<DimAttr> after, const Facts &facts) {
  for (size_t both = 2; both <= before.size() + after.size(); both++)
    for (size_t x = 1; x < both && x <= before.size(); x++) {
      size_t y = both - x;
      if (y <= after.size() && before[x - 1] && after[y - 1] && facts.equal(before[x - 1], after[y - 1]))
        return {x, y};
    }
  return {before.size(), after.size()}; // nothing is seen to stay apart
}

SmallVector<ReshapeGroup> reshapeGroups(ArrayRef<DimAttr> from, ArrayRef<DimAttr> to, const Facts &facts) {
  SmallVector<unsigned> before = axesBeyondOne(from, facts), after = axesBeyondOne(to, facts);
  SmallVector<ReshapeGroup> groups;
  for (size_t i = 0, j = 0; i < before.size() || j < after.size();) {
    ArrayRef<unsigned> left = ArrayRef(before).drop_front(i), right = ArrayRef(after).drop_front(j);
    auto [x, y] = firstGroup(products(from, left), products(to, right), facts);
    ReshapeGroup &group = groups.emplace_back();
    llvm::append_range(group.from, left.take_front(x));
    llvm::append_range(group.to, right.take_front(y));
    i += x;
    j += y;
  }
  return groups;
}

SmallVector<int> axesAfterReshape(ArrayRef<DimAttr> from, ArrayRef<DimAttr> to, const Facts &facts) {
  SmallVector<int> axes(from.size(), -1);
  for (const ReshapeGroup &group : reshapeGroups(from, to, facts))
    if (group.isAxis())
      axes[group.from[0]] = int(group.to[0]);
  return axes;
}
} // namespace nova
