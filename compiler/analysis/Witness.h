// Two inputs that differ only in the future, and the earlier row that changes: the proof that a graph is not causal.
#ifndef NOVA_COMPILER_ANALYSIS_WITNESS_H
#define NOVA_COMPILER_ANALYSIS_WITNESS_H

#include "compiler/analysis/Dependence.h"
#include "compiler/reference/Tensor.h"
#include <string>
#include <vector>

namespace nova {
struct Witness {
  Bindings sizes;
  /// The arguments of the two runs. They differ in row `changedRow` of argument `argument`; or, when `grown`, the
  /// second has one row more on every argument that carries the sequence, and `changedRow` is that row.
  std::vector<reference::Tensor> before, after;
  bool grown = false;
  unsigned argument = 0;
  int64_t changedRow = 0;
  /// The first result that changed, and its first row before `changedRow` that did, alone along the sequence; the whole
  /// result and row 0 when the result has no rows.
  unsigned result = 0;
  int64_t row = 0;
  bool hasRows = true;
  reference::Tensor rowBefore, rowAfter;

  /// Sizes, the two inputs, the row that changed: a few lines.
  std::string text(GraphOp core) const;
};

/// Runs `core` on small inputs in the interpreter, with up to 6 rows and the other sizes as small as the clauses allow,
/// until an earlier row changes with a later one. None when nothing was found (the answer is then open), or when an
/// argument or result carries the sequence on several axes. The time is bounded: large graphs are tried on fewer
/// inputs.
std::optional<Witness> findWitness(GraphOp core, const Dependence &dependence);
} // namespace nova

#endif
