// The sizes of a graph as columns of integer sets: its symbols, and products of symbols as symbols of their own.
#ifndef NOVA_COMPILER_ANALYSIS_SIZECOLUMNS_H
#define NOVA_COMPILER_ANALYSIS_SIZECOLUMNS_H

#include "dialects/graph/NovaDialect.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace nova {
/// MLIR's Presburger sets are linear in their symbols, so each product of symbols that occurs in a dimension (`H * D`)
/// is a column that is only known to be >= 0: every answer stays an over-approximation. Dimensions are taken in the
/// normal form that the graph's clauses give. Reads the graph once and keeps no reference to its operations.
class SizeColumns {
public:
  explicit SizeColumns(GraphOp graph);

  const Facts &getFacts() const { return facts; }
  /// The number of columns.
  unsigned count() const { return monomials.size(); }
  /// False for a space so large that a linear program over it takes too much memory; masks of such a graph are taken as
  /// data.
  bool allows(size_t rank) const { return rank <= 64 && count() <= 128; }
  /// The symbol of a column; null where it stands for a product.
  mlir::StringAttr symbol(unsigned column) const { return asSymbol(monomials[column]); }
  /// The product of symbols that a column stands for.
  DimAttr monomial(unsigned column) const { return monomials[column]; }

  /// One coefficient per column, then the constant; none when a product of symbols in `dim` occurs nowhere in the
  /// graph.
  std::optional<llvm::SmallVector<int64_t>> coefficients(DimAttr dim) const;
  /// The dimension with these coefficients; null when it leaves the range of int64_t.
  DimAttr toDim(llvm::ArrayRef<int64_t> coefficients) const;

  /// A space of `rank` axes over the columns.
  mlir::presburger::PresburgerSpace space(unsigned rank) const;
  /// All positions inside axes of these sizes, for all sizes >= 0 that the clauses allow.
  mlir::presburger::IntegerPolyhedron positions(llvm::ArrayRef<DimAttr> dims) const;

private:
  void add(DimAttr dim);

  mlir::MLIRContext *context;
  Facts facts;
  llvm::SmallVector<ClauseAttr> clauses;
  llvm::SmallVector<DimAttr> monomials;
  llvm::DenseMap<DimAttr, unsigned> columns;
  llvm::DenseMap<DimAttr, std::optional<llvm::SmallVector<int64_t>>> known;
};
} // namespace nova

#endif
