// The words of a graph's text: dimensions, types, literals. Each parse function reports its own error.
#ifndef NOVA_DIALECTS_GRAPH_TEXT_H
#define NOVA_DIALECTS_GRAPH_TEXT_H

#include "dialects/graph/Dim.h"
#include "mlir/IR/OpImplementation.h"

namespace nova {
class ClauseAttr;
class TensorType;

mlir::FailureOr<DimAttr> parseDim(mlir::AsmParser &parser);
/// The axes a tensor may have in a text: compile time grows faster than the rank.
constexpr size_t maxRank = 16;
/// `[n, d]`.
mlir::ParseResult parseDims(mlir::AsmParser &parser, llvm::SmallVectorImpl<DimAttr> &dims);
/// `f64`, `f32`, `i64`, `i32`, `i1`, `bf16`, `f16`, `i8`, or another word: an element-type parameter. MLIR's generic
/// form also has words for the weak scalars, which no graph writes.
mlir::FailureOr<mlir::Type> parseElementType(mlir::AsmParser &parser, bool allowWeak = false);
/// `f64[n, d]`.
mlir::FailureOr<TensorType> parseTensorType(mlir::AsmParser &parser, bool allowWeak = false);
mlir::FailureOr<ClauseAttr> parseClause(mlir::AsmParser &parser);
/// Starts an error without MLIR's mention of the op's name.
mlir::InFlightDiagnostic errorAt(mlir::AsmParser &parser, llvm::SMLoc loc);
/// Consumes a `-` that belongs neither to `->` nor to a number; MLIR's parser has no call for it.
bool parseOptionalMinus(mlir::AsmParser &parser);

/// A number as written: `3`, `-2.5`, `1.0e-3`, `inf`, `-inf`, `nan`, `true`, `false`.
struct Literal {
  enum Kind { Int, Float, Bool } kind;
  int64_t integer = 0; // Int, Bool
  double real = 0;     // Float; NaN is the canonical one
  llvm::SMLoc loc;
};
mlir::FailureOr<Literal> parseLiteral(mlir::AsmParser &parser);
/// Why an element type does not hold a number that is written in a text, or "": an integer out of its range, a finite
/// number that would become infinite, one that is not zero and would become zero. A number that rounds is held.
std::string rangeProblem(int64_t number, mlir::Type element);
std::string rangeProblem(double number, mlir::Type element);
/// The shortest text that reads back to the same bits, always with a dot, an exponent or a name.
std::string literalText(double value);

/// The element types of graphs, for messages.
llvm::StringRef elementTypeList();
/// The element type as in the text of graphs (`f64`, `T`).
std::string elementText(mlir::Type element);
/// The text of graphs for one of our types; MLIR's for another.
std::string toString(mlir::Type type);
} // namespace nova

#endif
