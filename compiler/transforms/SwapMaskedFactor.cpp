#include "compiler/transforms/SwapMaskedFactor.h"

using namespace mlir;

namespace nova {
// A mask of fewer axes than the factor broadcasts from the right: give it the factor's first axis, of size 1.
static Value asMatrix(OpBuilder &b, Location loc, Value mask, const Facts &facts) {
  if (cast<TensorType>(mask.getType()).getRank() == 2)
    return mask;
  DimAttr one = constantDim(b.getContext(), 1);
  Value index = createInferred<IotaOp>(b, loc, {}, facts,
                                       {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
                                        b.getNamedAttr("dims", b.getArrayAttr({one, one}))});
  Value same = createInferred<NotEqualOp>(b, loc, {index, index}, facts);
  return createInferred<OrOp>(b, loc, {mask, same}, facts);
}

void swapMaskedFactors(GraphOp core) {
  Facts facts = factsOf(core);
  OpBuilder b(core.getContext());
  for (auto matmul : llvm::make_early_inc_range(core.getBlock().getOps<MatmulOp>())) {
    b.setInsertionPoint(matmul);
    Location loc = matmul.getLoc();
    if (Value mask = matmul.getLhsHidden())
      matmul.getLhsHiddenMutable().assign(asMatrix(b, loc, mask, facts));
    if (!matmul.getRhsHidden() || matmul.getLhsHidden())
      continue;
    auto transpose = [&](Value v) {
      return createInferred<TransposeOp>(b, loc, v, facts, b.getNamedAttr("permutation", b.getDenseI64ArrayAttr({1, 0})));
    };
    Value mask = asMatrix(b, loc, matmul.getRhsHidden(), facts);
    Value swapped = createInferred<MatmulOp>(
        b, loc, {transpose(matmul.getRhs()), transpose(matmul.getLhs()), transpose(mask)}, facts,
        b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1, 1, 0})));
    matmul.getResult().replaceAllUsesWith(transpose(swapped));
    matmul.erase();
  }
}
} // namespace nova
