//===- Elementwise.h - Ops of the graph dialect on scalars and vectors -------===//
//
// The code of one elementwise op (docs/arithmetic.md), on scalars or on vectors of any number of lanes. Elementary
// functions expand the sequences of compiler/reference/Elementary.h.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_ELEMENTWISE_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_ELEMENTWISE_H

#include "compiler/conversion/TilesToVector/Emit.h"
#include "compiler/reference/Elementary.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nova::codegen {

/// Constants of elementary functions that are read from scratch memory: as many splats as such a sequence needs would
/// fill the register file, since LLVM hoists every splat that it can see.
class ConstantTable {
public:
  /// Writes the constants of exp for `element` (f32 or f64) to `memory`, in vectors of `lanes`.
  ConstantTable(Emit &e, Value memory, Type element, int64_t lanes);
  /// The constant in `lanes` lanes if it is in the table, else null. Those that the fast sequences can afford to keep
  /// in registers are given only if `all`.
  Value find(Emit &e, uint64_t bits, int64_t lanes, bool all) const;
  /// Room for one table.
  static constexpr int64_t bytes = 1024;

private:
  Value memory;
  Type element;
  int64_t width;
  SmallVector<uint64_t> entries; ///< the two affordable ones first
};

/// Builder (Elementary.h) that emits on values of one shape.
struct SequenceBuilder {
  using Float = Value;
  using Int = Value;
  using Bool = Value;
  Emit &e;
  Type element;
  int64_t lanes;
  const ConstantTable *table = nullptr;
  bool wholeTable = false;

  Type floatType() const { return shaped(element, lanes); }
  Type intType() const { return shaped(e.b.getIntegerType(element.getIntOrFloatBitWidth()), lanes); }
  Value floatBits(uint64_t bits) {
    Value known = table ? table->find(e, bits, lanes, wholeTable) : Value();
    return known ? known : e.realBits(floatType(), bits);
  }
  Value intConstant(int64_t value) { return e.integer(intType(), value); }
  Value add(Value a, Value b) { return e.op<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return e.op<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return e.op<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return e.op<mlir::arith::DivFOp>(a, b); }
  Value sqrt(Value a) { return e.op<mlir::math::SqrtOp>(a); }
  Value fma(Value a, Value b, Value c) { return e.fma(a, b, c); }
  Value neg(Value a) { return e.negate(a); }
  Value less(Value a, Value b) { return e.compare(FloatPredicate::OLT, a, b); }
  Value unordered(Value a, Value b) { return e.compare(FloatPredicate::UNO, a, b); }
  Value select(Value c, Value a, Value b) { return e.select(c, a, b); }
  Value toBits(Value a) { return e.toBits(a); }
  Value fromBits(Value a) { return e.fromBits(a, element); }
  Value iadd(Value a, Value b) { return e.op<mlir::arith::AddIOp>(a, b); }
  Value isub(Value a, Value b) { return e.op<mlir::arith::SubIOp>(a, b); }
  Value imul(Value a, Value b) { return e.op<mlir::arith::MulIOp>(a, b); }
  Value umulHigh(Value a, Value b) { return e.b.create<mlir::arith::MulUIExtendedOp>(e.loc, a, b).getHigh(); }
  Value ior(Value a, Value b) { return e.op<mlir::arith::OrIOp>(a, b); }
  Value iand(Value a, Value b) { return e.op<mlir::arith::AndIOp>(a, b); }
  Value ixor(Value a, Value b) { return e.op<mlir::arith::XOrIOp>(a, b); }
  Value shl(Value a, unsigned count) { return e.op<mlir::arith::ShLIOp>(a, intConstant(count)); }
  Value ashr(Value a, unsigned count) { return e.op<mlir::arith::ShRSIOp>(a, intConstant(count)); }
  Value lshr(Value a, unsigned count) { return lshrBy(a, intConstant(count)); }
  Value shlBy(Value a, Value count) { return e.op<mlir::arith::ShLIOp>(a, count); }
  Value lshrBy(Value a, Value count) { return e.op<mlir::arith::ShRUIOp>(a, count); }
  Value iless(Value a, Value b) { return e.compare(IntPredicate::slt, a, b); }
  Value iselect(Value c, Value a, Value b) { return e.select(c, a, b); }
  /// A branch around `compute` where no lane needs it.
  template <class F, size_t n>
  std::array<Value, n> rarely(Value condition, F compute, const std::array<Value, n> &otherwise) {
    Value any = condition;
    if (lanes)
      any = e.b.create<mlir::vector::ReductionOp>(e.loc, mlir::vector::CombiningKind::OR, condition);
    Values chosen = e.choose(
        any,
        [&] {
          std::array<Value, n> computed = compute();
          Values results;
          for (size_t i = 0; i < n; ++i)
            results.push_back(e.select(condition, computed[i], otherwise[i]));
          return results;
        },
        [&] { return Values(otherwise.begin(), otherwise.end()); });
    std::array<Value, n> results;
    llvm::copy(chosen, results.begin());
    return results;
  }
};

/// The code of an elementwise `op` on `operands`, all scalars or all vectors of one number of lanes. An integer
/// division by zero gives an unspecified number and never traps; whoever must report it compares the divisor.
Value emitElementwise(Emit &e, mlir::Operation *op, ValueRange operands);

/// The scalar of a `nova.constant` of rank 0, rounded once to its type.
Value emitConstant(Emit &e, mlir::Operation *op);

/// `x` with the one NaN of stored floats for every NaN; other types pass.
Value canonicalized(Emit &e, Value x);

} // namespace nova::codegen

#endif
