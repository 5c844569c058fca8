//===- Gather.cpp - Entries picked by indices --------------------------------===//
//
// For every entry of the axes before the picked one and every index, what lies behind is copied line by line. An index
// outside its axis is noted, and the first entry stands in for what it names.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Lines.h"
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {
namespace {

class Gather {
public:
  Gather(Frame &f, tile::GatherOp op)
      : f(f), e(f.e), op(op), before(op.getAxis()), picked(dimsOfBuffer(op.getIndices()).size()) {
    for (DimAttr dim : dimsOfBuffer(op.getOutput()))
      ranges.push_back({e.idx(0), f.size(dim)});
    if (!ranges.empty())
      ranges[0] = {f.row0, e.add(f.row0, f.rows)};
    inputStrides = rowMajorStrides(f, dimsOfBuffer(op.getInput()));
    indexStrides = rowMajorStrides(f, dimsOfBuffer(op.getIndices()));
    outputStrides = rowMajorStrides(f, dimsOfBuffer(op.getOutput()));
  }

  void emit() {
    nest(e, ArrayRef(ranges).take_front(before + picked), [&](ValueRange indices) {
      Value index = indexAt(indices.drop_front(before));
      Value from = e.add(dot(e, indices.take_front(before), ValueRange(inputStrides).take_front(before)),
                         e.mul(index, inputStrides[before]));
      Value to = dot(e, indices, ValueRange(outputStrides).take_front(before + picked));
      copy(from, to);
    });
  }

private:
  Value indexAt(ValueRange at) {
    Type element = elementOfBuffer(op.getIndices()), i64 = e.b.getI64Type();
    Value index = e.load(f.pointer(op.getIndices()), element, dot(e, at, indexStrides), 0);
    if (element != i64)
      index = e.cast<arith::ExtSIOp>(i64, index);
    Value outside = e.compare(IntPredicate::uge, index, f.size(dimsOfBuffer(op.getInput())[before]));
    // Nobody wants an index behind which there are no entries.
    for (DimAttr dim : dimsOfBuffer(op.getOutput()).drop_front(before + picked))
      outside = e.both(outside, e.compare(IntPredicate::ne, f.size(dim), e.idx(0)));
    e.when(outside, [&] { f.fail(2, op, at, {index, f.size(dimsOfBuffer(op.getInput())[before])}); });
    return e.select(outside, e.idx(0), index);
  }

  // What lies behind the picked axis.
  void copy(Value from, Value to) {
    ArrayRef<Range> inner = ArrayRef(ranges).drop_front(before + picked);
    Value source = f.pointer(op.getInput()), target = f.pointer(op.getOutput());
    Type element = elementOfBuffer(op.getInput());
    if (inner.empty())
      return e.store(canonicalized(e, e.load(source, element, from, 0)), target, to, element);
    ValueRange input = ValueRange(inputStrides).drop_front(before + 1),
               output = ValueRange(outputStrides).drop_front(before + picked);
    nest(e, inner.drop_back(), [&](ValueRange indices) {
      Value lineFrom = e.add(from, dot(e, indices, input.drop_back()));
      Value lineTo = e.add(to, dot(e, indices, output.drop_back()));
      lineSteps(e, inner.back(), [&](Value column, Value mask) {
        Value x = canonicalized(e, loadLanes(e, source, element, lineFrom, column, {}, {}, mask));
        Value index = e.add(lineTo, column);
        if (mask)
          e.maskedStore(x, target, index, mask, element);
        else
          e.store(x, target, index, element);
      });
    });
  }

  Frame &f;
  Emit &e;
  tile::GatherOp op;
  size_t before, picked; ///< axes of the output before the indices' ones, and those
  SmallVector<Range> ranges;
  Values inputStrides, indexStrides, outputStrides;
};

} // namespace

void emitGather(Frame &f, tile::GatherOp op) { Gather(f, op).emit(); }

} // namespace nova::codegen
