// The shape and type rule of every op, for the parser and the verifier alike.
#ifndef NOVA_DIALECTS_GRAPH_SHAPES_H
#define NOVA_DIALECTS_GRAPH_SHAPES_H

#include "dialects/graph/Facts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nova {
class GraphOp;

struct InferContext {
  mlir::MLIRContext *context;
  mlir::ArrayRef<TensorType> operands;
  mlir::ArrayRef<std::string> names; // of the operands in the text, with %; may be empty
  const mlir::NamedAttrList &attributes;
  const Facts &facts;
  /// Starts an error at the op, or at operand `i` when i >= 0.
  llvm::function_ref<mlir::InFlightDiagnostic(int i)> error;
  llvm::StringRef operation; // as in the text: `add`

  template <typename A> A get(llvm::StringRef name) const { return llvm::dyn_cast_or_null<A>(attributes.get(name)); }
  std::string name(unsigned i) const;
  /// `%x: f64[n, d]`, of operand `i`.
  std::string typed(unsigned i) const;
  /// The attribute `axis`, checked to be an axis of operand 0.
  mlir::FailureOr<unsigned> axis() const;
  /// Fails with an error unless `dim` >= `bound` for all allowed sizes. `begin` writes what that means, and the smallest
  /// sizes at which it is not so follow, or that a clause can promise it.
  mlir::LogicalResult prove(DimAttr dim, int64_t bound, llvm::function_ref<void(mlir::InFlightDiagnostic &)> begin) const;
};

/// NumPy's broadcasting on symbolic dims: the common shape, or an error with the two dims, the values they came from
/// and the smallest sizes at which they differ.
mlir::FailureOr<llvm::SmallVector<DimAttr>> broadcastDims(const InferContext &context,
                                                          mlir::ArrayRef<unsigned> operands);
/// The element type that operands meet at: weak scalars take the type of the others.
mlir::FailureOr<mlir::Type> commonElement(const InferContext &context, mlir::ArrayRef<unsigned> operands);

/// Fails with an error unless operand `i` is of numbers, of a type that is computed with.
mlir::LogicalResult expectNumber(const InferContext &context, unsigned i);

// The rules that several ops share, named in NovaOps.td. Two operands broadcast; one gives its shape.
using InferResult = mlir::FailureOr<TensorType>;
/// Two numbers that meet at one element type.
InferResult inferArithmetic(const InferContext &context);
/// The same, but whole numbers among weak scalars give a fraction.
InferResult inferQuotient(const InferContext &context);
/// Two floats that meet at one element type; whole weak scalars give a fraction.
InferResult inferPower(const InferContext &context);
/// i1 from two operands that meet at one element type.
InferResult inferComparison(const InferContext &context);
/// i1 from two i1.
InferResult inferLogical(const InferContext &context);
/// A number, of the operand's element type.
InferResult inferNumber(const InferContext &context);
/// f64 or f32, of the operand's element type; whole weak scalars give a fraction.
InferResult inferFloat(const InferContext &context);
/// i1 from i1.
InferResult inferFlag(const InferContext &context);
/// A number without the axis `axis` (`drop`), or with size 1 there; `hidden` fits the operand.
InferResult inferReduction(const InferContext &context);

/// The index (i64) of an entry along `axis`, else like inferReduction.
InferResult inferArgmax(const InferContext &context);

/// Appends ", which differ at n = 1, m = 0" where a counterexample exists.
void addCounterexample(mlir::InFlightDiagnostic &diagnostic, const Facts &facts, DimAttr a, DimAttr b);

/// The facts of a graph's clauses.
Facts factsOf(GraphOp graph);
/// Creates the op of a state whose operands and attributes are complete, with its inferred type; null (and a diagnostic
/// at its location) when the operands do not fit.
mlir::Value createInferred(mlir::OpBuilder &builder, mlir::OperationState &state, const Facts &facts);
/// Creates an `OpTy` with its inferred type; null (and a diagnostic at `loc`) when the operands do not fit.
template <typename OpTy>
mlir::Value createInferred(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands, const Facts &facts,
                           mlir::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  mlir::OperationState state(loc, OpTy::getOperationName());
  state.addOperands(operands);
  state.addAttributes(attributes);
  return createInferred(builder, state, facts);
}
/// Re-infers the type of a value op already built; used by verifiers and by passes that change operand types.
mlir::FailureOr<TensorType> inferOp(mlir::Operation *op, const Facts &facts);
} // namespace nova

#endif
