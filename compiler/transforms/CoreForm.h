// From the stored form of a graph to its core form: concrete types, calls inlined, masks explicit (rule 6).
#ifndef NOVA_COMPILER_TRANSFORMS_COREFORM_H
#define NOVA_COMPILER_TRANSFORMS_COREFORM_H

#include "dialects/graph/NovaDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace nova {
/// Element types given to a graph's type parameters; the others take their defaults.
using TypeBindings = llvm::StringMap<mlir::Type>;

/// A module with the graph in core form, and behind it one graph for each scan with a carry:
///  - element types are concrete; `size` is `dim_value`; what was weak is explicit i64 or f64 scalar
///    arithmetic with a `cast` where it meets another type; constants have a declared type;
///  - calls are inlined, and scans without a carry are more axes (Batch.h); no `call`, no `size` is left;
///  - reductions and contractions name the entries they skip (`hidden`); `where` is a plain selection;
///  - unused values are gone, equal values are one.
/// `probes` are names of values of the entry graph (without %) that become extra results, in order, with their fills
/// materialized. `graph` must be verified, with its callees in the same module. On failure a diagnostic was emitted.
mlir::OwningOpRef<mlir::ModuleOp> buildCoreForm(GraphOp graph, const TypeBindings &types,
                                                llvm::ArrayRef<std::string> probes = {});

/// The graph of a core-form (or derived) module that the others belong to.
GraphOp coreGraph(mlir::ModuleOp module);
} // namespace nova

#endif
