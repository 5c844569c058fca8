// Types and attributes of the dialect `nova`, without its operations.
#ifndef NOVA_DIALECTS_GRAPH_NOVATYPES_H
#define NOVA_DIALECTS_GRAPH_NOVATYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/graph/NovaDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/NovaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/graph/NovaTypes.h.inc"

namespace nova {
/// An element type that values are kept in but not computed with: bf16, f16, i8, and i4, of which two share a byte.
/// Casts, `where` and the ops that move entries act on it, no others.
inline bool isStorage(mlir::Type element) {
  return element.isBF16() || element.isF16() || element.isInteger(8) || element.isInteger(4);
}
} // namespace nova

#endif
