// Integer polynomials over symbols: the sizes of axes. Normal form, so equality for every size is attribute equality.
#ifndef NOVA_DIALECTS_GRAPH_DIM_H
#define NOVA_DIALECTS_GRAPH_DIM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>

namespace nova {
class DimAttr;

/// Values of symbols.
using Bindings = llvm::StringMap<int64_t>;

/// Each of these returns a null attribute when a coefficient leaves the range of int64_t, or when the polynomial
/// becomes larger than any size of a tensor needs: a degree above 64 or more than 1024 terms.
DimAttr constantDim(mlir::MLIRContext *context, int64_t value);
DimAttr symbolDim(mlir::MLIRContext *context, llvm::StringRef name);
DimAttr addDims(DimAttr a, DimAttr b);
DimAttr subtractDims(DimAttr a, DimAttr b);
DimAttr multiplyDims(DimAttr a, DimAttr b);
/// `dim` with every occurrence of `symbol` replaced by `value`.
DimAttr substituteDim(DimAttr dim, mlir::StringAttr symbol, DimAttr value);

/// The quotient where `term` is a single term that divides every term of `dim`; else null.
DimAttr divideByTerm(DimAttr dim, DimAttr term);

/// The value where `dim` is a constant.
std::optional<int64_t> constantValue(DimAttr dim);
/// The symbol where `dim` is a symbol alone, else null.
mlir::StringAttr asSymbol(DimAttr dim);
/// True when `symbol` occurs in `dim`.
bool mentions(DimAttr dim, mlir::StringAttr symbol);
/// True when the polynomial is >= `bound` for all symbols >= 0 by its signs alone (a sufficient test).
bool triviallyAtLeast(DimAttr dim, int64_t bound);
/// The value for these bindings; none when a symbol is unbound or the value leaves int64_t.
std::optional<int64_t> evaluateDim(DimAttr dim, const Bindings &bindings);

/// The text of graphs: `n`, `H * D`, `n + t - 1`.
std::string toString(DimAttr dim);
/// `[n, d]`.
std::string toString(llvm::ArrayRef<DimAttr> dims);
} // namespace nova

#endif
