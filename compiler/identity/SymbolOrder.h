// An order of a graph's size symbols that depends on where they occur, never on their names.
#ifndef NOVA_COMPILER_IDENTITY_SYMBOLORDER_H
#define NOVA_COMPILER_IDENTITY_SYMBOLORDER_H

#include "dialects/graph/NovaTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace nova {
/// A dimension with its symbols numbered: terms in a fixed order, each a coefficient and (symbol, exponent) pairs.
struct NumberedTerm {
  int64_t coefficient;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> factors;
  bool operator<(const NumberedTerm &other) const {
    return std::tie(factors, coefficient) < std::tie(other.factors, other.coefficient);
  }
  bool operator==(const NumberedTerm &other) const {
    return coefficient == other.coefficient && factors == other.factors;
  }
};
using NumberedDim = llvm::SmallVector<NumberedTerm, 2>;

/// A numbering of symbols.
class SymbolOrder {
public:
  /// Numbers the symbols of `dims` and `clauses`. Symbols are numbered by the first of `dims` in which they occur;
  /// among symbols that first occur together (`f64[H * D]`) the other dims and the clauses decide. Renaming all symbols
  /// at once, or another order or repetition of the clauses, gives the same numbering, up to an exchange that leaves
  /// every dim and the set of clauses as they are.
  static SymbolOrder of(llvm::ArrayRef<DimAttr> dims, llvm::ArrayRef<ClauseAttr> clauses);

  /// Symbols by number.
  llvm::ArrayRef<mlir::StringAttr> symbols() const { return list; }
  /// The number of a symbol that occurred in the dims or clauses.
  unsigned number(mlir::StringAttr symbol) const { return numbers.lookup(symbol); }
  NumberedDim number(DimAttr dim) const;

private:
  llvm::SmallVector<mlir::StringAttr> list;
  llvm::DenseMap<mlir::StringAttr, unsigned> numbers;
};

/// `dim` with its symbols numbered by `number`, terms sorted.
NumberedDim numberDim(DimAttr dim, llvm::function_ref<unsigned(mlir::StringAttr)> number);
} // namespace nova

#endif
