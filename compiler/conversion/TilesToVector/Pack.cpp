//===- Pack.cpp - Packed copies of matrices ----------------------------------===//
//
// Rows of a source become columns of panels (by transposing 8 x 8 blocks in registers) or k's of panels and pages. A
// block of rows may begin and end inside a panel; the other columns of such a panel belong to other calls, perhaps on
// other threads, and are not touched.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Lines.h"
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {
namespace {

constexpr int64_t squareSide = 8;

class Packing {
public:
  Packing(Frame &f, tile::PackOp op)
      : f(f), e(f.e), op(op), element(elementOfBuffer(op.getPacked())), width(panelWidth(element)),
        source(f.pointer(op.getSource())), packed(f.pointer(op.getPacked())), columns(f.stride(op.getSource())) {}

  void emit() { op.getTransposed() ? intoColumns() : intoLines(); }

private:
  // Row r of the block becomes column position + r. k runs along the source's rows.
  void intoColumns() {
    Value end = e.add(f.position, f.rows);
    e.loop(e.floorTo(f.position, width), end, width, [&](Value panel) {
      Value low = e.max(panel, f.position), high = e.min(e.add(panel, width), end);
      Value start = e.mul(panel, columns);
      Value whole = e.compare(IntPredicate::eq, e.sub(high, low), e.idx(width));
      Value squares = e.select(whole, e.floorTo(columns, squareSide), e.idx(0));
      e.loop(e.idx(0), squares, squareSide, [&](Value k) {
        for (int64_t first = 0; first < width; first += squareSide)
          transposeSquare(e.add(panel, first), k, e.add(start, e.add(e.mul(k, width), first)));
      });
      e.loop(low, high, 1, [&](Value column) {
        Value from = sourceRow(column), to = e.add(start, e.sub(column, panel));
        e.loop(squares, columns, 1, [&](Value k) {
          e.store(e.load(source, element, e.add(from, k), 0), packed, e.add(to, e.mul(k, width)), element);
        });
      });
    });
  }

  // Index of the source's row that becomes packed column or line `at`.
  Value sourceRow(Value at) { return f.rowStart(op.getSource(), e.sub(at, f.position)); }

  // Swaps bits of lane number and vector number, one after the other: the vectors then hold the transpose.
  void transposeSquare(Value column, Value k, Value to) {
    Values rows;
    for (int64_t i = 0; i < squareSide; ++i)
      rows.push_back(e.load(source, element, e.add(sourceRow(e.add(column, i)), k), squareSide));
    for (int64_t bit = 1; bit < squareSide; bit *= 2)
      for (int64_t i = 0; i < squareSide; ++i)
        if (!(i & bit)) {
          SmallVector<int64_t> low, high;
          for (int64_t lane = 0; lane < squareSide; ++lane) {
            low.push_back(lane & bit ? squareSide + (lane ^ bit) : lane);
            high.push_back(lane & bit ? squareSide + lane : lane ^ bit);
          }
          Value a = rows[i], b = rows[i + bit];
          rows[i] = e.shuffle(a, b, low);
          rows[i + bit] = e.shuffle(a, b, high);
        }
    for (int64_t i = 0; i < squareSide; ++i)
      e.store(rows[i], packed, e.add(to, i * width), element);
  }

  // Row r of the block becomes k = position + r.
  void intoLines() {
    bool pages = layoutOf(op.getPacked()) == tile::Layout::pages;
    Value depth = f.size(dimsOfBuffer(op.getPacked())[0]);
    Value panels = e.over(e.ceilTo(columns, width), width);
    Value end = e.add(f.position, f.rows);
    e.loop(f.position, end, 1, [&](Value k) {
      Value from = sourceRow(k);
      // A page is as many panels of 256 lines; else a panel has all lines.
      Value first = pages ? e.add(e.mul(e.mul(e.over(k, chunk), panels), chunk), e.within(k, chunk)) : k;
      Value lines = pages ? e.idx(chunk) : depth;
      auto copy = [&](Value column, Value mask) {
        Value index = e.add(from, column), panel = e.over(column, width);
        Value x = mask ? e.maskedLoad(source, element, index, mask) : e.load(source, element, index, width);
        e.store(x, packed, e.mul(e.add(first, e.mul(panel, lines)), width), element);
      };
      Value full = e.floorTo(columns, width);
      e.loop(e.idx(0), full, width, [&](Value column) { copy(column, {}); });
      e.when(e.compare(IntPredicate::slt, full, columns),
             [&] { copy(full, e.maskBelow(e.sub(columns, full), width)); });
    });
  }

  Frame &f;
  Emit &e;
  tile::PackOp op;
  Type element;
  int64_t width;
  Value source, packed, columns;
};

} // namespace

void emitPack(Frame &f, tile::PackOp op) { Packing(f, op).emit(); }

void emitCopy(Frame &f, tile::CopyOp op) {
  Emit &e = f.e;
  Type element = elementOfBuffer(op.getTarget());
  Value width = e.idx(1);
  for (DimAttr dim : dimsOfBuffer(op.getSource()).drop_front())
    width = e.mul(width, f.size(dim));
  // The block's rows are consecutive in both.
  Value from = e.mul(f.row0, width), to = e.mul(f.position, width);
  lineSteps(e, {e.idx(0), e.mul(f.rows, width)}, [&](Value column, Value mask) {
    Value x = canonicalized(e, loadLanes(e, f.pointer(op.getSource()), element, from, column, {}, {}, mask));
    Value index = e.add(to, column);
    if (mask)
      e.maskedStore(x, f.pointer(op.getTarget()), index, mask, element);
    else
      e.store(x, f.pointer(op.getTarget()), index, element);
  });
}

} // namespace nova::codegen
