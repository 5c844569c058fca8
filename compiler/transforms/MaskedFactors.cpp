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

  // Every matrix transposed.
  Value transpose(Location loc, Value v) {
    SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, cast<TensorType>(v.getType()).getRank()));
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    return createInferred<TransposeOp>(b, loc, v, facts,
                                       b.getNamedAttr("permutation", b.getDenseI64ArrayAttr(swapped)));
  }
  // The mask with the factor's last axis, or with `whole` with all its axes: or-ed with a false of that shape.
  Value widened(Location loc, Value mask, Value factor, bool whole = false) {
    ArrayRef<DimAttr> want = cast<TensorType>(factor.getType()).getDims(),
                      have = cast<TensorType>(mask.getType()).getDims();
    bool fits = have.size() >= 2 && facts.equal(have.back(), want.back());
    if (whole)
      fits &= have.size() == want.size() && llvm::all_of(llvm::zip(have, want), [&](auto pair) {
                return facts.equal(std::get<0>(pair), std::get<1>(pair));
              });
    else
      want = want.take_back(2); // a mask for all matrices stays one
    if (fits)
      return mask;
    Value index = createInferred<IotaOp>(
        b, loc, {}, facts,
        {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
         b.getNamedAttr("dims", b.getArrayAttr(SmallVector<Attribute>(want.begin(), want.end())))});
    Value never = createInferred<NotEqualOp>(b, loc, {index, index}, facts);
    return createInferred<OrOp>(b, loc, {mask, never}, facts);
  }
  Value constant(Location loc, Type element, int64_t value) {
    auto attr = DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), ArrayRef<int64_t>(value));
    return createInferred<ConstantOp>(
        b, loc, {}, facts, {b.getNamedAttr("value", attr), b.getNamedAttr("declared", TypeAttr::get(element))});
  }
  // The mask with the factor's axes and type: 1 where hidden, else 0.
  Value numbers(Location loc, Value mask, Value factor) {
    Type element = cast<TensorType>(factor.getType()).getElementType();
    return createInferred<WhereOp>(
        b, loc, {widened(loc, mask, factor, /*whole=*/true), constant(loc, element, 1), constant(loc, element, 0)},
        facts);
  }
};
} // namespace

void MaskedFactors::run() {
  for (auto matmul : llvm::make_early_inc_range(core.getBlock().getOps<MatmulOp>())) {
    Location loc = matmul.getLoc();
    b.setInsertionPoint(matmul);
    if (matmul.getRhsHidden() && matmul.getLhsHidden())
      matmul.getRhsHiddenMutable().assign(numbers(loc, matmul.getRhsHidden(), matmul.getRhs()));
    if (Value mask = matmul.getLhsHidden()) {
      matmul.getLhsHiddenMutable().assign(widened(loc, mask, matmul.getLhs()));
      continue;
    }
    if (!matmul.getRhsHidden() || matmul.getLhsHidden())
      continue;
    Value mask = transpose(loc, widened(loc, matmul.getRhsHidden(), matmul.getRhs()));
    Value lhs = transpose(loc, matmul.getRhs());
    Value swapped =
        createInferred<MatmulOp>(b, loc, {lhs, transpose(loc, matmul.getLhs()), widened(loc, mask, lhs)}, facts,
                                 b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1, 1, 0})));
    matmul.getResult().replaceAllUsesWith(transpose(loc, swapped));
    matmul.erase();
  }
}

void prepareMaskedFactors(GraphOp core) { MaskedFactors(core).run(); }
} // namespace nova
