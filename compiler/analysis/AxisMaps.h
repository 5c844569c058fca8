// How the axes of an operation's operands and result belong together: what the analyses of rows know about operations.
#ifndef NOVA_COMPILER_ANALYSIS_AXISMAPS_H
#define NOVA_COMPILER_ANALYSIS_AXISMAPS_H

#include "dialects/graph/NovaDialect.h"
#include <optional>

namespace nova {
/// The loop nest that computes an operation: its axes, and for each axis of the result and of every operand the loop
/// that it is indexed by; below 0 for an axis of size 1 that is broadcast or kept by a reduction. A loop that no axis
/// of the result names is reduced over. Operands from `firstHidden` on are i1 values: where one is true the term is
/// skipped.
struct AxisMaps {
  llvm::SmallVector<DimAttr> loops;
  llvm::SmallVector<int> result;
  llvm::SmallVector<llvm::SmallVector<int>> operands;
  unsigned firstHidden = ~0u;
  /// Only positions along the second loop up to the position along the first one take part.
  std::optional<std::pair<int, int>> prefix = std::nullopt;

  bool isReduced(unsigned loop) const { return !llvm::is_contained(result, int(loop)); }
};

/// The maps of a core-form operation with one result; none for an operation that has no such loops. A new operation of
/// the language is added here to take part in dependence and extend.
std::optional<AxisMaps> axisMapsOf(mlir::Operation *op, const Facts &facts);
} // namespace nova

#endif
