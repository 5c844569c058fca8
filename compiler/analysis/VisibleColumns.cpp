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
  using Row = SmallVector<int64_t, 8>; // axes, size columns, quotients, the constant
  struct Quotient {
    Row dividend; // of quotients only earlier ones
    int64_t divisor;
    bool ofColumn; // or of quotients of the column
  };
  struct Disjunct {
    SmallVector<Row> rows; // each >= 0
    SmallVector<Quotient> quotients;
  };
  /// The inequalities that say more than that positions lie inside the axes. False where they cannot be had.
  bool read(const IntegerRelation &relation, Disjunct &disjunct) const;
  Row withoutUnits(Row row, const Disjunct &disjunct) const;
  bool isEmpty(const Disjunct &disjunct, ArrayRef<Row> rows) const;
  bool isInterval() const;
  bool add(const IntegerRelation &relation);
  bool putInOrder(ArrayRef<IntegerRelation> visible);
  bool areInOrder(const IntegerRelation &earlier, const IntegerRelation &later) const;
  PresburgerSet along(const PresburgerSet &set, int column, unsigned variables) const;
  IntegerRelation increasing(unsigned variables) const;
  std::optional<AffineExpr> withoutColumn(const Row &row, const Disjunct &disjunct, int64_t sign);
  bool addBound(const Row &row, const Disjunct &disjunct);

  const SizeColumns &columns;
  TensorType type;
  unsigned rank, colAxis;
  Mask mask;
  DimAttr firstRow;
  IntegerPolyhedron positions;
  VisibleColumns result;
  DenseMap<unsigned, unsigned> symbols;     // of a column of sizes
  SmallVector<AffineExpr> low, high, guard; // of the piece at hand
  bool allSaid = true;                      // no bound was left out
};
} // namespace

// The integers for which row >= 0 does not hold: -row - 1 >= 0.
static SmallVector<int64_t, 8> negated(ArrayRef<int64_t> row) {
  SmallVector<int64_t, 8> result;
  for (int64_t x : row)
    result.push_back(-x);
  result.back() -= 1;
  return result;
}

bool Finder::isEmpty(const Disjunct &disjunct, ArrayRef<Row> rows) const {
  IntegerPolyhedron set = positions;
  for (const Quotient &quotient : disjunct.quotients) {
    Row dividend = quotient.dividend;
    dividend.erase(dividend.begin() + set.getNumVars(), dividend.end() - 1);
    set.addLocalFloorDiv(dividend, quotient.divisor);
  }
  for (const Row &row : rows)
    set.addInequality(row);
  return set.isIntegerEmpty();
}

// The row with what is divided by 1 in the place of the quotient: two quotients that are equal are found in this form.
Finder::Row Finder::withoutUnits(Row row, const Disjunct &disjunct) const {
  for (auto [i, quotient] : llvm::enumerate(disjunct.quotients)) {
    int64_t factor = row[rank + columns.count() + i];
    if (quotient.divisor != 1 || !factor)
      continue;
    row[rank + columns.count() + i] = 0;
    for (auto [x, y] : llvm::zip_equal(row, quotient.dividend))
      x += factor * y;
  }
  return row;
}

bool Finder::read(const IntegerRelation &relation, Disjunct &disjunct) const {
  unsigned known = rank + columns.count(), count = relation.getNumLocalVars();
  presburger::DivisionRepr divisions = relation.getLocalReprs();
  if (!divisions.hasAllReprs())
    return false;
  // In an order in which each is of earlier ones only.
  SmallVector<unsigned> order;
  auto inOrder = [&](Row row) {
    Row moved(row);
    for (unsigned i = 0; i < count; ++i)
      moved[known + i] = i < order.size() ? row[known + order[i]] : 0;
    return moved;
  };
  for (bool found = true; found && order.size() < count;) {
    found = false;
    for (unsigned i = 0; i < count && !found; ++i) {
      Row dividend = presburger::getInt64Vec(divisions.getDividend(i));
      bool isNext = !llvm::is_contained(order, i);
      for (unsigned k = 0; k < count; ++k)
        isNext &= !dividend[known + k] || llvm::is_contained(order, k);
      if (!isNext)
        continue;
      dividend = withoutUnits(inOrder(dividend), disjunct);
      bool ofColumn = dividend[colAxis] != 0;
      for (auto [k, other] : llvm::enumerate(disjunct.quotients))
        ofColumn |= dividend[known + k] && other.ofColumn;
      disjunct.quotients.push_back({dividend, int64fromDynamicAPInt(divisions.getDenom(i)), ofColumn});
      order.push_back(i);
      found = true;
    }
  }
  if (order.size() < count)
    return false;
  SmallVector<Row> &rows = disjunct.rows;
  for (unsigned i = 0; i < relation.getNumInequalities(); ++i)
    rows.push_back(withoutUnits(inOrder(relation.getInequality64(i)), disjunct));
  for (unsigned i = 0; i < relation.getNumEqualities(); ++i) {
    Row row = withoutUnits(inOrder(relation.getEquality64(i)), disjunct), opposite = negated(row);
    opposite.back() += 1;
    rows.push_back(row);
    rows.push_back(opposite);
  }
  if (isEmpty(disjunct, rows))
    return true;
  for (size_t i = 0; i < rows.size();) {
    SmallVector<Row> others(rows);
    others[i] = negated(rows[i]);
    if (isEmpty(disjunct, others))
      rows.erase(rows.begin() + i);
    else
      ++i;
  }
  return true;
}

// Sets over (row, column, column, ...): `set` with its column as variable `column`.
PresburgerSet Finder::along(const PresburgerSet &set, int column, unsigned variables) const {
  SmallVector<int> axes(rank, -1);
  axes[colAxis] = column;
  if (rank > 1)
    axes[rank - 2] = 0;
  return embed(set, axes, variables);
}

// Columns that grow strictly from one to the next.
IntegerRelation Finder::increasing(unsigned variables) const {
  SmallVector<DimAttr> dims(variables, type.getDims()[colAxis]);
  dims[0] = rank > 1 ? type.getDims()[rank - 2] : constantDim(type.getContext(), 1);
  IntegerRelation set = columns.positions(dims);
  for (unsigned column = 2; column < variables; ++column) {
    SmallVector<int64_t> row(variables + columns.count() + 1, 0);
    row[column - 1] = -1;
    row[column] = 1;
    row.back() = -1;
    set.addInequality(row);
  }
  return set;
}

// No row sees a, hides b and sees c where a < b < c.
bool Finder::isInterval() const {
  PresburgerSet a = along(mask.mayFail, 1, 4), b = along(mask.mayHold, 2, 4), c = along(mask.mayFail, 3, 4);
  IntegerRelation inOrder = increasing(4);
  for (const IntegerRelation &x : a.getAllDisjuncts())
    for (const IntegerRelation &y : b.getAllDisjuncts())
      for (const IntegerRelation &z : c.getAllDisjuncts())
        if (!inOrder.intersect(x).intersect(y).intersect(z).isIntegerEmpty())
          return false;
  return true;
}

// No row has a column of `later` before one of `earlier`.
bool Finder::areInOrder(const IntegerRelation &earlier, const IntegerRelation &later) const {
  IntegerRelation wrong = increasing(3)
                              .intersect(along(PresburgerSet(IntegerPolyhedron(later)), 1, 3).getDisjunct(0))
                              .intersect(along(PresburgerSet(IntegerPolyhedron(earlier)), 2, 3).getDisjunct(0));
  return wrong.isIntegerEmpty();
}

// Finds an order of the parts in which each, less those before it, is one piece that lies behind them in every row.
bool Finder::putInOrder(ArrayRef<IntegerRelation> visible) {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, visible.size()));
  do {
    std::vector<IntegerRelation> parts;
    PresburgerSet before = PresburgerSet::getEmpty(columns.space(rank));
    bool found = true;
    for (unsigned k : order) {
      PresburgerSet part = PresburgerSet(IntegerPolyhedron(visible[k].intersect(positions))).subtract(before);
      before.unionInPlace(visible[k]);
      size_t known = parts.size();
      for (const IntegerRelation &relation : part.getAllDisjuncts())
        if (!relation.isIntegerEmpty())
          parts.push_back(relation);
      found &= parts.size() <= known + 1;
      for (size_t i = 0; found && i < known && parts.size() > known; ++i)
        found = areInOrder(parts[i], parts.back());
      if (!found)
        break;
    }
    if (!found)
      continue;
    result.pieces.clear();
    if (llvm::all_of(parts, [&](const IntegerRelation &part) { return add(part); }) && allSaid)
      return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

// `sign` times a row, less its column and the quotients of the column, in the position p and the sizes.
std::optional<AffineExpr> Finder::withoutColumn(const Row &row, const Disjunct &disjunct, int64_t sign) {
  MLIRContext *context = type.getContext();
  int64_t perRow = rank > 1 ? sign * row[rank - 2] : 0;
  SmallVector<int64_t> sizes;
  for (unsigned k = 0; k < columns.count(); ++k)
    sizes.push_back(sign * row[rank + k]);
  sizes.push_back(sign * row.back());
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
  for (auto [i, quotient] : llvm::enumerate(disjunct.quotients)) {
    int64_t factor = sign * row[rank + columns.count() + i];
    if (!factor || quotient.ofColumn)
      continue;
    std::optional<AffineExpr> dividend = withoutColumn(quotient.dividend, disjunct, 1);
    if (!dividend)
      return std::nullopt;
    sum = sum + dividend->floorDiv(quotient.divisor) * factor;
  }
  return sum;
}

// Adds what row >= 0 says of the column: factor * column + others >= 0, where a quotient of the column by a constant
// may stand for the column. False where it is of no such form.
bool Finder::addBound(const Row &row, const Disjunct &disjunct) {
  unsigned known = rank + columns.count();
  int64_t factor = row[colAxis];
  const Quotient *ofColumn = nullptr;
  for (auto [i, quotient] : llvm::enumerate(disjunct.quotients)) {
    if (!row[known + i] || !quotient.ofColumn)
      continue;
    bool isNested = false;
    for (size_t k = 0; k < i; ++k)
      isNested |= quotient.dividend[known + k] && disjunct.quotients[k].ofColumn;
    if (factor || isNested)
      return false;
    factor = row[known + i];
    ofColumn = &quotient;
  }
  std::optional<AffineExpr> others = withoutColumn(row, disjunct, factor > 0 ? -1 : 1);
  if (!others)
    return false;
  if (!factor) {
    guard.push_back(*others);
    return true;
  }
  // x >= others / factor, rounded up, or x <= others / -factor, rounded down, where x is the column or its quotient.
  bool isLow = factor > 0;
  AffineExpr end = isLow ? (*others + (factor - 1)).floorDiv(factor) : others->floorDiv(-factor);
  if (ofColumn) {
    // floor(y / d) >= end means y >= d * end, and floor(y / d) <= end means y <= d * end + d - 1; y is the dividend.
    std::optional<AffineExpr> rest = withoutColumn(ofColumn->dividend, disjunct, 1);
    if (!rest)
      return false;
    int64_t each = ofColumn->dividend[colAxis];
    end = end * ofColumn->divisor + (isLow ? 0 : ofColumn->divisor - 1) - *rest;
    if (each < 0) {
      isLow = !isLow;
      end = -end;
      each = -each;
    }
    end = isLow ? (end + (each - 1)).floorDiv(each) : end.floorDiv(each);
  }
  isLow ? low.push_back(end) : high.push_back(end + 1);
  return true;
}

// The piece of one part of the set. False where its bounds cannot be had, or are too many.
bool Finder::add(const IntegerRelation &relation) {
  Disjunct disjunct;
  if (!read(relation, disjunct))
    return false;
  if (isEmpty(disjunct, disjunct.rows))
    return true;
  low.clear(), high.clear(), guard.clear();
  for (const Row &row : disjunct.rows)
    allSaid &= addBound(row, disjunct);
  if (result.pieces.size() == maxPieces || low.size() + high.size() + guard.size() > maxBounds)
    return false;
  auto map = [&](ArrayRef<AffineExpr> results) { return AffineMap::get(1, 0, results, type.getContext()); };
  result.pieces.push_back({map(low), map(high), map(guard)});
  return true;
}

std::optional<VisibleColumns> Finder::run() {
  // Coalescing may drop inequalities by which a quotient is known.
  bool hasQuotients = llvm::any_of(mask.mayFail.getAllDisjuncts(),
                                   [](const IntegerRelation &relation) { return relation.getNumLocalVars() != 0; });
  PresburgerSet visible = hasQuotients ? mask.mayFail : mask.mayFail.coalesce();
  if (!llvm::all_of(visible.getAllDisjuncts(), [&](const IntegerRelation &part) { return add(part); }))
    return std::nullopt;
  result.kind = !mask.exact || !allSaid ? VisibleColumns::Bounds
                : isInterval()          ? VisibleColumns::Interval
                                        : VisibleColumns::Union;
  auto saysNothing = [](const VisibleColumns::Piece &piece) {
    return !piece.low.getNumResults() && !piece.high.getNumResults() && !piece.guard.getNumResults();
  };
  if (result.kind == VisibleColumns::Bounds && llvm::any_of(result.pieces, saysNothing))
    return std::nullopt;
  if (result.kind == VisibleColumns::Union) {
    SmallVector<VisibleColumns::Piece> pieces = result.pieces;
    if (pieces.size() <= 3 && putInOrder(visible.getAllDisjuncts()))
      result.kind = VisibleColumns::InOrder;
    else
      result.pieces = pieces;
  }
  for (VisibleColumns::Piece &piece : result.pieces)
    for (AffineMap *map : {&piece.low, &piece.high, &piece.guard})
      *map = AffineMap::get(1, result.sizes.size(), map->getResults(), type.getContext());
  return std::move(result);
}

std::optional<VisibleColumns> visibleColumns(const MaskAnalysis &masks, Value hidden, DimAttr firstRow) {
  unsigned rank = cast<TensorType>(hidden.getType()).getRank();
  if (rank == 0 || !masks.getColumns().allows(rank))
    return std::nullopt;
  return Finder(masks, hidden, firstRow).run();
}
} // namespace nova
