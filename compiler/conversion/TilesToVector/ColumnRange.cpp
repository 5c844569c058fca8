#include "compiler/conversion/TilesToVector/ColumnRange.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nova::codegen {

ColumnRange::ColumnRange(Frame &f, tile::RangeAttr range, Value count) : f(f), e(f.e), range(range), all(count) {
  if (range)
    for (DimAttr size : range.getSizes())
      sizes.push_back(f.size(size));
}

Value ColumnRange::floorDivided(Value x, int64_t by) {
  if (llvm::isPowerOf2_64(by))
    return by == 1 ? x : e.b.createOrFold<arith::ShRSIOp>(e.loc, x, e.idx(llvm::Log2_64(by)));
  Value negative = e.compare(IntPredicate::slt, x, e.idx(0));
  Value lowered = e.select(negative, e.sub(x, e.idx(by - 1)), x);
  return e.b.createOrFold<arith::DivSIOp>(e.loc, lowered, e.idx(by));
}

// At most, or at least, what the expression is at positions first .. last.
Value ColumnRange::bound(AffineExpr expression, Value first, Value last, bool upper) {
  if (isa<AffineDimExpr>(expression))
    return upper ? last : first;
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return e.idx(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return sizes[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  if (binary.getKind() == AffineExprKind::Add)
    return e.add(bound(binary.getLHS(), first, last, upper), bound(binary.getRHS(), first, last, upper));
  int64_t constant = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (binary.getKind() == AffineExprKind::FloorDiv)
    return floorDivided(bound(binary.getLHS(), first, last, upper), constant);
  return e.mul(bound(binary.getLHS(), first, last, constant < 0 ? !upper : upper), e.idx(constant));
}

tile::RangeAttr ColumnRange::piecesOf(size_t span) const {
  if (spans() == 1)
    return range;
  return tile::RangeAttr::get(range.getContext(), range.getLows()[span], range.getHighs()[span],
                              range.getGuards()[span], range.getSizes(), true);
}

// What all of these rows (or any of them, if `outside`) see of a piece; low and high may lie outside of the columns.
ColumnRange::Piece ColumnRange::pieceOf(tile::RangeAttr range, size_t i, Value firstRow, Value lastRow, bool outside) {
  Value first = f.positionOf(firstRow), last = firstRow == lastRow ? first : f.positionOf(lastRow);
  Piece piece{e.idx(0), all, {}};
  for (AffineExpr expression : range.getLows()[i].getResults())
    piece.low = e.max(piece.low, bound(expression, first, last, !outside));
  for (AffineExpr expression : range.getHighs()[i].getResults())
    piece.high = e.min(piece.high, bound(expression, first, last, outside));
  for (AffineExpr expression : range.getGuards()[i].getResults())
    piece.present =
        e.both(piece.present, e.compare(IntPredicate::sge, bound(expression, first, last, outside), e.idx(0)));
  return piece;
}

Columns ColumnRange::combine(tile::RangeAttr range, Value firstRow, Value lastRow, bool outside) {
  if (!range)
    return {e.idx(0), all};
  Columns result;
  bool alone = range.getLows().size() == 1;
  for (size_t i = 0; i < range.getLows().size(); ++i) {
    auto [low, high, present] = pieceOf(range, i, firstRow, lastRow, outside);
    if (!alone)
      present = e.both(present, e.compare(IntPredicate::slt, low, high));
    if (present) {
      low = e.select(present, low, alone ? e.idx(0) : all);
      high = e.select(present, high, e.idx(0));
    }
    result.low = result.low ? e.min(result.low, low) : low;
    result.high = result.high ? e.max(result.high, high) : high;
  }
  if (!result.low)
    return {e.idx(0), e.idx(0)};
  Value high = e.max(result.high, e.idx(0));
  return {range.mayBeginLater() ? e.min(result.low, high) : e.idx(0), high};
}

Value ColumnRange::touches(Value firstRow, Value lastRow, Columns columns) {
  Value any = e.integer(e.b.getI1Type(), range ? 0 : 1);
  for (size_t i = 0; range && i < range.getLows().size(); ++i) {
    auto [low, high, present] = pieceOf(range, i, firstRow, lastRow, /*outside=*/true);
    Value overlap = e.compare(IntPredicate::slt, e.max(low, columns.low), e.min(high, columns.high));
    any = e.b.createOrFold<arith::OrIOp>(e.loc, any, e.both(present, overlap));
  }
  return any;
}

} // namespace nova::codegen
