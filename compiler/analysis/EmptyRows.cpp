#include "compiler/analysis/EmptyRows.h"
#include "compiler/analysis/AxisMaps.h"
#include "mlir/Analysis/Presburger/PWMAFunction.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::IntegerRelation;
using presburger::PresburgerSet;
using presburger::VarKind;

namespace nova {
std::string EmptyRow::text() const {
  std::string name = valueName(hidden);
  std::string text = (name.empty() ? "the mask" : name) + " may hide all of axis " + std::to_string(axis);
  if (byData)
    return text + ": depending on data a row may have nothing visible";
  if (!sizes)
    return text + ": a row has nothing visible";
  text += ": row ";
  for (auto [i, position] : llvm::enumerate(row))
    text += (i ? ", " : "") + std::to_string(position);
  return text + " has nothing visible at " + toString(*sizes);
}

namespace {
class Search {
public:
  Search(const MaskAnalysis &masks, Value hidden, ArrayRef<int> maskAxes, ArrayRef<DimAttr> dims, unsigned axis)
      : columns(masks.getColumns()), mask(masks.get(hidden)), maskAxes(maskAxes), dims(dims), axis(axis) {}

  // Positions of rows (all axes but the reduced one) of which every entry may be hidden.
  PresburgerSet emptyRows() const;
  // The smallest sizes and the row in `set`: none when it is empty.
  std::optional<SmallVector<int64_t>> smallest(const PresburgerSet &set) const;

private:
  const SizeColumns &columns;
  Mask mask;
  ArrayRef<int> maskAxes;
  ArrayRef<DimAttr> dims;
  unsigned axis;
};
} // namespace

PresburgerSet Search::emptyRows() const {
  unsigned rank = dims.size();
  PresburgerSet visible = embed(mask.exact ? mask.mayFail : mask.mayHold.complement(), maskAxes, rank);
  visible = visible.intersect(PresburgerSet(columns.positions(dims)));
  // The rows where a visible entry exists are those where there is a least one. The symbolic minimum is asked for
  // rather than an existential variable: the difference below is exact only for the divisions that the minimum
  // introduces.
  PresburgerSet withVisible = PresburgerSet::getEmpty(columns.space(rank - 1));
  for (IntegerRelation entry : visible.getAllDisjuncts()) {
    entry.convertVarKind(VarKind::SetDim, axis + 1, rank, VarKind::Domain);
    entry.convertVarKind(VarKind::SetDim, 0, axis, VarKind::Domain, 0);
    withVisible.unionInPlace(entry.findSymbolicIntegerLexMin().lexopt.getDomain());
  }
  SmallVector<DimAttr> rowDims(dims);
  rowDims.erase(rowDims.begin() + axis);
  IntegerPolyhedron rows = columns.positions(rowDims);
  if (auto size = columns.coefficients(dims[axis])) {
    SmallVector<int64_t> atLeastOne(rank - 1, 0);
    llvm::append_range(atLeastOne, *size);
    atLeastOne.back() -= 1;
    rows.addInequality(atLeastOne);
  }
  return PresburgerSet(rows).subtract(withVisible);
}

std::optional<SmallVector<int64_t>> Search::smallest(const PresburgerSet &set) const {
  std::optional<SmallVector<int64_t>> best;
  for (IntegerRelation disjunct : set.getAllDisjuncts()) {
    // Sizes first, so that the least point in lexical order has the least sizes.
    disjunct.convertVarKind(VarKind::Symbol, 0, disjunct.getNumSymbolVars(), VarKind::SetDim, 0);
    auto point = disjunct.findIntegerLexMin();
    if (!point.isBounded() ||
        llvm::any_of(*point, [](const llvm::DynamicAPInt &v) { return v > INT64_MAX || v < INT64_MIN; }))
      continue;
    SmallVector<int64_t> values =
        llvm::map_to_vector(*point, [](const llvm::DynamicAPInt &v) { return int64fromDynamicAPInt(v); });
    values.resize(columns.count() + dims.size() - 1);
    if (!best || std::lexicographical_compare(values.begin(), values.end(), best->begin(), best->end()))
      best = values;
  }
  return best;
}

static std::optional<EmptyRow> find(const MaskAnalysis &masks, Operation *op, Value hidden, ArrayRef<int> maskLoops,
                                    ArrayRef<int> valueLoops, const AxisMaps &maps) {
  // The masked operand's axes: the mask's loops are among its loops.
  SmallVector<DimAttr> dims;
  for (int loop : valueLoops)
    dims.push_back(loop < 0 ? constantDim(op->getContext(), 1) : maps.loops[loop]);
  const int *reduced = llvm::find_if(valueLoops, [&](int loop) { return loop >= 0 && maps.isReduced(loop); });
  SmallVector<int> maskAxes;
  for (int loop : maskLoops)
    maskAxes.push_back(loop < 0 ? -1 : int(llvm::find(valueLoops, loop) - valueLoops.begin()));
  unsigned axis = reduced - valueLoops.begin();
  Search search(masks, hidden, maskAxes, dims, axis);
  std::optional<SmallVector<int64_t>> point = search.smallest(search.emptyRows());
  if (!point)
    return std::nullopt;
  const SizeColumns &columns = masks.getColumns();
  EmptyRow result{op, hidden, axis, !masks.get(hidden).exact, Bindings(), {}};
  for (unsigned c = 0; c < columns.count(); c++) {
    if (StringAttr symbol = columns.symbol(c))
      (*result.sizes)[symbol.getValue()] = (*point)[c];
  }
  for (unsigned c = 0; c < columns.count() && result.sizes; c++)
    if (evaluateDim(columns.monomial(c), *result.sizes) != (*point)[c])
      result.sizes.reset();
  result.row.assign(point->begin() + columns.count(), point->end());
  return result;
}

std::vector<EmptyRow> findEmptyRows(GraphOp core) {
  MaskAnalysis masks(core);
  std::vector<EmptyRow> rows;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  for (Operation &op : core.getBlock()) {
    std::optional<AxisMaps> maps = axisMapsOf(&op, masks.getColumns().getFacts());
    // A running sum of nothing is where every running sum begins.
    if (!maps || maps->prefix || !masks.getColumns().allows(maps->loops.size()))
      continue;
    for (unsigned i = maps->firstHidden; i < op.getNumOperands(); i++) {
      // A contraction's masks stand in the order of its factors, and either may be missing.
      unsigned value = 0;
      if (auto matmul = dyn_cast<MatmulOp>(&op))
        value = i == 2 && matmul.getLhsHidden() ? 0 : 1;
      Value hidden = op.getOperand(i);
      const SmallVector<int> &loops = maps->operands[value];
      unsigned axis =
          llvm::find_if(loops, [&](int loop) { return loop >= 0 && maps->isReduced(loop); }) - loops.begin();
      if (!seen.insert({hidden, axis}).second)
        continue;
      if (auto row = find(masks, &op, hidden, maps->operands[i], loops, *maps))
        rows.push_back(std::move(*row));
    }
  }
  return rows;
}
} // namespace nova
