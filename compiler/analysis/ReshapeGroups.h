// Which axes of a reshaped value belong together: what a reshape keeps of the structure of its operand.
#ifndef NOVA_COMPILER_ANALYSIS_RESHAPEGROUPS_H
#define NOVA_COMPILER_ANALYSIS_RESHAPEGROUPS_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Axes before a reshape and the axes that the same entries lie along after it, in row-major order on both sides.
struct ReshapeGroup {
  llvm::SmallVector<unsigned, 2> from, to;
  /// One axis that stays what it is.
  bool isAxis() const { return from.size() == 1 && to.size() == 1; }
};

/// The groups, as small as `facts` show, in the order of the axes; axes of size 1 belong to none. The two shapes have
/// equally many entries.
llvm::SmallVector<ReshapeGroup> reshapeGroups(llvm::ArrayRef<DimAttr> from, llvm::ArrayRef<DimAttr> to,
                                              const Facts &facts);

/// For each axis before the reshape the axis after it that is the same one; below 0 for an axis of size 1 and for one
/// that is merged or split.
llvm::SmallVector<int> axesAfterReshape(llvm::ArrayRef<DimAttr> from, llvm::ArrayRef<DimAttr> to, const Facts &facts);
} // namespace nova

#endif
