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

#endif
