#include "compiler/analysis/VisibleColumns.h"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::IntegerRelation;
using presburger::PresburgerSet;

namespace nova {
namespace {
// More of them cost more at run time than the work they leave out.
constexpr size_t maxPieces = 4, maxBounds = 8;

class Finder {
public:
  Finder(const MaskAnalysis &masks, Value hidden, DimAttr firstRow)
      : columns(masks.getColumns()), type(cast<TensorType>(hidden.getType())), rank(type.getRank()), colAxis(rank - 1),
        mask(masks.get(hidden)), firstRow(firstRow), positions(columns.positions(type.getDims())) {}
  std::optional<VisibleColumns> run();

private:
  using Row = SmallVector<int64_t, 8>;
  std::optional<SmallVector<Row>> bounds(const IntegerRelation &disjunct) const;
  bool isEmpty(ArrayRef<Row> rows) const;
  bool isInterval() const;
  std::optional<AffineExpr> rest(const Row &row, int64_t sign);
  std::optional<VisibleColumns::Piece> piece(ArrayRef<Row> rows);
  Row negated(const Row &row) const;

  const SizeColumns &columns;
  TensorType type;
  unsigned rank, colAxis;
  Mask mask;
  DimAttr firstRow;
  IntegerPolyhedron positions;
  VisibleColumns result;
  DenseMap<unsigned, unsigned> symbols; // of a column of sizes
};
} // namespace

// The integers for which row >= 0 does not hold: -row - 1 >= 0.
Finder::Row Finder::negated(const Row &row) const {
  Row result;
  for (int64_t x : row)
    result.push_back(-x);
  result.back() -= 1;
  return result;
}

bool Finder::isEmpty(ArrayRef<Row> rows) const {
  IntegerPolyhedron set = positions;
  for (const Row &row : rows)
    set.addInequality(row);
  return set.isIntegerEmpty();
}

// The inequalities that say more than that positions lie inside the axes; none for a disjunct without any position.
std::optional<SmallVector<Finder::Row>> Finder::bounds(const IntegerRelation &disjunct) const {
  SmallVector<Row> rows;
  for (unsigned i = 0; i < disjunct.getNumInequalities(); ++i)
    rows.push_back(disjunct.getInequality64(i));
  for (unsigned i = 0; i < disjunct.getNumEqualities(); ++i) {
    Row row = disjunct.getEquality64(i), opposite = negated(row);
    opposite.back() += 1;
    rows.push_back(row);
    rows.push_back(opposite);
  }
  if (isEmpty(rows))
    return std::nullopt;
  for (size_t i = 0; i < rows.size();) {
    SmallVector<Row> others(rows);
    others[i] = negated(rows[i]);
    if (isEmpty(others))
      rows.erase(rows.begin() + i);
    else
      ++i;
  }
  return rows;
}

// No row sees a, hides b and sees c where a < b < c.
bool Finder::isInterval() const {
  if (!mask.exact)
    return false;
  DimAttr one = constantDim(type.getContext(), 1), width = type.getDims()[colAxis];
  DimAttr rows = rank > 1 ? type.getDims()[rank - 2] : one;
  enum { rowVar, first, middle, last, vars };
  auto along = [&](const PresburgerSet &set, int column) {
    SmallVector<int> axes(rank, -1);
    axes[colAxis] = column;
    if (rank > 1)
      axes[rank - 2] = rowVar;
    return embed(set, axes, vars);
  };
  PresburgerSet a = along(mask.mayFail, first), b = along(mask.mayHold, middle), c = along(mask.mayFail, last);
  IntegerRelation inOrder = columns.positions({rows, width, width, width});
  for (auto [low, high] : {std::pair(first, middle), std::pair(middle, last)}) {
    SmallVector<int64_t> row(vars + columns.count() + 1, 0);
    row[low] = -1;
    row[high] = 1;
    row.back() = -1;
    inOrder.addInequality(row);
  }
  for (const IntegerRelation &x : a.getAllDisjuncts())
    for (const IntegerRelation &y : b.getAllDisjuncts())
      for (const IntegerRelation &z : c.getAllDisjuncts())
        if (!inOrder.intersect(x).intersect(y).intersect(z).isIntegerEmpty())
          return false;
  return true;
}

// `sign` times all of `row` but its column, in the position p and the sizes.
std::optional<AffineExpr> Finder::rest(const Row &row, int64_t sign) {
  MLIRContext *context = type.getContext();
  int64_t perRow = rank > 1 ? sign * row[rank - 2] : 0;
  Row sizes;
  for (int64_t size : ArrayRef(row).drop_front(rank))
    sizes.push_back(sign * size);
  if (firstRow && perRow) {
    auto first = columns.coefficients(firstRow);
    if (!first)
      return std::nullopt;
    for (auto [size, x] : llvm::zip_equal(sizes, *first))
      size -= perRow * x;
  }
  AffineExpr sum = getAffineDimExpr(0, context) * perRow + sizes.back();
  for (auto [k, coefficient] : llvm::enumerate(ArrayRef(sizes).drop_back())) {
    if (!coefficient)
      continue;
    auto [it, fresh] = symbols.try_emplace(k, result.sizes.size());
    if (fresh)
      result.sizes.push_back(columns.monomial(k));
    sum = sum + getAffineSymbolExpr(it->second, context) * coefficient;
  }
  return sum;
}

std::optional<VisibleColumns::Piece> Finder::piece(ArrayRef<Row> rows) {
  SmallVector<AffineExpr> low, high, guard;
  for (const Row &row : rows) {
    int64_t perColumn = row[colAxis];
    std::optional<AffineExpr> others = rest(row, perColumn > 0 ? -1 : 1);
    if (!others)
      return std::nullopt;
    if (perColumn > 0) // column >= others / perColumn, rounded up
      low.push_back((*others + (perColumn - 1)).floorDiv(perColumn));
    else if (perColumn < 0)
      high.push_back(others->floorDiv(-perColumn) + 1);
    else
      guard.push_back(*others);
  }
  auto map = [&](ArrayRef<AffineExpr> results) { return AffineMap::get(1, 0, results, type.getContext()); };
  return VisibleColumns::Piece{map(low), map(high), map(guard)};
}

std::optional<VisibleColumns> Finder::run() {
  PresburgerSet visible = mask.mayFail.coalesce();
  for (const IntegerRelation &disjunct : visible.getAllDisjuncts()) {
    std::optional<SmallVector<Row>> rows = bounds(disjunct);
    if (!rows)
      continue;
    if (rows->size() > maxBounds || (rows->empty() && !mask.exact))
      return std::nullopt;
    std::optional<VisibleColumns::Piece> found = piece(*rows);
    if (!found || result.pieces.size() == maxPieces)
      return std::nullopt;
    result.pieces.push_back(*found);
  }
  for (VisibleColumns::Piece &piece : result.pieces)
    for (AffineMap *map : {&piece.low, &piece.high, &piece.guard})
      *map = AffineMap::get(1, result.sizes.size(), map->getResults(), type.getContext());
  result.isInterval = isInterval();
  return std::move(result);
}

std::optional<VisibleColumns> visibleColumns(const MaskAnalysis &masks, Value hidden, DimAttr firstRow) {
  unsigned rank = cast<TensorType>(hidden.getType()).getRank();
  if (rank == 0 || !masks.getColumns().allows(rank))
    return std::nullopt;
  return Finder(masks, hidden, firstRow).run();
}
} // namespace nova
