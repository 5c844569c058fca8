//===- Contract.cpp - Contractions over register tiles -----------------------===//
//
// A register tile is a group of rows by a panel of columns; k runs innermost. Against `panels` a group visits four
// panels at a time and every chunk of k inside; against `pages` the chunk is outermost, so that a page stays in cache
// while every group uses it. One or two rows use four panels at once instead: as many independent sums hide the latency
// of fma.
//
// Terms beyond a row's k_limit are never multiplied: k common to all rows of a group runs in the tile, the rest in a
// short loop per row.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {
namespace {

/// Panels of columns that a group of rows visits before the next group comes.
constexpr int64_t panelsPerVisit = 4;

class Contraction {
public:
  Contraction(Frame &f, tile::ContractOp op) : f(f), e(f.e), op(op), element(elementOfBuffer(op.getC())) {
    width = panelWidth(element);
    lanes = std::min(width, f.nativeLanes(element));
    depth = f.size(dimsOfBuffer(op.getB())[0]);
    columns = f.size(dimsOfBuffer(op.getB())[1]);
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
  Value allColumns() const { return columns; }
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
  // How many of `all` a row may see under a limit: position + limit + 1, at least 0.
  Value visible(Value row, std::optional<uint64_t> limit, Value all) {
    if (!limit)
      return all;
    Value end = e.add(e.add(f.position, row), static_cast<int64_t>(*limit) + 1);
    return e.max(e.min(end, all), e.idx(0));
  }
  Value visibleDepth(Value row) { return visible(row, op.getKLimit(), depth); }
  Value visibleColumns(Value row, Value all) { return visible(row, op.getColLimit(), all); }

  // The first group with a row that sees entry `at` under `limit`.
  Value firstGroup(Value at, std::optional<uint64_t> limit) {
    if (!limit)
      return e.idx(0);
    Value row = e.sub(e.sub(at, f.position), e.idx(static_cast<int64_t>(*limit) + groupRows - 1));
    row = e.max(row, e.idx(0));
    if (groupRows == 1)
      return row;
    Value groups = e.b.createOrFold<arith::DivUIOp>(e.loc, e.add(row, groupRows - 1), e.idx(groupRows));
    return e.mul(groups, groupRows);
  }

  void panelsNest(Value from, Value to) {
    int64_t step = groupPanels * width, visit = panelsPerVisit * step;
    Value end = visibleColumns(e.sub(f.rows, e.idx(1)), to);
    e.loop(from, end, visit, [&](Value block) {
      e.loop(firstGroup(block, op.getColLimit()), f.rows, groupRows, [&](Value group) {
        Value stop = e.min(e.add(block, visit), visibleColumns(lastRowOf(group), to));
        e.loop(block, stop, step, [&](Value column) {
          Value chunks = e.max(visibleDepth(lastRowOf(group)), e.idx(1));
          e.loop(e.idx(0), chunks, chunk, [&](Value k0) { tile(group, column, k0); });
        });
      });
    });
  }

  void pagesNest(Value from, Value to) {
    // The first chunk is run in any case: it sets the totals, also where no term is visible.
    Value chunks = e.max(visibleDepth(e.sub(f.rows, e.idx(1))), e.idx(1));
    e.loop(e.idx(0), chunks, chunk, [&](Value k0) {
      Value first = e.select(isFirst(k0), e.idx(0), firstGroup(k0, op.getKLimit()));
      e.loop(first, f.rows, groupRows, [&](Value group) {
        e.loop(from, visibleColumns(lastRowOf(group), to), groupPanels * width,
               [&](Value column) { tile(group, column, k0); });
      });
    });
  }

  Value isFirst(Value k0) { return e.compare(IntPredicate::eq, k0, e.idx(0)); }

  // Index of panel `p` after `column`, for k = 0 of the whole matrix; k is `width` elements on.
  Value panelStart(Value column, int64_t p, Value k0) {
    Value panel = e.add(e.over(column, width), p);
    if (!isPages)
      return e.mul(e.mul(panel, depth), width);
    Value panels = e.over(e.ceilTo(columns, width), width);
    Value page = e.add(e.mul(e.over(k0, chunk), panels), panel);
    return e.mul(e.sub(e.mul(page, chunk), k0), width);
  }

  // One register tile over one chunk, added to its totals.
  void tile(Value group, Value column, Value k0) {
    int64_t perPanel = width / lanes;
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
    Value end = e.min(e.add(k0, chunk), visibleDepth(lastRowOf(group)));
    Value common = e.min(end, visibleDepth(group));
    Values sums = accumulate(k0, common, Values(groupRows * groupPanels * perPanel, zero()), aStart, maskStart);
    if (op.getKLimit() && groupRows > 1) {
      Value rest = e.max(k0, common);
      int64_t perRow = groupPanels * perPanel;
      for (int64_t r = 1; r < groupRows; ++r) {
        Value *mine = sums.begin() + r * perRow;
        Values more = accumulate(rest, e.min(end, visibleDepth(rowOf(group, r))), ValueRange(ArrayRef(mine, perRow)),
                                 aStart[r], op.getMask() ? ValueRange(maskStart[r]) : ValueRange());
        llvm::copy(more, mine);
      }
    }
    addToTotals(group, column, k0, sums);
  }

  Values accumulate(Value low, Value high, ValueRange inits, ValueRange aStart, ValueRange maskStart) {
    return e.loop(low, high, 1, inits, [&](Value k, ValueRange sums) {
      Value line = e.mul(k, width);
      Values bs, bHidden, next;
      for (Value start : starts)
        for (int64_t v = 0; v < width; v += lanes) {
          Value index = e.add(e.add(start, line), v);
          bs.push_back(e.load(f.pointer(op.getB()), elementOfBuffer(op.getB()), index, lanes));
          if (op.getBMask())
            bHidden.push_back(
                isNotZero(e.load(f.pointer(op.getBMask()), elementOfBuffer(op.getBMask()), index, lanes)));
        }
      for (auto [r, start] : llvm::enumerate(aStart)) {
        Value a = e.splat(e.load(f.pointer(op.getA()), element, e.add(start, k), 0), lanes);
        Value hidden =
            op.getMask() ? e.load(f.pointer(op.getMask()), e.b.getI1Type(), e.add(maskStart[r], k), 0) : Value();
        for (auto [v, b] : llvm::enumerate(bs)) {
          Value old = sums[r * bs.size() + v], fresh = multiplyAdd(a, b, old);
          fresh = hidden ? e.select(hidden, old, fresh) : fresh;
          next.push_back(op.getBMask() ? e.select(bHidden[v], old, fresh) : fresh);
        }
      }
      return next;
    });
  }

  // Totals start at +0 and every chunk is added. Branching around the stores keeps the sums in registers.
  void addToTotals(Value group, Value column, Value k0, ValueRange sums) {
    auto store = [&](bool fresh) {
      size_t i = 0;
      for (int64_t r = 0; r < groupRows; ++r) {
        Value start = e.add(e.mul(e.add(group, r), cStride), column);
        for (int64_t v = 0; v < groupPanels * width; v += lanes) {
          Value index = e.add(start, v);
          e.store(sum(fresh ? zero() : e.load(c, element, index, lanes), sums[i++]), c, index);
        }
      }
    };
    e.when(isFirst(k0), [&] { store(true); }, [&] { store(false); });
  }

  Frame &f;
  Emit &e;
  tile::ContractOp op;
  Type element;
  int64_t width, lanes, groupRows = 1, groupPanels = 1;
  Value depth, columns, c, cStride;
  bool isPages, toScratch;
  Values starts;
};

} // namespace

int64_t registerRows(const TargetInfo &target) { return target.vectorBits >= 512 ? 12 : 6; }

void emitContractMany(Frame &f, tile::ContractOp op) {
  Contraction contraction(f, op);
  contraction.nest(registerRows(f.target), 1, f.e.idx(0), contraction.allColumns());
}

void emitContractFew(Frame &f, tile::ContractOp op) {
  Contraction contraction(f, op);
  Emit &e = f.e;
  int64_t panel = contraction.panelColumns(), group = panelsPerVisit * panel;
  Value all = contraction.allColumns(), wide = e.floorTo(all, group);
  contraction.nest(1, panelsPerVisit, e.idx(0), wide);
  if (layoutOf(op.getB()) == tile::Layout::pages)
    return contraction.nest(1, 1, wide, all);
  // A panel alone takes as long as four, so the last four are computed together, some of them for the second time.
  Value last = e.sub(e.ceilTo(all, panel), e.idx(group));
  e.when(
      e.compare(IntPredicate::ugt, wide, e.idx(0)),
      [&] { e.when(e.compare(IntPredicate::ult, wide, all), [&] { contraction.nest(1, panelsPerVisit, last, all); }); },
      [&] { contraction.nest(1, 1, wide, all); });
}

void emitCopyOut(Frame &f, tile::ContractOp op) {
  Emit &e = f.e;
  Value target = op.getC(), source = f.totals(op), sourceStride = f.totalsStride(op), width = f.stride(target);
  Type element = elementOfBuffer(target);
  int64_t lanes = f.nativeLanes(element);
  Value full = e.floorTo(width, lanes);
  e.loop(e.idx(0), f.rows, 1, [&](Value row) {
    Value from = e.mul(row, sourceStride), to = f.rowStart(target, row);
    auto copy = [&](Value column, int64_t count) {
      Value x = e.load(source, element, e.add(from, column), count);
      e.store(canonicalized(e, x), f.pointer(target), e.add(to, column));
    };
    e.loop(e.idx(0), full, lanes, [&](Value column) { copy(column, lanes); });
    e.loop(full, width, 1, [&](Value column) { copy(column, 0); });
  });
}

} // namespace nova::codegen
