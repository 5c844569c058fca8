#include "compiler/conversion/TilesToVector/Region.h"
#include "dialects/graph/NovaDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nova::codegen {

Region::Region(Frame &f, Block &block, const ValueMap &uniformArguments)
    : f(f), body(block), uniforms(uniformArguments) {
  for (Operation &op : block.without_terminator()) {
    if (auto divide = dyn_cast<DivideOp>(op); divide && !isa<FloatType>(divide.getType().getElementType()))
      integerDivisions.push_back(&op);
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

void Region::reportZeroDivisors(const ValueMap &computed, Value active, int64_t count, ArrayRef<Value> hiddenBy) const {
  if (integerDivisions.empty())
    return;
  Emit &e = f.e;
  Type maskType = shaped(e.b.getI1Type(), count);
  Value all = e.integer(maskType, 1), none = e.integer(maskType, 0);
  auto negated = [&](Value x) { return e.op<arith::XOrIOp>(x, all); };

  // Demand flows from the yields backwards; a value nobody wants is demanded nowhere.
  ValueMap demand;
  auto want = [&](Value x, Value where) {
    Value &known = demand[x];
    known = known ? e.op<arith::OrIOp>(known, where) : where;
  };
  for (auto [i, x] : llvm::enumerate(yields()))
    want(x, i < hiddenBy.size() && hiddenBy[i] ? negated(lanes(hiddenBy[i], computed, count)) : all);
  Value bad = none;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    Value here = op.getNumResults() ? demand.lookup(op.getResult(0)) : Value();
    if (!here)
      continue;
    if (auto where = dyn_cast<WhereOp>(op)) {
      Value condition = lanes(where.getCondition(), computed, count);
      want(where.getCondition(), here);
      want(where.getOnTrue(), e.op<arith::AndIOp>(here, condition));
      want(where.getOnFalse(), e.op<arith::AndIOp>(here, negated(condition)));
      continue;
    }
    for (Value x : op.getOperands())
      want(x, here);
    if (llvm::is_contained(integerDivisions, &op)) {
      Value divisor = lanes(op.getOperand(1), computed, count);
      Value zero = e.compare(IntPredicate::eq, divisor, e.integer(divisor.getType(), 0));
      bad = e.op<arith::OrIOp>(bad, e.op<arith::AndIOp>(here, zero));
    }
  }
  if (active)
    bad = e.op<arith::AndIOp>(bad, active);
  if (count)
    bad = e.b.create<vector::ReductionOp>(e.loc, vector::CombiningKind::OR, bad);
  e.when(bad, [&] { f.fail(); });
}

} // namespace nova::codegen
