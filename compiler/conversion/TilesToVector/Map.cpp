//===- Map.cpp - Elementwise work on tensors of any rank ---------------------===//
//
// Loops over the output's axes, or over a part of it; the last one runs in steps of 16 lanes. Inputs that do not move
// along it are uniform, those that are dense along it are loaded whole, others (transposes) lane by lane.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Check.h"
#include "compiler/conversion/TilesToVector/Lines.h"
#include "compiler/conversion/TilesToVector/Parts.h"
#include "compiler/conversion/TilesToVector/Region.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nova::codegen {
namespace {

class MapLines {
public:
  MapLines(Frame &f, tile::MapOp op) : f(f), e(f.e), op(op), block(op.getBody().front()) {
    SmallVector<DimAttr> sizes(dimsOfBuffer(op.getOutput()));
    if (op.getPart())
      sizes = llvm::map_to_vector(*op.getPart(), [](Attribute dim) { return cast<DimAttr>(dim); });
    for (DimAttr dim : sizes)
      ranges.push_back({e.idx(0), f.size(dim)});
    if (!ranges.empty())
      ranges[0] = {f.row0, e.add(f.row0, f.rows)};
    outputStrides = rowMajorStrides(f, op.getOutput());
    outputStart = e.idx(0);
    if (op.getAt())
      for (auto [dim, stride] : llvm::zip(*op.getAt(), outputStrides))
        outputStart = e.add(outputStart, e.mul(f.size(cast<DimAttr>(dim)), stride));
    for (auto [buffer, map] : llvm::zip(op.getInputs(), op.getMaps().getAsValueRange<AffineMapAttr>()))
      place(buffer, map);
  }

  void emit() {
    if (ranges.empty())
      return emitScalar();
    nest(e, ArrayRef(ranges).drop_back(), [&](ValueRange outer) { emitLine(outer); });
  }

private:
  // For every axis of the output, how far an input moves along it, and where it begins.
  void place(Value buffer, AffineMap map) {
    Values along(ranges.size(), e.idx(0)), own = rowMajorStrides(f, buffer);
    Value start = e.idx(0);
    for (auto [result, stride] : llvm::zip(map.getResults(), own)) {
      MapPlace place = *placeOf(result);
      if (place.axis >= 0)
        along[place.axis] = e.add(along[place.axis], e.mul(stride, place.step));
      if (place.symbol >= 0)
        start = e.add(start, e.mul(f.size(cast<DimAttr>((*op.getStarts())[place.symbol])), stride));
    }
    inputStrides.push_back(along);
    inputStarts.push_back(start);
  }

  Value position(Value index, size_t axis) { return axis == 0 ? e.add(f.size(f.kernel.getPosition()), index) : index; }

  void emitScalar() {
    ValueMap uniforms;
    for (auto [i, buffer] : llvm::enumerate(op.getInputs()))
      uniforms[block.getArgument(i)] = e.load(f.pointer(buffer), elementOfBuffer(buffer), inputStarts[i], 0);
    Region region(f, block, uniforms);
    region.reportZeroDivisors(ValueMap(), {}, 0, {});
    e.store(canonicalized(e, region.uniform(region.yields()[0])), f.pointer(op.getOutput()), e.idx(0),
            elementOfBuffer(op.getOutput()));
  }

  void emitLine(ValueRange outer) {
    size_t last = ranges.size() - 1, inputs = op.getInputs().size();
    ValueMap uniforms;
    Values starts;
    for (auto [start, strides] : llvm::zip_equal(inputStarts, inputStrides))
      starts.push_back(e.add(start, dot(e, outer, ValueRange(strides).drop_back())));
    for (auto [axis, index] : llvm::enumerate(outer))
      uniforms[block.getArgument(inputs + axis)] = position(index, axis);
    // A line may be empty, and with it the inputs: nothing is read or computed then.
    e.when(e.compare(IntPredicate::slt, ranges[last].low, ranges[last].high), [&] {
      for (auto [i, buffer] : llvm::enumerate(op.getInputs()))
        if (isZero(inputStrides[i][last]))
          uniforms[block.getArgument(i)] = e.load(f.pointer(buffer), elementOfBuffer(buffer), starts[i], 0);
      Region region(f, block, uniforms);
      Value out = e.add(outputStart, dot(e, outer, ValueRange(outputStrides).drop_back()));
      lineSteps(e, ranges[last], [&](Value column, Value mask) { emitStep(region, outer, starts, out, column, mask); });
    });
  }

  void emitStep(const Region &region, ValueRange outer, ValueRange starts, Value out, Value column, Value mask) {
    size_t last = ranges.size() - 1, inputs = op.getInputs().size();
    ValueMap computed;
    for (auto [i, buffer] : llvm::enumerate(op.getInputs())) {
      BlockArgument argument = block.getArgument(i);
      if (argument.use_empty() || !region.varies(argument))
        continue;
      bool dense = isOne(inputStrides[i][last]);
      computed[argument] = loadLanes(e, f.pointer(buffer), elementOfBuffer(buffer), starts[i], column,
                                     dense ? Value() : inputStrides[i][last], ranges[last].high, mask);
    }
    Type i64 = e.b.getI64Type();
    computed[block.getArgument(inputs + last)] =
        e.op<arith::AddIOp>(e.splat(position(column, last), sumLanes), e.laneNumbers(i64, sumLanes));
    for (Operation *each : region.needed(region.yields())) {
      Values in;
      for (Value x : each->getOperands())
        in.push_back(region.lanes(x, computed, sumLanes));
      computed[each->getResult(0)] = emitElementwise(e, each, in);
    }
    Values indices;
    for (auto [axis, index] : llvm::enumerate(outer))
      indices.push_back(position(index, axis));
    indices.push_back(position(column, last));
    region.reportZeroDivisors(computed, mask, sumLanes, indices);
    Value x = canonicalized(e, region.lanes(region.yields()[0], computed, sumLanes));
    Value pointer = f.pointer(op.getOutput()), index = e.add(out, column);
    Type element = elementOfBuffer(op.getOutput());
    if (mask)
      e.maskedStore(x, pointer, index, mask, element);
    else
      e.store(x, pointer, index, element);
  }

  static bool isZero(Value x) { return matchPattern(x, m_Zero()); }
  static bool isOne(Value x) { return matchPattern(x, m_One()); }

  Frame &f;
  Emit &e;
  tile::MapOp op;
  Block &block;
  SmallVector<Range> ranges;
  Values outputStrides, inputStarts;
  Value outputStart;
  SmallVector<Values> inputStrides;
};

} // namespace

void emitMap(Frame &f, tile::MapOp op) { MapLines(f, op).emit(); }

} // namespace nova::codegen
