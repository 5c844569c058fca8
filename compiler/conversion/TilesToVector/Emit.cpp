#include "compiler/conversion/TilesToVector/Emit.h"
#include "dialects/graph/NovaTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nova::codegen {

Type storageType(Type element) {
  MLIRContext *context = element.getContext();
  return element.isInteger(1) ? IntegerType::get(context, 8)
         : element.isBF16()   ? IntegerType::get(context, 16)
                              : element;
}

Type registerType(Type element) {
  MLIRContext *context = element.getContext();
  if (!isStorage(element))
    return element;
  return element.isInteger() ? Type(IntegerType::get(context, 32)) : Type(Float32Type::get(context));
}

int64_t byteSize(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }

Type shaped(Type element, int64_t lanes) { return lanes ? Type(VectorType::get({lanes}, element)) : element; }

int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

Type elementOf(Type type) { return getElementTypeOrSelf(type); }

Emit::Emit(func::FuncOp function)
    : b(function.getContext()), loc(function.getLoc()), entry(&function.getBody().front()) {
  b.setInsertionPointToEnd(entry);
}

Value Emit::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    known = b.create<arith::ConstantOp>(loc, value);
  }
  return known;
}

static TypedAttr splatOf(Type type, TypedAttr element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? TypedAttr(SplatElementsAttr::get(vector, Attribute(element))) : element;
}

Value Emit::integer(Type type, int64_t value) {
  return constant(splatOf(type, b.getIntegerAttr(elementOf(type), value)));
}

Value Emit::real(Type type, double value) { return constant(splatOf(type, b.getFloatAttr(elementOf(type), value))); }

Value Emit::realBits(Type type, uint64_t bits) {
  auto element = llvm::cast<FloatType>(elementOf(type));
  APInt image(64, bits);
  APFloat value(element.getFloatSemantics(), image.trunc(element.getWidth()));
  return constant(splatOf(type, FloatAttr::get(element, value)));
}

Value Emit::laneNumbers(Type element, int64_t lanes) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(b.getIntegerAttr(element, i));
  return constant(DenseElementsAttr::get(VectorType::get({lanes}, element), numbers));
}

void Emit::noteNegative(Value x) { *left = op<arith::OrIOp>(*left, compare(IntPredicate::slt, x, idx(0))); }

Value Emit::add(Value x, Value y) {
  Value sum = b.createOrFold<arith::AddIOp>(loc, x, y);
  if (left) // the sum's sign is that of neither
    noteNegative(op<arith::AndIOp>(op<arith::XOrIOp>(x, sum), op<arith::XOrIOp>(y, sum)));
  return sum;
}

Value Emit::mul(Value x, Value y) {
  if (!left)
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  auto product = b.create<arith::MulSIExtendedOp>(loc, x, y);
  Value sign = op<arith::ShRSIOp>(product.getLow(), idx(63));
  *left = op<arith::OrIOp>(*left, compare(IntPredicate::ne, product.getHigh(), sign));
  return product.getLow();
}

Value Emit::checked(llvm::function_ref<Value()> sizes) {
  Value any = integer(b.getI1Type(), 0);
  left = &any;
  Value size = sizes();
  left = nullptr;
  return select(any, idx(-1), size);
}

Value Emit::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

Value Emit::over(Value x, int64_t power) {
  return power == 1 ? x : b.createOrFold<arith::ShRUIOp>(loc, x, idx(llvm::Log2_64(power)));
}

Values Emit::loop(Value low, Value high, int64_t step, ValueRange inits, LoopBody body) {
  auto loop = b.create<scf::ForOp>(loc, low, high, idx(step), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // Without carried values the builder has made the terminator already.
  if (!inits.empty())
    b.create<scf::YieldOp>(loc, next);
  return Values(loop.getResults());
}

void Emit::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(low, high, step, {}, [&](Value index, ValueRange) {
    body(index);
    return Values();
  });
}

Values Emit::choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise) {
  // The builder handed to the branches is `b`; the types follow from what `then` yields.
  auto branch = [this](llvm::function_ref<Values()> emit) {
    return [this, emit](OpBuilder &, Location) {
      Values results = emit();
      b.create<scf::YieldOp>(loc, results);
    };
  };
  auto ifOp = b.create<scf::IfOp>(loc, condition, branch(then), branch(otherwise));
  return Values(ifOp.getResults());
}

void Emit::when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto ifOp = b.create<scf::IfOp>(loc, condition, static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&ifOp.getThenRegion().front());
  then();
  if (otherwise) {
    b.setInsertionPointToStart(&ifOp.getElseRegion().front());
    otherwise();
  }
}

Value Emit::fma(Value x, Value y, Value z) { return b.create<math::FmaOp>(loc, x, y, z); }

Value Emit::splat(Value x, int64_t lanes) {
  if (lanes == 0 || lanesOf(x.getType()))
    return x;
  return b.create<vector::BroadcastOp>(loc, VectorType::get({lanes}, x.getType()), x);
}

Value Emit::shuffle(Value x, Value y, ArrayRef<int64_t> positions) {
  return b.create<vector::ShuffleOp>(loc, x, y, positions);
}

Value Emit::lane(Value x, int64_t position) { return b.create<vector::ExtractOp>(loc, x, position); }

Value Emit::part(Value x, int64_t first, int64_t count) {
  if (lanesOf(x.getType()) == count)
    return x;
  SmallVector<int64_t> positions;
  for (int64_t i = 0; i < count; ++i)
    positions.push_back(first + i);
  return shuffle(x, x, positions);
}

Value Emit::maskBelow(Value count, int64_t lanes) {
  // Small numbers: 32 bits are enough and are half the vectors.
  Value few = cast<arith::TruncIOp>(b.getI32Type(), count);
  return compare(IntPredicate::slt, laneNumbers(b.getI32Type(), lanes), splat(few, lanes));
}

Value Emit::firstLane(Value mask) {
  Type bits = b.getIntegerType(lanesOf(mask.getType()));
  Value word = lane(b.create<vector::BitCastOp>(loc, VectorType::get({1}, bits), mask), 0);
  return cast<arith::ExtUIOp>(b.getI64Type(), op<math::CountTrailingZerosOp>(word));
}

Value Emit::toBits(Value x) {
  Type element = b.getIntegerType(elementOf(x.getType()).getIntOrFloatBitWidth());
  return cast<arith::BitcastOp>(shaped(element, lanesOf(x.getType())), x);
}

Value Emit::fromBits(Value x, Type element) { return cast<arith::BitcastOp>(shaped(element, lanesOf(x.getType())), x); }

Value Emit::at(Value pointer, Type element, Value index) {
  return b.create<LLVM::GEPOp>(loc, pointer.getType(), storageType(element), pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value Emit::atBytes(Value pointer, Value bytes) { return at(pointer, b.getI8Type(), bytes); }

// Between an element as memory has it and as code holds it.
Value Emit::fromStored(Value x, Type element) {
  int64_t lanes = lanesOf(x.getType());
  Type wide = shaped(registerType(element), lanes), bits = shaped(b.getI32Type(), lanes);
  if (element.isInteger(1))
    return compare(IntPredicate::ne, x, integer(x.getType(), 0));
  if (element.isBF16())
    return fromBits(op<arith::ShLIOp>(cast<arith::ExtUIOp>(bits, x), integer(bits, 16)), b.getF32Type());
  if (element.isF16())
    return cast<arith::ExtFOp>(wide, x);
  return element.isInteger(8) ? cast<arith::ExtSIOp>(wide, x) : x;
}

Value Emit::toStored(Value x, Type element) {
  int64_t lanes = lanesOf(x.getType());
  Type stored = shaped(storageType(element), lanes), bits = shaped(b.getI32Type(), lanes);
  if (element.isInteger(1))
    return cast<arith::ExtUIOp>(stored, x);
  if (element.isBF16())
    return cast<arith::TruncIOp>(stored, op<arith::ShRUIOp>(toBits(x), integer(bits, 16)));
  if (element.isF16())
    return cast<arith::TruncFOp>(stored, x);
  return element.isInteger(8) ? cast<arith::TruncIOp>(stored, x) : x;
}

// Two to a byte, the first one in its low half.
Value Emit::loadNibble(Value pointer, Value index) {
  Type i32 = b.getI32Type();
  Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), atBytes(pointer, over(index, nibblesPerByte)), 1);
  Value high = cast<arith::TruncIOp>(i32, within(index, nibblesPerByte));
  Value shift = op<arith::SubIOp>(integer(i32, 28), op<arith::ShLIOp>(high, integer(i32, 2)));
  return op<arith::ShRSIOp>(op<arith::ShLIOp>(cast<arith::ExtUIOp>(i32, byte), shift), integer(i32, 28));
}

// 16 of them: eight bytes, or from the middle of a byte nine. No byte is touched that has none of them.
Value Emit::loadNibbles(Value pointer, Value index) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), lanes8 = VectorType::get({8}, i32);
  Value first = over(index, nibblesPerByte), last = over(add(index, 15), nibblesPerByte);
  Value eight = b.create<LLVM::LoadOp>(loc, i64, atBytes(pointer, first), 1);
  Value ninth = cast<arith::ExtUIOp>(i64, b.create<LLVM::LoadOp>(loc, b.getI8Type(), atBytes(pointer, last), 1));
  Value odd = compare(IntPredicate::ne, within(index, nibblesPerByte), idx(0));
  Value shifted = op<arith::OrIOp>(op<arith::ShRUIOp>(eight, idx(4)), op<arith::ShLIOp>(ninth, idx(60)));
  Value bits = select(odd, shifted, eight);
  SmallVector<Attribute> shifts;
  for (int64_t i = 0; i < 8; ++i)
    shifts.push_back(b.getIntegerAttr(i32, 28 - 4 * i));
  Value left = constant(DenseElementsAttr::get(llvm::cast<ShapedType>(lanes8), shifts));
  auto half = [&](Value word) {
    Value spread = op<arith::ShLIOp>(splat(cast<arith::TruncIOp>(i32, word), 8), left);
    return op<arith::ShRSIOp>(spread, integer(lanes8, 28));
  };
  SmallVector<int64_t> positions = llvm::to_vector(llvm::seq<int64_t>(0, 16));
  return shuffle(half(bits), half(op<arith::ShRUIOp>(bits, idx(32))), positions);
}

// 16 of them as an i64.
Value Emit::packNibbles(Value x) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), lanes8 = VectorType::get({8}, i32);
  SmallVector<Attribute> shifts;
  for (int64_t i = 0; i < 8; ++i)
    shifts.push_back(b.getIntegerAttr(i32, 4 * i));
  Value right = constant(DenseElementsAttr::get(llvm::cast<ShapedType>(lanes8), shifts));
  auto half = [&](int64_t first) {
    Value low = op<arith::AndIOp>(part(x, first, 8), integer(lanes8, 15));
    Value word = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, op<arith::ShLIOp>(low, right));
    return cast<arith::ExtUIOp>(i64, word);
  };
  return op<arith::OrIOp>(half(0), op<arith::ShLIOp>(half(8), idx(32)));
}

Value Emit::load(Value pointer, Type element, Value index, int64_t lanes) {
  if (isNibble(element))
    return lanes ? loadNibbles(pointer, index) : loadNibble(pointer, index);
  Type stored = shaped(storageType(element), lanes);
  return fromStored(b.create<LLVM::LoadOp>(loc, stored, at(pointer, element, index), byteSize(element)), element);
}

void Emit::prefetch(Value pointer, Type element, Value index) {
  b.create<LLVM::Prefetch>(loc, at(pointer, element, index), b.getI32IntegerAttr(0), b.getI32IntegerAttr(3),
                           b.getI32IntegerAttr(1));
}

void Emit::store(Value value, Value pointer, Value index, Type element) {
  element = element ? element : elementOf(value.getType());
  if (isNibble(element)) {
    Value byte = over(index, nibblesPerByte);
    value = lanesOf(value.getType())
                ? packNibbles(value)
                : cast<arith::TruncIOp>(b.getI8Type(), op<arith::AndIOp>(value, integer(b.getI32Type(), 15)));
    b.create<LLVM::StoreOp>(loc, value, atBytes(pointer, byte), 1);
    return;
  }
  b.create<LLVM::StoreOp>(loc, toStored(value, element), at(pointer, element, index), byteSize(element));
}

// The number of lanes of a mask that begins with them.
static Value countOf(Emit &e, Value mask) {
  Type bits = e.b.getIntegerType(lanesOf(mask.getType()));
  Value image = e.b.create<vector::BitCastOp>(e.loc, VectorType::get({1}, bits), mask);
  Value count = e.b.create<math::CtPopOp>(e.loc, e.lane(image, 0));
  return e.cast<arith::ExtUIOp>(e.b.getI64Type(), count);
}

Value Emit::maskedLoad(Value pointer, Type element, Value index, Value mask) {
  if (isNibble(element)) { // the last one stands in for those beyond it, whose bytes may not be there
    Value last = sub(countOf(*this, mask), idx(1)), x;
    for (int64_t i = 0, lanes = lanesOf(mask.getType()); i < lanes; ++i) {
      Value one = loadNibble(pointer, add(index, min(idx(i), last)));
      x = x ? b.create<vector::InsertOp>(loc, one, x, i).getResult() : splat(one, lanes);
    }
    return x;
  }
  Type stored = storageType(element), type = shaped(stored, lanesOf(mask.getType()));
  Value zero = isa<FloatType>(stored) ? real(type, 0.0) : integer(type, 0);
  Value x = b.create<LLVM::MaskedLoadOp>(loc, type, at(pointer, element, index), mask, ValueRange{zero},
                                         static_cast<uint32_t>(byteSize(element)));
  return fromStored(x, element);
}

void Emit::maskedStore(Value value, Value pointer, Value index, Value mask, Type element) {
  element = element ? element : elementOf(value.getType());
  if (isNibble(element)) { // half a byte beyond the last one is 0
    value = select(mask, value, integer(value.getType(), 0));
    int64_t bytes = lanesOf(mask.getType()) / nibblesPerByte;
    Value packed =
        b.create<vector::BitCastOp>(loc, VectorType::get({bytes}, b.getI8Type()), splat(packNibbles(value), 1));
    Value count = over(ceilTo(countOf(*this, mask), nibblesPerByte), nibblesPerByte);
    b.create<LLVM::MaskedStoreOp>(loc, packed, atBytes(pointer, over(index, nibblesPerByte)), maskBelow(count, bytes),
                                  1);
    return;
  }
  b.create<LLVM::MaskedStoreOp>(loc, toStored(value, element), at(pointer, element, index), mask,
                                static_cast<uint32_t>(byteSize(element)));
}

} // namespace nova::codegen
