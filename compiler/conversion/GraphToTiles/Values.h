// What the planner knows about each value of a core graph before it forms kernels.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_VALUES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_VALUES_H

#include "dialects/graph/NovaDialect.h"
#include "dialects/tile/TileDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace nova {
inline TensorType tensorOf(mlir::Value v) { return llvm::cast<TensorType>(v.getType()); }
tile::ReduceKind kindOf(ReductionOp op);
/// A constant of one number.
bool isSplatConstant(mlir::Operation *op);

/// How an op is carried out.
enum class Role {
  Free,     // a function of indices and sizes alone: computed wherever it is read
  Row,      // row r of the result reads row r of some operands, and others whole: fuses with its like
  Map,      // elementwise, transpose or slice on other shapes: a loop nest of its own
  Reduce,   // a reduction that is not along the rows of a matrix, or a running sum
  Gather,   // rows picked by indices: a loop nest of its own
  Join,     // concat: a loop nest for each operand
  View,     // a reshape: the operand's memory under another type
  Absorbed, // a transpose that only says how a factor is packed
  State,    // concat of a state and its new rows: lives in state buffers
  Data,     // a constant of several numbers
  Argument
};

/// Roles of all values of a graph.
class Values {
public:
  Values(GraphOp graph, unsigned numArguments, unsigned numResults);

  Role role(mlir::Value v) const { return roles.lookup(v); }
  bool isFree(mlir::Value v) const { return role(v) == Role::Free; }
  const Facts &getFacts() const { return facts; }
  bool isOne(DimAttr dim) const { return facts.equal(dim, one); }
  bool equal(DimAttr a, DimAttr b) const { return facts.equal(a, b); }
  DimAttr getOne() const { return one; }
  /// For a Row value: its number of rows, normalized.
  DimAttr rowsOf(mlir::Value v) const { return facts.normalize(tensorOf(v).getDims()[0]); }
  /// The value that lies in memory where `v` does: `v` itself unless it is a view.
  mlir::Value home(mlir::Value v) const;
  /// True when `operand` of a Row op with `rows` rows is read at the op's own row.
  bool isAligned(mlir::Value operand, DimAttr rows) const;

private:
  llvm::DenseMap<mlir::Value, Role> roles;
  Facts facts;
  DimAttr one;
};
} // namespace nova

#endif
