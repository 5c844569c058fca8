//===- Contract.cpp - Contractions over register tiles -----------------------===//
//
// A register tile is a group of rows by a panel of columns; k runs innermost. Against `panels` a group visits four
// panels at a time and every chunk of k inside; against `pages` the chunk is outermost, and four panels of a page stay
// in cache while every group uses them. A group that is not full computes its last row again, so there are smaller
// groups too, for numbers of rows that these waste less on. One or two rows use four panels at once instead: as many
// independent sums hide the latency of fma.
//
// Hidden terms are never multiplied: k that all rows of a group see runs in the tile, the rest before and behind it in
// short loops per row. Chunks and panels without any visible entry are passed over.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/ColumnRange.h"
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {
namespace {

/// Panels of columns that a group of rows visits before the next group comes.
constexpr int64_t panelsPerVisit = 4;

class Contraction {
public:
  Contraction(Frame &f, tile::ContractOp op)
      : f(f), e(f.e), op(op), element(elementOfBuffer(op.getC())),
        visibleTerms(f, op.getTermsAttr(), f.size(dimsOfBuffer(op.getB())[0])) {
    width = panelWidth(element);
    lanes = std::min(width, f.nativeLanes(element));
    depth = visibleTerms.count();
    columns = f.size(dimsOfBuffer(op.getB())[1]);
    std::tie(from, to) = f.columnsOf(columns);
    isPages = layoutOf(op.getB()) == tile::Layout::pages;
    toScratch = !isGlobal(op.getC());
    c = toScratch ? f.pointer(op.getC()) : f.totals(op);
    cStride = toScratch ? f.stride(op.getC()) : f.totalsStride(op);
  }

  /// Columns of panels [from, to) in steps of `panels`, groups of `rows` rows.
  void nest(int64_t rows, int64_t panels, Value from, Value to) {
    groupRows = rows;
    groupPanels = panels;
    isPages ? pagesNest(from, to) : panelsNest(from, to);
  }
  Value firstColumn() const { return from; }
  Value endColumn() const { return to; }
  int64_t panelColumns() const { return width; }

private:
  Type vectorType() const { return shaped(element, lanes); }
  bool isFloat() const { return isa<FloatType>(element); }
  Value zero() { return isFloat() ? e.real(vectorType(), 0.0) : e.integer(vectorType(), 0); }
  Value multiplyAdd(Value x, Value y, Value sum) {
    return isFloat() ? e.fma(x, y, sum) : e.op<arith::AddIOp>(sum, e.op<arith::MulIOp>(x, y));
  }
  Value isNotZero(Value x) {
    return isFloat() ? e.compare(FloatPredicate::UNE, x, zero()) : e.compare(IntPredicate::ne, x, zero());
  }
  Value sum(Value x, Value y) { return isFloat() ? e.op<arith::AddFOp>(x, y) : e.op<arith::AddIOp>(x, y); }

  Value rowOf(Value group, int64_t r) { return r ? e.min(e.add(group, r), e.sub(f.rows, e.idx(1))) : group; }
  Value lastRowOf(Value group) { return rowOf(group, groupRows - 1); }

  void panelsNest(Value from, Value to) {
    int64_t step = groupPanels * width, visit = panelsPerVisit * step;
    ColumnRange seen(f, op.getColumnsAttr(), to);
    Columns all = seen.around(e.idx(0), e.sub(f.rows, e.idx(1)));
    Value skipped = e.max(e.sub(all.low, from), e.idx(0));
    e.loop(e.add(from, e.floorTo(skipped, visit)), all.high, visit, [&](Value block) {
      e.loop(e.idx(0), f.rows, groupRows, [&](Value group) {
        Columns own = seen.around(group, lastRowOf(group));
        if (seen.mayHaveGaps())
          own.high = e.select(seen.touches(group, lastRowOf(group), {block, e.add(block, visit)}), own.high, block);
        Columns chunks = chunksOf(group, lastRowOf(group));
        e.loop(firstPanel(seen, own, block), e.min(e.add(block, visit), own.high), step, [&](Value column) {
          e.loop(chunks.low, chunks.high, chunk, [&](Value k0) { tile(group, column, k0, chunks.low); });
        });
      });
    });
  }

  void pagesNest(Value from, Value to) {
    int64_t step = groupPanels * width, visit = panelsPerVisit * width;
    ColumnRange seen(f, op.getColumnsAttr(), to);
    Columns chunks = chunksOf(e.idx(0), e.sub(f.rows, e.idx(1)));
    e.loop(chunks.low, chunks.high, chunk, [&](Value k0) {
      e.loop(from, to, visit, [&](Value block) {
        e.loop(e.idx(0), f.rows, groupRows, [&](Value group) {
          Columns own = seen.around(group, lastRowOf(group));
          auto panels = [&] {
            e.loop(firstPanel(seen, own, block), e.min(e.add(block, visit), own.high), step,
                   [&](Value column) { tile(group, column, k0, chunks.low); });
          };
          if (!op.getTerms())
            return panels();
          Value any = visibleTerms.touches(group, lastRowOf(group), {k0, e.add(k0, chunk)});
          e.when(e.op<arith::OrIOp>(any, e.compare(IntPredicate::eq, k0, chunks.low)), panels);
        });
      });
    });
  }

  // Where the panels begin that a group looks at, counted from `from`.
  Value firstPanel(const ColumnRange &seen, Columns own, Value from) {
    if (!seen.mayBeginLater())
      return from;
    return e.add(from, e.floorTo(e.max(e.sub(own.low, from), e.idx(0)), groupPanels * width));
  }

  // The chunks in which some of these rows see a term. There is one in any case, which sets the totals.
  Columns chunksOf(Value first, Value last) {
    Columns terms = visibleTerms.around(first, last);
    Value low = e.floorTo(terms.low, chunk);
    return {low, e.max(terms.high, e.add(low, 1))};
  }

  // Index of panel `p` after `column`, for k = 0 of the whole matrix; k is `width` elements on.
  Value panelStart(Value column, int64_t p, Value k0) {
    Value panel = e.add(e.over(column, width), p);
    if (!isPages)
      return e.mul(e.mul(panel, depth), width);
    Value panels = e.over(e.ceilTo(columns, width), width);
    Value page = e.add(e.mul(e.over(k0, chunk), panels), panel);
    return e.mul(e.sub(e.mul(page, chunk), k0), width);
  }

  // One register tile over one chunk, added to its totals, which begin with chunk `first`.
  void tile(Value group, Value column, Value k0, Value first) {
    int64_t perPanel = width / lanes, perRow = groupPanels * perPanel;
    starts.clear();
    for (int64_t p = 0; p < groupPanels; ++p)
      starts.push_back(panelStart(column, p, k0));
    Values aStart, maskStart;
    for (int64_t r = 0; r < groupRows; ++r) {
      Value row = rowOf(group, r);
      aStart.push_back(f.rowStart(op.getA(), row));
      if (op.getMask())
        maskStart.push_back(f.rowStart(op.getMask(), row));
    }
    Value end = e.min(e.add(k0, chunk), visibleTerms.count());
    Values sums = f.target.freeOrder ? totals(group, column, k0, first) : Values(groupRows * perRow, zero());
    for (size_t span = 0; span < visibleTerms.spans(); ++span)
      sums = overSpan(span, group, k0, end, sums, aStart, maskStart);
    addToTotals(group, column, k0, first, sums);
  }

  // Adds the visible terms of a span from k0 to `end`: what only some rows see before and behind what all see.
  Values overSpan(size_t span, Value group, Value k0, Value end, Values sums, ValueRange aStart, ValueRange maskStart) {
    int64_t perRow = sums.size() / groupRows;
    auto alone = [&](int64_t r, Value from, Value to) {
      Value *mine = sums.begin() + r * perRow;
      Values more = accumulate(from, to, ValueRange(ArrayRef(mine, perRow)), aStart[r],
                               maskStart.empty() ? ValueRange() : ValueRange(maskStart[r]));
      llvm::copy(more, mine);
    };
    bool late = visibleTerms.mayBeginLater(), apart = op.getTerms() && groupRows > 1;
    Columns shared = visibleTerms.shared(span, group, lastRowOf(group));
    if (apart && late)
      for (int64_t r = 0; r < groupRows; ++r) {
        Columns own = visibleTerms.of(span, rowOf(group, r));
        alone(r, e.max(k0, own.low), e.min(e.min(end, own.high), shared.low));
      }
    sums = accumulate(late ? e.max(k0, shared.low) : k0, e.min(end, shared.high), sums, aStart, maskStart);
    if (apart)
      for (int64_t r = visibleTerms.isNested() ? 1 : 0; r < groupRows; ++r) {
        Columns own = visibleTerms.of(span, rowOf(group, r));
        Value rest = e.max(k0, shared.high);
        alone(r, late ? e.max(rest, own.low) : rest, e.min(end, own.high));
      }
    return sums;
  }

  Values accumulate(Value low, Value high, ValueRange inits, ValueRange aStart, ValueRange maskStart) {
    return e.loop(low, high, 1, inits, [&](Value k, ValueRange sums) {
      Value line = e.mul(k, width);
      Values bs, bHidden, next;
      for (Value start : starts)
        for (int64_t v = 0; v < width; v += lanes) {
          Value index = e.add(e.add(start, line), v);
          bs.push_back(e.load(f.pointer(op.getB()), elementOfBuffer(op.getB()), index, lanes));
          if (isPages && groupPanels == 1 && v == 0) // the panel that comes next
            e.prefetch(f.pointer(op.getB()), elementOfBuffer(op.getB()), e.add(index, chunk * width));
          if (op.getBMask())
            bHidden.push_back(
                isNotZero(e.load(f.pointer(op.getBMask()), elementOfBuffer(op.getBMask()), index, lanes)));
        }
      for (auto [r, start] : llvm::enumerate(aStart)) {
        Value a = e.splat(e.load(f.pointer(op.getA()), element, e.add(start, k), 0), lanes);
        Value hidden =
            !maskStart.empty() ? e.load(f.pointer(op.getMask()), e.b.getI1Type(), e.add(maskStart[r], k), 0) : Value();
        for (auto [v, b] : llvm::enumerate(bs)) {
          Value old = sums[r * bs.size() + v], fresh = multiplyAdd(a, b, old);
          fresh = hidden ? e.select(hidden, old, fresh) : fresh;
          next.push_back(op.getBMask() ? e.select(bHidden[v], old, fresh) : fresh);
        }
      }
      return next;
    });
  }

  // Where sums go on over chunks: what there is so far.
  Values totals(Value group, Value column, Value k0, Value first) {
    Values old;
    for (int64_t r = 0; r < groupRows; ++r) {
      Value start = e.add(e.mul(e.add(group, r), cStride), column);
      for (int64_t v = 0; v < groupPanels * width; v += lanes)
        old.push_back(e.load(c, element, e.add(start, v), lanes));
    }
    Value fresh = e.compare(IntPredicate::eq, k0, first);
    return e.choose(fresh, [&] { return Values(old.size(), zero()); }, [&] { return old; });
  }

  // Totals start at +0 and every chunk is added. Branching around the stores keeps the sums in registers.
  void addToTotals(Value group, Value column, Value k0, Value first, ValueRange sums) {
    auto store = [&](bool fresh) {
      size_t i = 0;
      for (int64_t r = 0; r < groupRows; ++r) {
        Value start = e.add(e.mul(e.add(group, r), cStride), column);
        for (int64_t v = 0; v < groupPanels * width; v += lanes) {
          Value index = e.add(start, v);
          Value before = fresh || f.target.freeOrder ? zero() : e.load(c, element, index, lanes);
          e.store(sum(before, sums[i++]), c, index);
        }
      }
    };
    e.when(e.compare(IntPredicate::eq, k0, first), [&] { store(true); }, [&] { store(false); });
  }

  Frame &f;
  Emit &e;
  tile::ContractOp op;
  Type element;
  ColumnRange visibleTerms;
  int64_t width, lanes, groupRows = 1, groupPanels = 1;
  Value depth, columns, from, to, c, cStride;
  bool isPages, toScratch;
  Values starts;
};

} // namespace

int64_t registerRows(const TargetInfo &target) { return target.vectorBits >= 512 ? 12 : 6; }

int64_t smallRegisterRows(const TargetInfo &target) { return registerRows(target) / 3 * 2; }

void emitContractMany(Frame &f, tile::ContractOp op, int64_t groupRows) {
  Contraction contraction(f, op);
  contraction.nest(groupRows, 1, contraction.firstColumn(), contraction.endColumn());
}

void emitContractFew(Frame &f, tile::ContractOp op) {
  Contraction contraction(f, op);
  Emit &e = f.e;
  int64_t panel = contraction.panelColumns(), group = panelsPerVisit * panel;
  Value from = contraction.firstColumn(), to = contraction.endColumn();
  Value wide = e.add(from, e.floorTo(e.sub(to, from), group));
  contraction.nest(1, panelsPerVisit, from, wide);
  if (layoutOf(op.getB()) == tile::Layout::pages) {
    Value pairs = e.add(wide, e.floorTo(e.sub(to, wide), 2 * panel));
    contraction.nest(1, 2, wide, pairs);
    return contraction.nest(1, 1, pairs, to);
  }
  // A panel alone takes as long as four, so the last four are computed together, some of them for the second time.
  Value last = e.sub(e.ceilTo(to, panel), e.idx(group));
  e.when(
      e.compare(IntPredicate::ugt, wide, from),
      [&] { e.when(e.compare(IntPredicate::ult, wide, to), [&] { contraction.nest(1, panelsPerVisit, last, to); }); },
      [&] { contraction.nest(1, 1, wide, to); });
}

void emitCopyOut(Frame &f, tile::ContractOp op) {
  Emit &e = f.e;
  Value target = op.getC(), source = f.totals(op), sourceStride = f.totalsStride(op);
  auto [first, end] = f.columnsOf(f.stride(target));
  Type element = elementOfBuffer(target);
  int64_t lanes = f.nativeLanes(element); // the first column is that of a panel
  Value full = e.floorTo(end, lanes);
  e.loop(e.idx(0), f.rows, 1, [&, first = first, end = end](Value row) {
    Value from = e.mul(row, sourceStride), to = f.rowStart(target, row);
    auto copy = [&](Value column, int64_t count) {
      Value x = e.load(source, element, e.add(from, column), count);
      e.store(canonicalized(e, x), f.pointer(target), e.add(to, column));
    };
    e.loop(first, full, lanes, [&](Value column) { copy(column, lanes); });
    e.loop(e.max(first, full), end, 1, [&](Value column) { copy(column, 0); });
  });
}

} // namespace nova::codegen
