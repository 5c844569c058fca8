// What an op of the dialect is, for passes that treat all ops of a kind alike. NovaOps.td says which op has which
// trait.
#ifndef NOVA_DIALECTS_GRAPH_TRAITS_H
#define NOVA_DIALECTS_GRAPH_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace nova {
/// Entries of the result depend on the operands' entries at the same index, after broadcasting.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};
/// Elementwise, i1 from two operands that meet at one element type.
template <typename Op> class Comparison : public mlir::OpTrait::TraitBase<Op, Comparison> {};
/// Elementwise, and so slow that a value is kept rather than computed twice.
template <typename Op> class Costly : public mlir::OpTrait::TraitBase<Op, Costly> {};

// An op may be null, as the definition of a block argument is: then none of them.
inline bool isElementwise(mlir::Operation *op) { return op && op->hasTrait<Elementwise>(); }
inline bool isComparison(mlir::Operation *op) { return op && op->hasTrait<Comparison>(); }
inline bool isCostly(mlir::Operation *op) { return op && op->hasTrait<Costly>(); }
} // namespace nova

#endif
