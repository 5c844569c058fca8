//===- Emit.h - A short-hand builder for vector code -------------------------===//
//
// Index arithmetic (i64), structured control flow, vectors and unaligned memory, with constants kept once per function.
// A vector type of 0 lanes is the scalar itself. Not thread-safe; one per function.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_EMIT_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_EMIT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nova::codegen {

using mlir::ArrayRef;
using mlir::SmallVector;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using Values = SmallVector<Value>;
using FloatPredicate = mlir::arith::CmpFPredicate;
using IntPredicate = mlir::arith::CmpIPredicate;

/// The type in which a buffer keeps `element`: i1 takes a byte, bf16 is 16 bits; of i4 it is the byte that two share.
Type storageType(Type element);
/// i4, whose indices count halves of bytes. Rows begin at bytes: from one to the next it is an even number of them.
inline bool isNibble(Type element) { return element.isInteger(4); }
constexpr int64_t nibblesPerByte = 2;
/// Bytes of one element in a buffer.
int64_t byteSize(Type element);
/// The type in which code holds an element: of one that is only kept (bf16, f16, i8, i4) the same number as f32 or i32.
/// It is widened where it is loaded and fits exactly where it is stored.
Type registerType(Type element);
/// `element` itself for 0 lanes, else a vector of it.
Type shaped(Type element, int64_t lanes);
/// Lanes of a vector type; 0 for a scalar.
int64_t lanesOf(Type type);
/// The element type of a vector, or the type itself.
Type elementOf(Type type);

class Emit {
public:
  /// Emits at the end of `function`'s entry block, which must exist.
  explicit Emit(mlir::func::FuncOp function);

  mlir::OpBuilder b;
  mlir::Location loc;

  /// \name Constants, of a scalar or splat type
  /// @{
  Value idx(int64_t value) { return integer(b.getI64Type(), value); }
  Value integer(Type type, int64_t value);
  Value real(Type type, double value);
  /// The float whose bits are the low bits of `bits`.
  Value realBits(Type type, uint64_t bits);
  Value constant(mlir::TypedAttr value);
  /// 0 .. lanes-1 as a vector of `element` integers.
  Value laneNumbers(Type element, int64_t lanes);
  /// @}

  /// \name Index arithmetic, folded where it is constant
  /// @{
  Value add(Value x, Value y);
  Value sub(Value x, Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y);
  Value add(Value x, int64_t y) { return y == 0 ? x : add(x, idx(y)); }
  Value mul(Value x, int64_t y) { return y == 1 ? x : mul(x, idx(y)); }
  Value min(Value x, Value y) { return b.createOrFold<mlir::arith::MinSIOp>(loc, x, y); }
  Value max(Value x, Value y) { return b.createOrFold<mlir::arith::MaxSIOp>(loc, x, y); }
  Value compare(IntPredicate p, Value x, Value y) { return b.createOrFold<mlir::arith::CmpIOp>(loc, p, x, y); }
  Value both(Value x, Value y);
  /// Down to a multiple of a power of two; up to one; divided by one (not negative).
  Value floorTo(Value x, int64_t power) { return b.createOrFold<mlir::arith::AndIOp>(loc, x, idx(-power)); }
  Value ceilTo(Value x, int64_t power) { return floorTo(add(x, power - 1), power); }
  Value over(Value x, int64_t power);
  /// Calls `sizes` and gives its value, or -1 where one of its sums or products leaves 63 bits.
  Value checked(llvm::function_ref<Value()> sizes);
  /// `x` modulo a power of two.
  Value within(Value x, int64_t power) { return b.createOrFold<mlir::arith::AndIOp>(loc, x, idx(power - 1)); }
  /// @}

  /// \name Control flow
  /// @{
  using LoopBody = llvm::function_ref<Values(Value, ValueRange)>;
  /// A loop that carries values; `body` gets the index and them, and gives the next ones.
  Values loop(Value low, Value high, int64_t step, ValueRange inits, LoopBody body);
  void loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body);
  Values choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise);
  void when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = {});
  /// @}

  /// \name Elements and vectors
  /// @{
  template <typename Op> Value op(Value x) { return b.create<Op>(loc, x); }
  template <typename Op> Value op(Value x, Value y) { return b.create<Op>(loc, x, y); }
  template <typename Op> Value cast(Type type, Value x) { return b.create<Op>(loc, type, x); }
  Value fma(Value x, Value y, Value z);
  Value negate(Value x) { return op<mlir::arith::NegFOp>(x); }
  Value compare(FloatPredicate p, Value x, Value y) { return b.create<mlir::arith::CmpFOp>(loc, p, x, y); }
  Value select(Value condition, Value x, Value y) { return b.create<mlir::arith::SelectOp>(loc, condition, x, y); }
  /// One of two by comparison: for floats exactly one vmaxps or vminps (`y` where either is NaN).
  Value pick(FloatPredicate p, Value x, Value y) { return select(compare(p, x, y), x, y); }
  /// A scalar in every lane; a value that has lanes already passes.
  Value splat(Value x, int64_t lanes);
  Value shuffle(Value x, Value y, ArrayRef<int64_t> positions);
  Value lane(Value x, int64_t position);
  /// `count` consecutive lanes beginning at `first`.
  Value part(Value x, int64_t first, int64_t count);
  /// True where a lane's number is below `count` (an i64): the mask of a tail.
  Value maskBelow(Value count, int64_t lanes);
  /// The number of the first lane that holds, as an i64; some lane of the mask does.
  Value firstLane(Value mask);
  /// The bits of floats as integers of equal width, and back.
  Value toBits(Value x);
  Value fromBits(Value x, Type element);
  /// @}

  /// \name Memory: elements of type `element` at `pointer` + `index`
  /// @{
  Value at(Value pointer, Type element, Value index);
  Value atBytes(Value pointer, Value bytes);
  /// Unaligned; i1 is read from bytes, bf16, f16, i8 and i4 are widened (registerType). `lanes` 0 is one element. Of i4
  /// vectors have 16 lanes; stores begin at even indices and write whole bytes.
  Value load(Value pointer, Type element, Value index, int64_t lanes);
  /// `element` (null: the value's own) is that of the memory; `value` is of its registerType.
  /// Asks for the line of an entry that is read soon; it need not exist.
  void prefetch(Value pointer, Type element, Value index);
  void store(Value value, Value pointer, Value index, Type element = {});
  /// Touch only the lanes of `mask`; other lanes read 0.
  Value maskedLoad(Value pointer, Type element, Value index, Value mask);
  void maskedStore(Value value, Value pointer, Value index, Value mask, Type element = {});
  /// @}

private:
  Value fromStored(Value x, Type element);
  Value toStored(Value x, Type element);
  Value loadNibble(Value pointer, Value index);
  Value loadNibbles(Value pointer, Value index);
  Value packNibbles(Value x);

  mlir::Block *entry;
  llvm::DenseMap<mlir::Attribute, Value> constants;
  void noteNegative(Value x); // where it is, 63 bits were left

  Value *left = nullptr; // inside of checked: whether a sum or product has left 63 bits
};

} // namespace nova::codegen

#endif
