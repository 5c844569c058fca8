// The dialect `nova`: types, attributes and operations of graphs. Ops are declared in NovaOps.td.
#ifndef NOVA_DIALECTS_GRAPH_NOVADIALECT_H
#define NOVA_DIALECTS_GRAPH_NOVADIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/graph/NovaTypes.h"
#include "dialects/graph/OpText.h"
#include "dialects/graph/Shapes.h"
#include "dialects/graph/Traits.h"

#include "dialects/graph/NovaInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/NovaOps.h.inc"

namespace nova {
/// Registers the dialect and the alias that lets a file begin with a bare `graph`.
void registerGraphDialect(mlir::DialectRegistry &registry);
} // namespace nova

#endif
