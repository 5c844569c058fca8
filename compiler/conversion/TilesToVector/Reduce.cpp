//===- Reduce.cpp - Reductions over one axis of tensors of any rank ----------===//
//
// Along the last axis the lanes of a step are the canonical 16 lanes. Along another axis a step holds 16 results side
// by side, and sums keep their 16 lanes in scratch memory.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Lines.h"
#include "compiler/conversion/TilesToVector/Parts.h"
#include "compiler/conversion/TilesToVector/Reduction.h"

using namespace mlir;

namespace nova::codegen {
namespace {

class AxisReduction {
public:
  AxisReduction(Frame &f, tile::ReduceOp op)
      : f(f), e(f.e), op(op), axis(op.getAxis()), dims(dimsOfBuffer(op.getInput())),
        reduction{op.getKind(), elementOfBuffer(op.getOutput())} {
    extent = f.size(dims[axis]);
    strides = rowMajorStrides(f, dims);
    outputStrides = rowMajorStrides(f, dimsOfBuffer(op.getOutput()));
    // Dims are aligned at the last axis, as in broadcasting.
    hiddenStrides.assign(dims.size(), e.idx(0));
    if (op.getHidden()) {
      Values own = rowMajorStrides(f, dimsOfBuffer(op.getHidden()));
      llvm::copy(own, hiddenStrides.begin() + (dims.size() - own.size()));
    }
  }

  void emit() {
    size_t last = dims.size() - 1;
    SmallVector<Range> outer;
    for (size_t i = 0; i < dims.size(); ++i)
      outer.push_back(rangeOf(i));
    if (axis == last) {
      nest(e, outer, [&](ValueRange indices) { alongLine(indices); });
      return;
    }
    Range line = outer.pop_back_val();
    nest(e, outer, [&](ValueRange indices) {
      Values all(indices);
      all.push_back(e.idx(0));
      lineSteps(e, line, [&](Value column, Value mask) { acrossLines(all, column, mask, line.high); });
    });
  }

private:
  // The reduced axis counts as one entry: its output.
  Range rangeOf(size_t i) {
    if (i == axis)
      return {e.idx(0), e.idx(1)};
    return i == 0 ? Range{f.row0, e.add(f.row0, f.rows)} : Range{e.idx(0), f.size(dims[i])};
  }
  Value total(Value lanes, Value before) { return reduction.combine(e, before, reduction.fold(e, lanes)); }

  Value visibleTerm(Value x, Value mask, Value hidden, int64_t lanes) {
    Value neutral = reduction.neutral(e, lanes);
    if (mask)
      x = e.select(mask, x, neutral);
    return hidden ? e.select(hidden, neutral, x) : x;
  }

  void alongLine(ValueRange indices) {
    Value start = dot(e, indices, strides), hiddenStart = dot(e, indices, hiddenStrides);
    auto term = [&](Value column, Value mask, Value state) {
      Value x = loadLanes(e, f.pointer(op.getInput()), reduction.element, start, column, {}, extent, mask);
      return reduction.combine(e, state, visibleTerm(x, mask, hiddenLanes(hiddenStart, column, mask), sumLanes));
    };
    Value full = e.floorTo(extent, sumLanes);
    auto chunkSum = [&](Value from, Value to, Value state) {
      state = e.loop(from, e.min(to, full), sumLanes, state,
                     [&](Value column, ValueRange s) { return Values{term(column, {}, s[0])}; })[0];
      Value partial = e.both(e.compare(IntPredicate::slt, full, extent),
                             e.both(e.compare(IntPredicate::slt, full, to), e.compare(IntPredicate::sge, full, from)));
      return e.choose(
          partial, [&] { return Values{term(full, e.maskBelow(e.sub(extent, full), sumLanes), state)}; },
          [&] { return Values{state}; })[0];
    };
    Value result = e.loop(e.idx(0), extent, chunk, reduction.neutral(e, 0), [&](Value from, ValueRange s) {
      return Values{total(chunkSum(from, e.add(from, chunk), reduction.neutral(e, sumLanes)), s[0])};
    })[0];
    e.store(reduction.finish(e, result), f.pointer(op.getOutput()), dot(e, indices, outputStrides));
  }

  Value hiddenLanes(Value start, Value column, Value mask) {
    if (!op.getHidden())
      return {};
    Value pointer = f.pointer(op.getHidden());
    bool broadcast = constantValue(dimsOfBuffer(op.getHidden()).back()) == 1;
    if (broadcast)
      return e.splat(e.load(pointer, e.b.getI1Type(), start, 0), sumLanes);
    return loadLanes(e, pointer, e.b.getI1Type(), start, column, {}, {}, mask);
  }

  // 16 results at `column` of a line; `indices` has 0 for the line's own axis.
  void acrossLines(ValueRange indices, Value column, Value mask, Value end) {
    Value start = dot(e, indices, strides), hiddenStart = dot(e, indices, hiddenStrides);
    auto term = [&](Value k) {
      Value x = loadLanes(e, f.pointer(op.getInput()), reduction.element, e.add(start, e.mul(k, strides[axis])), column,
                          {}, end, mask);
      return visibleTerm(x, {}, hiddenLanes(e.add(hiddenStart, e.mul(k, hiddenStrides[axis])), column, mask), sumLanes);
    };
    Value result = reduction.isSum()
                       ? sumAcross(term)
                       : e.loop(e.idx(0), extent, 1, reduction.neutral(e, sumLanes),
                                [&](Value k, ValueRange s) { return Values{reduction.combine(e, s[0], term(k))}; })[0];
    result = reduction.finish(e, result);
    Value index = e.add(dot(e, indices, outputStrides), column), pointer = f.pointer(op.getOutput());
    if (mask)
      e.maskedStore(result, pointer, index, mask);
    else
      e.store(result, pointer, index);
  }

  // Lane l of the 16 results is line l in scratch memory.
  Value sumAcross(llvm::function_ref<Value(Value)> term) {
    Value lines = f.header(ScratchHeader::lines), zero = reduction.neutral(e, sumLanes);
    auto lineAt = [&](Value lane) { return e.mul(lane, sumLanes); };
    auto read = [&](Value lane) { return e.load(lines, reduction.element, lineAt(lane), sumLanes); };
    return e.loop(e.idx(0), extent, chunk, zero, [&](Value from, ValueRange totals) {
      for (int64_t l = 0; l < sumLanes; ++l)
        e.store(zero, lines, lineAt(e.idx(l)));
      e.loop(from, e.min(e.add(from, chunk), extent), 1, [&](Value k) {
        Value lane = e.within(k, sumLanes);
        e.store(reduction.combine(e, read(lane), term(k)), lines, lineAt(lane));
      });
      Values folded;
      for (int64_t l = 0; l < sumLanes; ++l)
        folded.push_back(read(e.idx(l)));
      for (size_t half = sumLanes / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; ++l)
          folded[l] = reduction.combine(e, folded[l], folded[l + half]);
      return Values{reduction.combine(e, totals[0], folded[0])};
    })[0];
  }

  Frame &f;
  Emit &e;
  tile::ReduceOp op;
  size_t axis;
  ArrayRef<DimAttr> dims;
  Reduction reduction;
  Value extent;
  Values strides, outputStrides, hiddenStrides;
};

} // namespace

void emitReduce(Frame &f, tile::ReduceOp op) {
  if (op.getKind() == tile::ReduceKind::argmax)
    return emitArgmax(f, op);
  AxisReduction(f, op).emit();
}

} // namespace nova::codegen
