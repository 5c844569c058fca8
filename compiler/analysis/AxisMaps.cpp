#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/ReshapeGroups.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova {
static ArrayRef<DimAttr> dimsOf(Value value) { return cast<TensorType>(value.getType()).getDims(); }

// The axes of an operand that is broadcast against loops[axes[k]], aligned at the right.
static SmallVector<int> broadcast(Value operand, ArrayRef<DimAttr> loops, ArrayRef<int> axes, const Facts &facts) {
  ArrayRef<DimAttr> dims = dimsOf(operand);
  SmallVector<int> result;
  for (auto [k, dim] : llvm::enumerate(dims)) {
    int loop = axes[axes.size() - dims.size() + k];
    result.push_back(loop >= 0 && facts.equal(dim, loops[loop]) ? loop : -1);
  }
  return result;
}

static SmallVector<int> all(unsigned rank) {
  return llvm::to_vector(llvm::map_range(llvm::seq<int>(0, rank), [](int i) { return i; }));
}

static AxisMaps elementwise(Operation *op, const Facts &facts) {
  ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
  AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {}};
  for (Value operand : op->getOperands())
    maps.operands.push_back(broadcast(operand, dims, maps.result, facts));
  return maps;
}

static AxisMaps reduction(Operation *op, unsigned axis, bool drop, const Facts &facts) {
  ArrayRef<DimAttr> dims = dimsOf(op->getOperand(0));
  AxisMaps maps{llvm::to_vector(dims), {}, {}, 1};
  for (int k = 0, rank = dims.size(); k < rank; k++)
    if (k != int(axis))
      maps.result.push_back(k);
    else if (!drop)
      maps.result.push_back(-1);
  for (Value operand : op->getOperands())
    maps.operands.push_back(broadcast(operand, dims, all(dims.size()), facts));
  return maps;
}

static AxisMaps contraction(MatmulOp op, const Facts &facts) {
  // Loops: those of the batch, row, column, term.
  ArrayRef<DimAttr> dims = dimsOf(op.getResult()), left = dimsOf(op.getLhs());
  int row = dims.size() - 2, column = row + 1, term = row + 2;
  AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {}, 2};
  maps.loops.push_back(left.back());
  auto factor = [&](Value value, int first, int second) {
    SmallVector<int> axes;
    ArrayRef<DimAttr> own = dimsOf(value).drop_back(2);
    for (auto [k, dim] : llvm::enumerate(own)) {
      int loop = row - own.size() + k;
      axes.push_back(facts.equal(dim, dims[loop]) ? loop : -1);
    }
    axes.append({first, second});
    return axes;
  };
  maps.operands = {factor(op.getLhs(), row, term), factor(op.getRhs(), term, column)};
  Value masks[] = {op.getLhsHidden(), op.getRhsHidden()};
  for (auto [side, mask] : llvm::enumerate(masks))
    if (mask)
      maps.operands.push_back(broadcast(mask, maps.loops, maps.operands[side], facts));
  return maps;
}

static AxisMaps cumulativeSum(CumulativeSumOp op, const Facts &facts) {
  // One more loop: the terms.
  ArrayRef<DimAttr> dims = dimsOf(op.getResult());
  int axis = op.getAxis(), terms = dims.size();
  AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {}, 1, std::pair(axis, terms)};
  maps.loops.push_back(dims[axis]);
  SmallVector<int> operand = maps.result;
  operand[axis] = terms;
  for (Value value : op->getOperands())
    maps.operands.push_back(broadcast(value, maps.loops, operand, facts));
  return maps;
}

std::optional<AxisMaps> axisMapsOf(Operation *op, const Facts &facts) {
  using Result = std::optional<AxisMaps>;
  if (isElementwise(op))
    return elementwise(op, facts);
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ReductionOp reduce) { return reduction(op, reduce.getAxis(), reduce.getDrop(), facts); })
      .Case([&](MatmulOp matmul) { return contraction(matmul, facts); })
      .Case([&](TransposeOp transpose) {
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {SmallVector<int>(dims.size())}};
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          maps.operands[0][from] = int(to);
        return maps;
      })
      .Case([&](CumulativeSumOp sum) { return cumulativeSum(sum, facts); })
      .Case([&](ReshapeOp) {
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        return AxisMaps{
            llvm::to_vector(dims), all(dims.size()), {axesAfterReshape(dimsOf(op->getOperand(0)), dims, facts)}};
      })
      .Case([&](SliceOp slice) {
        // Positions along the axis are others than those of the operand.
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {all(dims.size())}};
        maps.operands[0][slice.getAxis()] = -1;
        return maps;
      })
      .Case([&](GatherOp gather) {
        // Loops: axes before the picked one, own ones of the indices, axes behind.
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        ArrayRef<DimAttr> own = dimsOf(gather.getOperand()), indices = dimsOf(gather.getIndices());
        int axis = gather.getAxis(), batch = gather.batchOrZero(), picked = indices.size() - batch;
        AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {SmallVector<int>(), SmallVector<int>()}};
        auto shared = [&](ArrayRef<DimAttr> operand, int k) { return facts.equal(operand[k], dims[k]) ? k : -1; };
        for (int k = 0, rank = own.size(); k < rank; k++)
          maps.operands[0].push_back(k < batch ? shared(own, k) : k < axis ? k : k == axis ? -1 : k - 1 + picked);
        for (int k = 0, rank = indices.size(); k < rank; k++)
          maps.operands[1].push_back(k < batch ? shared(indices, k) : axis + k - batch);
        return maps;
      })
      .Case([&](ConcatOp concat) -> Result {
        // Positions along the joined axis differ between operands; the others are loops.
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        AxisMaps maps{llvm::to_vector(dims), all(dims.size()), {}};
        SmallVector<int> operand = maps.result;
        operand[concat.getAxis()] = -1;
        maps.operands.assign(op->getNumOperands(), operand);
        return maps;
      })
      .Case<ConstantOp, IotaOp, DimValueOp>([&](Operation *) {
        ArrayRef<DimAttr> dims = dimsOf(op->getResult(0));
        return AxisMaps{llvm::to_vector(dims), all(dims.size()), {}};
      })
      .Default([](Operation *) { return std::nullopt; });
}
} // namespace nova
