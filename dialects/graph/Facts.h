// What a graph's `where` clauses say, and what follows from them: equality of dimensions for every size.
#ifndef NOVA_DIALECTS_GRAPH_FACTS_H
#define NOVA_DIALECTS_GRAPH_FACTS_H

#include "dialects/graph/Dim.h"
#include "dialects/graph/NovaTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nova {
/// Sizes are integers >= 0 that satisfy the clauses. Equalities that give a symbol (`p == 1`, `C == H * D`) are used as
/// rewrite rules, so `normalize` brings equal dimensions to one form; an equality it cannot orient only narrows the
/// search for counterexamples.
class Facts {
public:
  Facts() = default;
  explicit Facts(llvm::ArrayRef<ClauseAttr> clauses);

  DimAttr normalize(DimAttr dim) const;
  /// True when the two are equal for all sizes that the clauses allow. Never true wrongly; false means not shown.
  bool equal(DimAttr a, DimAttr b) const;
  /// True when `dim` >= `bound` for all allowed sizes (by signs, bounds of single symbols, and one clause with
  /// something non-negative added). Never true wrongly.
  bool atLeast(DimAttr dim, int64_t bound) const;
  /// True when the clauses say the contrary of `clause`, which may be one of them: no size satisfies all then. Never true
  /// wrongly; false means not shown.
  bool contradict(ClauseAttr clause) const;
  /// The smallest allowed sizes (by sum, then alphabetically) at which a != b, searched up to 8 per symbol; nothing
  /// when there is none in that range.
  std::optional<Bindings> counterexample(DimAttr a, DimAttr b) const;
  /// Likewise the smallest ones at which `dim` < `bound`.
  std::optional<Bindings> counterexample(DimAttr dim, int64_t bound) const;

private:
  bool atLeastBySigns(DimAttr dim, int64_t bound) const;
  std::optional<Bindings> smallest(llvm::ArrayRef<DimAttr> dims,
                                   llvm::function_ref<bool(const Bindings &)> wanted) const;

  llvm::SmallVector<ClauseAttr> clauses;
  llvm::SmallVector<std::pair<mlir::StringAttr, DimAttr>> rules;
  llvm::StringMap<int64_t> lower; // symbol >= value
};

/// `n = 1, m = 2`, sorted by name.
std::string toString(const Bindings &bindings);
/// Whether a clause holds; nothing when a symbol is unbound.
std::optional<bool> holds(ClauseAttr clause, const Bindings &bindings);
/// `d >= 1`.
std::string toString(ClauseAttr clause);
} // namespace nova

#endif
