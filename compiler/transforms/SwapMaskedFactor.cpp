#include "compiler/transforms/SwapMaskedFactor.h"

using namespace mlir;

namespace nova {
void swapMaskedFactors(GraphOp core) {
  Facts facts = factsOf(core);
  OpBuilder b(core.getContext());
  for (auto matmul : llvm::make_early_inc_range(core.getBlock().getOps<MatmulOp>())) {
    if (!matmul.getRhsHidden() || matmul.getLhsHidden())
      continue;
    b.setInsertionPoint(matmul);
    Location loc = matmul.getLoc();
    auto transpose = [&](Value v) {
      return createInferred<TransposeOp>(b, loc, v, facts, b.getNamedAttr("permutation", b.getDenseI64ArrayAttr({1, 0})));
    };
    // A mask of fewer axes than the factor broadcasts from the right: give it the factor's first axis, of size 1.
    Value mask = matmul.getRhsHidden();
    if (cast<TensorType>(mask.getType()).getRank() < 2) {
      DimAttr one = constantDim(b.getContext(), 1);
      Value index = createInferred<IotaOp>(b, loc, {}, facts,
                                           {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
                                            b.getNamedAttr("dims", b.getArrayAttr({one, one}))});
      Value same = createInferred<NotEqualOp>(b, loc, {index, index}, facts);
      mask = createInferred<OrOp>(b, loc, {mask, same}, facts);
    }
    Value swapped = createInferred<MatmulOp>(
        b, loc, {transpose(matmul.getRhs()), transpose(matmul.getLhs()), transpose(mask)}, facts,
        b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1, 1, 0})));
    matmul.getResult().replaceAllUsesWith(transpose(swapped));
    matmul.erase();
  }
}
} // namespace nova
