// What the planner knows about each value of a core graph before it forms kernels.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_VALUES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_VALUES_H

#include "dialects/graph/NovaDialect.h"
#include "dialects/tile/TileDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace nova {
/// The bytes of an entry in a buffer of rows.
inline unsigned bytesOf(mlir::Type element) { return std::max(element.getIntOrFloatBitWidth() / 8, 1u); }
inline TensorType tensorOf(mlir::Value v) { return llvm::cast<TensorType>(v.getType()); }
tile::ReduceKind kindOf(ReductionOp op);
/// A constant of one number.
bool isSplatConstant(mlir::Operation *op);

/// How an op is carried out.
enum class Role {
  Free,   // a function of indices and sizes alone: computed wherever it is read
  Row,    // row r of the result reads row r of some operands, and others whole: fuses with its like. Rows are the last
          // axis but one; the axes before are a batch of matrices
  Map,    // elementwise, transpose or slice beside all that: a loop nest of its own
  Reduce, // a reduction that is not along the rows of a matrix, or a running sum
  Gather, // rows picked by indices: a loop nest of its own
  Join,   // concat: a loop nest for each operand
  View,   // a reshape: the operand's memory under another type
  Absorbed, // a transpose that only says how a factor is packed, or the widening of a factor that is kept in fewer bits
  State,    // concat of a state and its new rows: lives in state buffers
  Carried,  // the state of a carry along the sequence: it does not grow
  Scan,     // of a scan with a carry: a loop of steps
  Data,     // a constant of several numbers
  Argument
};

/// Whether a batch of matrices is worth a kernel's call per matrix: not where they are known to be tiny.
bool isWorthBatching(TensorType type);

/// Roles of all values of a graph.
class Values {
public:
  Values(GraphOp graph, unsigned numArguments);

  Role role(mlir::Value v) const { return roles.lookup(v); }
  bool isFree(mlir::Value v) const { return role(v) == Role::Free; }
  /// Whether it lies in state buffers.
  bool isState(mlir::Value v) const { return role(v) == Role::State || role(v) == Role::Carried; }
  const Facts &getFacts() const { return facts; }
  bool isOne(DimAttr dim) const { return facts.equal(dim, one); }
  bool equal(DimAttr a, DimAttr b) const { return facts.equal(a, b); }
  DimAttr getOne() const { return one; }
  /// For a Row value: the sizes, normalized, of the axes before the last two (its batch), of its rows and columns.
  std::vector<DimAttr> batchOf(mlir::Value v) const;
  DimAttr rowsOf(mlir::Value v) const { return facts.normalize(tensorOf(v).getDims().drop_back().back()); }
  DimAttr widthOf(mlir::Value v) const { return facts.normalize(tensorOf(v).getDims().back()); }
  /// The value that lies in memory where `v` does: `v` itself unless it is a view.
  mlir::Value home(mlir::Value v) const;
  /// True when a Row op with the result `v` reads `operand` at its own row of its own instance.
  bool isAligned(mlir::Value operand, mlir::Value v) const;

private:
  Role initialRole(mlir::Operation &op, unsigned numArguments) const;
  void findRowsOfBatches(GraphOp graph);
  bool isBatchPosition(mlir::Operation *op) const;
  bool isCarriedState(mlir::BlockArgument argument, unsigned numArguments) const;
  bool isBatched(mlir::Value v) const { return tensorOf(v).getRank() > 2; }

  llvm::DenseMap<mlir::Value, Role> roles;
  Facts facts;
  DimAttr one;
};
} // namespace nova

#endif
