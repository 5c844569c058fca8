#include "compiler/conversion/TilesToVector/Lines.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nova::codegen {

static void nestFrom(Emit &e, ArrayRef<Range> ranges, Values &indices, llvm::function_ref<void(ValueRange)> body) {
  if (indices.size() == ranges.size())
    return body(indices);
  const Range &range = ranges[indices.size()];
  e.loop(range.low, range.high, 1, [&](Value index) {
    indices.push_back(index);
    nestFrom(e, ranges, indices, body);
    indices.pop_back();
  });
}

void nest(Emit &e, ArrayRef<Range> ranges, llvm::function_ref<void(ValueRange)> body) {
  Values indices;
  nestFrom(e, ranges, indices, body);
}

static Values stridesOf(Frame &f, ArrayRef<DimAttr> dims, Type element) {
  Values strides(dims.size());
  Value stride = f.e.idx(1);
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = constantValue(dims[i]) == 1 ? f.e.idx(0) : stride;
    Value size = f.size(dims[i]);
    stride = f.e.mul(stride, element && i + 1 == dims.size() ? rowStride(f.e, element, size) : size);
  }
  return strides;
}

Values rowMajorStrides(Frame &f, ArrayRef<DimAttr> dims) { return stridesOf(f, dims, {}); }
Values rowMajorStrides(Frame &f, Value buffer) { return stridesOf(f, dimsOfBuffer(buffer), elementOfBuffer(buffer)); }

Value dot(Emit &e, ValueRange indices, ValueRange strides) {
  Value sum = e.idx(0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    sum = e.add(sum, e.mul(index, stride));
  return sum;
}

void lineSteps(Emit &e, Range range, llvm::function_ref<void(Value, Value)> body) {
  Value full = e.add(range.low, e.floorTo(e.max(e.sub(range.high, range.low), e.idx(0)), sumLanes));
  e.loop(range.low, full, sumLanes, [&](Value column) { body(column, {}); });
  e.when(e.compare(IntPredicate::slt, full, range.high),
         [&] { body(full, e.maskBelow(e.sub(range.high, full), sumLanes)); });
}

Value loadLanes(Emit &e, Value pointer, Type element, Value start, Value column, Value stride, Value end, Value mask) {
  if (!stride) {
    Value index = e.add(start, column);
    return mask ? e.maskedLoad(pointer, element, index, mask) : e.load(pointer, element, index, sumLanes);
  }
  // The last column stands in for those beyond it.
  Value last = e.sub(end, e.idx(1)), x;
  for (int64_t i = 0; i < sumLanes; ++i) {
    Value one = e.load(pointer, element, e.add(start, e.mul(e.min(e.add(column, i), last), stride)), 0);
    x = x ? e.b.create<vector::InsertOp>(e.loc, one, x, i).getResult() : e.splat(one, sumLanes);
  }
  return x;
}

} // namespace nova::codegen
