#include "compiler/analysis/SizeColumns.h"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::PresburgerSpace;

namespace nova {
// The terms of a dimension: the product of symbols (the dimension 1 for the constant term) and its coefficient. A
// product is null where an exponent leaves the range of int64_t.
static SmallVector<std::pair<DimAttr, int64_t>> termsOf(DimAttr dim) {
  SmallVector<std::pair<DimAttr, int64_t>> result;
  ArrayRef<int64_t> terms = dim.getTerms();
  size_t width = dim.getAtoms().size() + 1;
  for (size_t at = 0; at + width <= terms.size(); at += width) {
    DimAttr product = constantDim(dim.getContext(), 1);
    for (size_t k = 1; k < width; k++)
      for (int64_t e = 0; product && e < terms[at + k]; e++)
        product =
            multiplyDims(product, symbolDim(dim.getContext(), cast<StringAttr>(dim.getAtoms()[k - 1]).getValue()));
    result.emplace_back(product, terms[at]);
  }
  return result;
}

SizeColumns::SizeColumns(GraphOp graph) : context(graph.getContext()), facts(factsOf(graph)) {
  auto addType = [&](Type type) {
    for (DimAttr dim : cast<TensorType>(type).getDims())
      add(dim);
  };
  for (Attribute clause : graph.getClauses()) {
    clauses.push_back(cast<ClauseAttr>(clause));
    add(clauses.back().getLhs());
    add(clauses.back().getRhs());
  }
  for (BlockArgument argument : graph.getBlock().getArguments())
    addType(argument.getType());
  for (Operation &op : graph.getBlock()) {
    for (Type type : op.getResultTypes())
      addType(type);
    if (auto size = dyn_cast<DimValueOp>(op))
      add(size.getDim());
    if (auto iota = dyn_cast<IotaOp>(op); iota && iota.getFromAttr())
      add(iota.getFromAttr());
  }
  // Only now are all columns known, and with them the width of every row of coefficients.
  for (auto &[dim, row] : known) {
    row.emplace(count() + 1, 0);
    for (auto [product, coefficient] : termsOf(facts.normalize(dim))) {
      if (!product) {
        row.reset();
        break;
      }
      (*row)[constantValue(product) ? count() : columns.lookup(product)] = coefficient;
    }
  }
}

void SizeColumns::add(DimAttr dim) {
  if (!known.try_emplace(dim).second)
    return;
  for (auto [product, coefficient] : termsOf(facts.normalize(dim)))
    if (product && !constantValue(product) && columns.try_emplace(product, count()).second)
      monomials.push_back(product);
}

std::optional<SmallVector<int64_t>> SizeColumns::coefficients(DimAttr dim) const {
  if (auto it = known.find(dim); it != known.end())
    return it->second;
  SmallVector<int64_t> row(count() + 1, 0);
  for (auto [product, coefficient] : termsOf(facts.normalize(dim))) {
    auto it = product ? columns.find(product) : columns.end();
    bool constant = product && constantValue(product);
    if (!constant && it == columns.end())
      return std::nullopt;
    row[constant ? count() : it->second] = coefficient;
  }
  return row;
}

DimAttr SizeColumns::toDim(ArrayRef<int64_t> row) const {
  DimAttr sum = constantDim(context, row.back());
  for (unsigned i = 0; i < count() && sum; i++)
    if (row[i]) {
      DimAttr term = multiplyDims(monomials[i], constantDim(context, row[i]));
      sum = term ? addDims(sum, term) : DimAttr();
    }
  return sum;
}

PresburgerSpace SizeColumns::space(unsigned rank) const { return PresburgerSpace::getSetSpace(rank, count()); }

IntegerPolyhedron SizeColumns::positions(ArrayRef<DimAttr> dims) const {
  unsigned rank = dims.size();
  IntegerPolyhedron set(space(rank));
  auto row = [&](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> r(rank, 0);
    llvm::append_range(r, sizes);
    return r;
  };
  for (unsigned i = 0; i < rank + count(); i++)
    set.addBound(presburger::BoundType::LB, i, 0);
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (auto size = coefficients(dim)) {
      SmallVector<int64_t> below = row(*size);
      below[axis] = -1;
      below.back() -= 1;
      set.addInequality(below);
    }
  for (ClauseAttr clause : clauses) {
    StringRef relation = clause.getRelation().getValue();
    bool swapped = relation.starts_with("<");
    DimAttr difference =
        swapped ? subtractDims(clause.getRhs(), clause.getLhs()) : subtractDims(clause.getLhs(), clause.getRhs());
    auto sizes = difference ? coefficients(difference) : std::nullopt;
    if (!sizes || sizes->back() == INT64_MIN)
      continue;
    if (relation == "==") {
      set.addEquality(row(*sizes));
      continue;
    }
    if (relation == ">" || relation == "<")
      sizes->back() -= 1;
    set.addInequality(row(*sizes));
  }
  return set;
}
} // namespace nova
