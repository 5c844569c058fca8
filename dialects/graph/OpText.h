// Text of the value ops: one parse and one print function per shape of syntax, named in NovaOps.td.
#ifndef NOVA_DIALECTS_GRAPH_OPTEXT_H
#define NOVA_DIALECTS_GRAPH_OPTEXT_H

#include "dialects/graph/Shapes.h"
#include "mlir/IR/OpImplementation.h"

namespace nova {
/// What a syntax function fills in: operands, their types and names from the scope, attributes on the state.
struct ParsedOperands {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<TensorType> types;
  llvm::SmallVector<std::string> names;
};
using SyntaxFn = mlir::ParseResult (*)(mlir::OpAsmParser &, mlir::OperationState &, ParsedOperands &);
using InferFn = mlir::FailureOr<TensorType> (*)(const InferContext &);

/// Parses the operands by `syntax`, infers the result type, records the value's name and type in the scope.
mlir::ParseResult parseValueOp(mlir::OpAsmParser &parser, mlir::OperationState &state, SyntaxFn syntax, InferFn infer);
/// One operand that the scope knows; reports unknown names.
mlir::ParseResult parseScopedOperand(mlir::OpAsmParser &parser, ParsedOperands &parsed);
/// Gives the names kept in locations back to the printer.
void setResultNames(mlir::Operation *op, mlir::OpAsmSetValueNameFn set);
/// Refuses a line without a name for its value: `exp %x`.
mlir::ParseResult expectNames(mlir::OpAsmParser &parser, const mlir::OperationState &state);
/// Records result `i` of the op being parsed under its name in the text, and the name in the location.
void defineResult(mlir::OpAsmParser &parser, mlir::OperationState &state, unsigned i, mlir::Type type);
/// The name of a value in the text (with %), or "" when it has none.
std::string valueName(mlir::Value value);
/// Whether a name that valueName gave is a number or missing. Such a name holds in its text alone: printing counts
/// anew.
bool isNumbered(llvm::StringRef valueName);
/// `loc` with the names (without %, "" for none) of all results of an op in place of those that it carries.
mlir::Location namedLocation(mlir::Location loc, llvm::ArrayRef<mlir::StringAttr> names);

/// The axis after operands, as an attribute.
mlir::ParseResult parseAxisAttr(mlir::OpAsmParser &parser, mlir::OperationState &state);
/// A dimension that uses no other symbols than those of the graph's arguments, as the attribute `name`.
mlir::ParseResult parseDimAttr(mlir::OpAsmParser &parser, mlir::OperationState &state, llvm::StringRef name);
/// A list of such dimensions, as the attribute `dims`.
mlir::ParseResult parseDimsAttr(mlir::OpAsmParser &parser, mlir::OperationState &state);

#define NOVA_SYNTAX(NAME)                                                                                              \
  mlir::ParseResult parse##NAME(mlir::OpAsmParser &, mlir::OperationState &, ParsedOperands &);                        \
  void print##NAME(mlir::Operation *, mlir::OpAsmPrinter &);
NOVA_SYNTAX(Plain)     // op %a, %b
NOVA_SYNTAX(Axis)      // size %x, 1
NOVA_SYNTAX(Reduce)    // reduce_sum %x, 1 drop hidden %m | cumulative_sum %x, 1 hidden %m
NOVA_SYNTAX(Constant)  // constant 0.5 | constant [1.0, 2.0] : f64[2]
NOVA_SYNTAX(Iota)      // iota 0 : [n, 1] from t
NOVA_SYNTAX(DimValue)  // dim_value n + 1
NOVA_SYNTAX(Cast)      // cast %x : f32
NOVA_SYNTAX(Transpose) // transpose %x, [1, 0]
NOVA_SYNTAX(Shape)     // reshape %x : [n, H, D]
NOVA_SYNTAX(Slice)     // slice %x, 1 from h size h step 2
NOVA_SYNTAX(Pad)       // pad %x, 1 low a high b, %value
NOVA_SYNTAX(Gather)    // gather %x, %i, 1 batch 1
NOVA_SYNTAX(Matmul)    // matmul %a hidden %m, %b
mlir::ParseResult parseConcat(mlir::OpAsmParser &, mlir::OperationState &, ParsedOperands &); // concat %a, %b, 0
#undef NOVA_SYNTAX
} // namespace nova

#endif
