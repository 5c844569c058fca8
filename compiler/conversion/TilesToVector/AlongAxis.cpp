//===- AlongAxis.cpp - Walks along one axis of tensors of any rank -----------===//
//
// Running sums and positions of greatest entries: what takes the entries of an axis strictly in order. Along the last
// axis it goes entry by entry; along another one 16 lines side by side.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "compiler/conversion/TilesToVector/Lines.h"
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {
namespace {

/// The lines along an axis, in groups of `lanes` that lie side by side (0: one line).
class AxisWalk {
public:
  /// The state of a group before the first entry.
  using Begin = llvm::function_ref<Values(int64_t lanes)>;
  /// The state after the entry `x` at `position`; `hidden` (i1, may be null) says where it is skipped. `index` is its
  /// place in a tensor of the output's dims with the position along the axis, `mask` that of a partial group.
  struct Entry {
    Value x, hidden, position, index, mask;
    int64_t lanes;
  };
  using Step = llvm::function_ref<Values(const Entry &, ValueRange)>;
  using End = llvm::function_ref<void(ValueRange, Value index, Value mask)>;

  AxisWalk(Frame &f, Value input, Value hidden, Value output, size_t axis)
      : f(f), e(f.e), input(input), hidden(hidden), axis(axis), dims(dimsOfBuffer(input)) {
    extent = f.size(dims[axis]);
    strides = rowMajorStrides(f, dims);
    outputStrides = rowMajorStrides(f, dimsOfBuffer(output));
    // Dims are aligned at the last axis, as in broadcasting.
    hiddenStrides.assign(dims.size(), e.idx(0));
    if (hidden) {
      Values own = rowMajorStrides(f, dimsOfBuffer(hidden));
      llvm::copy(own, hiddenStrides.begin() + (dims.size() - own.size()));
    }
  }

  void run(Begin begin, Step step, End end) {
    SmallVector<Range> outer;
    for (size_t i = 0; i < dims.size(); ++i)
      outer.push_back(i == axis ? Range{e.idx(0), e.idx(1)}
                      : i == 0  ? Range{f.row0, e.add(f.row0, f.rows)}
                                : Range{e.idx(0), f.size(dims[i])});
    if (axis + 1 == dims.size()) {
      nest(e, outer, [&](ValueRange indices) { walk(Values(indices), e.idx(0), {}, 0, begin, step, end); });
      return;
    }
    Range line = outer.pop_back_val();
    nest(e, outer, [&](ValueRange indices) {
      Values all(indices);
      all.push_back(e.idx(0));
      lineSteps(e, line, [&](Value column, Value mask) { walk(all, column, mask, sumLanes, begin, step, end); });
    });
  }

private:
  void walk(const Values &indices, Value column, Value mask, int64_t lanes, Begin begin, Step step, End end) {
    Value start = e.add(dot(e, indices, strides), column), place = e.add(dot(e, indices, outputStrides), column);
    Value hiddenStart = dot(e, indices, hiddenStrides);
    Values state = e.loop(e.idx(0), extent, 1, begin(lanes), [&](Value k, ValueRange before) {
      Entry entry{{}, {}, k, e.add(place, e.mul(k, outputStrides[axis])), mask, lanes};
      entry.x = loadAt(input, e.add(start, e.mul(k, strides[axis])), mask, lanes);
      if (hidden)
        entry.hidden = hiddenAt(e.add(hiddenStart, e.mul(k, hiddenStrides[axis])), column, mask, lanes);
      return step(entry, before);
    });
    end(state, place, mask);
  }

  Value loadAt(Value buffer, Value index, Value mask, int64_t lanes) {
    Type element = elementOfBuffer(buffer);
    return mask ? e.maskedLoad(f.pointer(buffer), element, index, mask)
                : e.load(f.pointer(buffer), element, index, lanes);
  }

  // The lanes of a group lie along the last axis, where the mask may have one entry for all.
  Value hiddenAt(Value start, Value column, Value mask, int64_t lanes) {
    if (lanes && constantValue(dimsOfBuffer(hidden).back()) == 1)
      return e.splat(loadAt(hidden, start, {}, 0), lanes);
    return loadAt(hidden, lanes ? e.add(start, column) : start, mask, lanes);
  }

  Frame &f;
  Emit &e;
  Value input, hidden;
  size_t axis;
  ArrayRef<DimAttr> dims;
  Value extent;
  Values strides, outputStrides, hiddenStrides;
};

void storeLanes(Frame &f, Value x, Value buffer, Value index, Value mask) {
  if (mask)
    f.e.maskedStore(x, f.pointer(buffer), index, mask);
  else
    f.e.store(x, f.pointer(buffer), index);
}

} // namespace

void emitArgmax(Frame &f, tile::ReduceOp op) {
  Emit &e = f.e;
  Type element = elementOfBuffer(op.getInput()), i64 = e.b.getI64Type(), i1 = e.b.getI1Type();
  bool isFloat = isa<FloatType>(element);
  // The greatest entry so far, its position, and whether there is one.
  auto begin = [&](int64_t lanes) {
    Type type = shaped(element, lanes);
    return Values{isFloat ? e.real(type, 0.0) : e.integer(type, 0), e.integer(shaped(i64, lanes), 0),
                  e.integer(shaped(i1, lanes), 0)};
  };
  auto step = [&](const AxisWalk::Entry &entry, ValueRange before) {
    Value best = before[0], any = before[2], x = entry.x, yes = e.integer(any.getType(), 1);
    Value better = isFloat ? e.compare(FloatPredicate::OGT, x, best) : e.compare(IntPredicate::sgt, x, best);
    if (isFloat) {
      Value firstNaN =
          e.op<arith::AndIOp>(e.compare(FloatPredicate::UNO, x, x), e.compare(FloatPredicate::ORD, best, best));
      better = e.op<arith::OrIOp>(better, firstNaN);
    }
    Value takes = e.op<arith::OrIOp>(better, e.op<arith::XOrIOp>(any, yes));
    if (entry.hidden)
      takes = e.op<arith::AndIOp>(takes, e.op<arith::XOrIOp>(entry.hidden, yes));
    return Values{e.select(takes, x, best), e.select(takes, e.splat(entry.position, entry.lanes), before[1]),
                  e.op<arith::OrIOp>(any, takes)};
  };
  AxisWalk(f, op.getInput(), op.getHidden(), op.getOutput(), op.getAxis())
      .run(begin, step,
           [&](ValueRange state, Value index, Value mask) { storeLanes(f, state[1], op.getOutput(), index, mask); });
}

void emitAccumulate(Frame &f, tile::AccumulateOp op) {
  Emit &e = f.e;
  Type element = elementOfBuffer(op.getInput());
  bool isFloat = isa<FloatType>(element);
  auto begin = [&](int64_t lanes) {
    Type type = shaped(element, lanes);
    return Values{isFloat ? e.real(type, 0.0) : e.integer(type, 0)};
  };
  auto step = [&](const AxisWalk::Entry &entry, ValueRange before) {
    Value sum = isFloat ? e.op<arith::AddFOp>(before[0], entry.x) : e.op<arith::AddIOp>(before[0], entry.x);
    if (entry.hidden)
      sum = e.select(entry.hidden, before[0], sum);
    storeLanes(f, canonicalized(e, sum), op.getOutput(), entry.index, entry.mask);
    return Values{sum};
  };
  AxisWalk(f, op.getInput(), op.getHidden(), op.getOutput(), op.getAxis())
      .run(begin, step, [](ValueRange, Value, Value) {});
}

} // namespace nova::codegen
