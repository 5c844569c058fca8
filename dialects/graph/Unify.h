// The symbols of a called graph in terms of the caller's sizes.
#ifndef NOVA_DIALECTS_GRAPH_UNIFY_H
#define NOVA_DIALECTS_GRAPH_UNIFY_H

#include "dialects/graph/Dim.h"
#include "dialects/graph/NovaTypes.h"
#include "llvm/ADT/MapVector.h"

namespace nova {
using SymbolBindings = llvm::MapVector<mlir::StringAttr, DimAttr>;

/// Binds the symbols of `theirs` (the sizes of the arguments that a graph declares) so that they become `ours` (the
/// sizes that it is given), pair by pair. A size that is one symbol alone binds it, at its first occurrence; then,
/// while that helps, a size in which one symbol is left, linearly and times a number or a product: `2 * h` against `2 *
/// k` gives h = k. Whether all pairs agree then is for the caller to check.
SymbolBindings bindSymbols(llvm::ArrayRef<std::pair<DimAttr, DimAttr>> pairs);
/// `dim` with all symbols replaced at once; null when it leaves the range of dimensions. Symbols without a binding
/// stay.
DimAttr substituteSymbols(DimAttr dim, const SymbolBindings &bindings);
} // namespace nova

#endif
