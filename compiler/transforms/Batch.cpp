#include "compiler/transforms/Batch.h"

using namespace mlir;

namespace nova {
unsigned Batch::axes(const MaskedValue &value, int64_t rank) { return dimsOf(value).size() - rank; }

MaskedValue Batch::widened(Location loc, const MaskedValue &value, unsigned at, unsigned count) const {
  SmallVector<DimAttr> dims(dimsOf(value));
  dims.insert(dims.begin() + at, count, constantDim(core.b.getContext(), 1));
  return core.reshape(loc, value, dims);
}

SmallVector<MaskedValue> Batch::aligned(Operation *op, ArrayRef<MaskedValue> operands) const {
  auto rankOf = [&](unsigned i) { return cast<TensorType>(op->getOperand(i).getType()).getRank(); };
  int64_t most = 0;
  for (unsigned i = 0; i < operands.size(); i++)
    most = std::max(most, rankOf(i));
  SmallVector<MaskedValue> result(operands);
  for (auto [i, operand] : llvm::enumerate(result))
    if (unsigned added = axes(operand, rankOf(i)); added && rankOf(i) < most)
      operand = widened(op->getLoc(), operand, added, most - rankOf(i));
  return result;
}

SmallVector<MaskedValue> Batch::joint(Location loc, ArrayRef<MaskedValue> operands, int64_t rank) const {
  SmallVector<MaskedValue> result(operands);
  DimAttr one = constantDim(core.b.getContext(), 1);
  SmallVector<DimAttr> sizes(depth, one);
  bool differ = false;
  for (const MaskedValue &operand : operands)
    for (unsigned k = 0, added = axes(operand, rank); k < added; k++) {
      differ = true;
      if (dimsOf(operand)[k] != one)
        sizes[k] = dimsOf(operand)[k];
    }
  if (!differ)
    return result;
  for (MaskedValue &operand : result) {
    SmallVector<DimAttr> dims(sizes);
    llvm::append_range(dims, dimsOf(operand).take_back(rank));
    operand = core.broadcast(loc, operand, dims);
  }
  return result;
}

MaskedValue Batch::entry(const MaskedValue &value, int64_t rank) const {
  return axes(value, rank) == depth ? value : widened(value.data.getLoc(), value, 0, depth);
}

MaskedValue Batch::whole(const MaskedValue &value, int64_t rank) const {
  unsigned added = axes(value, rank);
  return added ? widened(value.data.getLoc(), value, added, 1) : value;
}

MaskedValue Batch::stacked(Location loc, const MaskedValue &value, int64_t rank, DimAttr count) const {
  SmallVector<DimAttr> dims(dimsOf(value));
  if (axes(value, rank))
    dims[depth] = count;
  else
    dims.insert(dims.begin(), count);
  return core.broadcast(loc, value, dims);
}
} // namespace nova
