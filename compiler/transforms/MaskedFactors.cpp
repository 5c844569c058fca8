#include "compiler/transforms/MaskedFactors.h"

using namespace mlir;

namespace nova {
namespace {
class MaskedFactors {
public:
  explicit MaskedFactors(GraphOp core) : core(core), facts(factsOf(core)), b(core.getContext()) {}
  void run();

private:
  GraphOp core;
  Facts facts;
  OpBuilder b;

  Value transpose(Location loc, Value v) {
    return createInferred<TransposeOp>(b, loc, v, facts, b.getNamedAttr("permutation", b.getDenseI64ArrayAttr({1, 0})));
  }
  // The mask with all axes of `factor`: or-ed with a false of that shape.
  Value widened(Location loc, Value mask, Value factor) {
    ArrayRef<DimAttr> want = cast<TensorType>(factor.getType()).getDims(), have = cast<TensorType>(mask.getType()).getDims();
    if (have.size() == want.size() && facts.equal(have.back(), want.back()))
      return mask;
    Value index = createInferred<IotaOp>(
        b, loc, {}, facts,
        {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
         b.getNamedAttr("dims", b.getArrayAttr(SmallVector<Attribute>(want.begin(), want.end())))});
    Value never = createInferred<NotEqualOp>(b, loc, {index, index}, facts);
    return createInferred<OrOp>(b, loc, {mask, never}, facts);
  }
};
} // namespace

void MaskedFactors::run() {
  for (auto matmul : llvm::make_early_inc_range(core.getBlock().getOps<MatmulOp>())) {
    Location loc = matmul.getLoc();
    b.setInsertionPoint(matmul);
    if (matmul.getRhsHidden() && matmul.getLhsHidden())
      continue;
    if (Value mask = matmul.getLhsHidden()) {
      matmul.getLhsHiddenMutable().assign(widened(loc, mask, matmul.getLhs()));
      continue;
    }
    if (!matmul.getRhsHidden())
      continue;
    Value mask = transpose(loc, widened(loc, matmul.getRhsHidden(), matmul.getRhs()));
    Value lhs = transpose(loc, matmul.getRhs());
    Value swapped = createInferred<MatmulOp>(
        b, loc, {lhs, transpose(loc, matmul.getLhs()), widened(loc, mask, lhs)}, facts,
        b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1, 1, 0})));
    matmul.getResult().replaceAllUsesWith(transpose(loc, swapped));
    matmul.erase();
  }
}

void prepareMaskedFactors(GraphOp core) { MaskedFactors(core).run(); }
} // namespace nova
