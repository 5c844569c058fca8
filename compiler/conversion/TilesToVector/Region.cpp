#include "compiler/conversion/TilesToVector/Region.h"
#include "dialects/graph/NovaDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nova::codegen {

static bool isNonZeroConstant(Value x) {
  auto constant = x.getDefiningOp<ConstantOp>();
  auto entries = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return entries && entries.isSplat() && isa<IntegerType>(entries.getElementType()) &&
         !entries.getSplatValue<APInt>().isZero();
}

Region::Region(Frame &f, Block &block, const ValueMap &uniformArguments)
    : f(f), body(block), uniforms(uniformArguments) {
  llvm::DenseSet<Value> wanted(block.getTerminator()->operand_begin(), block.getTerminator()->operand_end());
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (llvm::none_of(op.getResults(), [&](Value x) { return wanted.contains(x); }))
      continue;
    wanted.insert(op.operand_begin(), op.operand_end());
    if (auto divide = dyn_cast<DivideOp>(op);
        divide && !isa<FloatType>(divide.getType().getElementType()) && !isNonZeroConstant(divide.getRhs()))
      divisions.push_back(divide);
  }
  for (Operation &op : block.without_terminator()) {
    if (isa<ConstantOp>(op)) {
      uniforms[op.getResult(0)] = emitConstant(f.e, &op);
    } else if (auto dim = dyn_cast<tile::DimOp>(op)) {
      uniforms[dim] = f.size(dim.getDim());
    } else if (llvm::all_of(op.getOperands(), [&](Value x) { return !varies(x); })) {
      Values operands;
      for (Value x : op.getOperands())
        operands.push_back(uniform(x));
      uniforms[op.getResult(0)] = emitElementwise(f.e, &op, operands);
    } else {
      varying.push_back(&op);
    }
  }
}

Value Region::uniform(Value x) const {
  Value known = uniforms.lookup(x);
  return known ? known : f.scalar(x);
}

SmallVector<Operation *> Region::needed(ValueRange roots, const llvm::DenseSet<Value> &given) const {
  llvm::DenseSet<Value> wanted(roots.begin(), roots.end());
  SmallVector<Operation *> ops;
  for (Operation *op : llvm::reverse(varying)) {
    Value result = op->getResult(0);
    if (!wanted.contains(result) || given.contains(result))
      continue;
    ops.push_back(op);
    wanted.insert(op->operand_begin(), op->operand_end());
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

Value Region::lanes(Value x, const ValueMap &computed, int64_t count) const {
  Value scalar = uniform(x);
  return scalar ? f.e.splat(scalar, count) : computed.lookup(x);
}

void Region::reportZeroDivisors(const ValueMap &computed, Value active, int64_t count, ValueRange indices) const {
  if (divisions.empty())
    return;
  Emit &e = f.e;
  auto anyOf = [&](Value lanes) -> Value {
    return count ? e.b.create<vector::ReductionOp>(e.loc, vector::CombiningKind::OR, lanes) : lanes;
  };
  Values zeros;
  Value bad;
  for (DivideOp divide : divisions) {
    Value divisor = lanes(divide.getRhs(), computed, count);
    Value zero = e.compare(IntPredicate::eq, divisor, e.integer(divisor.getType(), 0));
    if (active)
      zero = e.op<arith::AndIOp>(zero, active);
    zeros.push_back(zero);
    bad = bad ? e.op<arith::OrIOp>(bad, zero) : zero;
  }
  e.when(anyOf(bad), [&] {
    for (auto [divide, zero] : llvm::zip_equal(divisions, zeros))
      e.when(anyOf(zero), [&, divide = divide, zero = zero] {
        Values at(indices);
        if (count)
          at.back() = e.add(at.back(), e.firstLane(zero));
        f.fail(1, divide, at);
      });
  });
}

} // namespace nova::codegen
