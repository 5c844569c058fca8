// One graph of an extend: the entry, or one that a scan runs.
#ifndef NOVA_COMPILER_TRANSFORMS_DERIVE_EXTENDEDGRAPH_H
#define NOVA_COMPILER_TRANSFORMS_DERIVE_EXTENDEDGRAPH_H

#include "compiler/transforms/derive/Versions.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace nova {
/// What all graphs of one extend share.
struct ExtendWords {
  mlir::ModuleOp module; // where they go
  mlir::StringAttr sequence;
  DimAttr past, rows, allRows; // t, m, t + m
  Facts facts;                 // of the core graphs: they have the same clauses
};

/// Builds the extend of one core graph, and of those that its scans run, into the module of `words`.
class ExtendedGraph {
public:
  ExtendedGraph(const ExtendWords &words, GraphOp core, const NeededVersions &needed);
  mlir::LogicalResult build();

  GraphOp getGraph() const { return extended; }
  /// How many of its last arguments and results are states: its own, and those of its scans.
  unsigned getNumStates() const { return numStates; }

private:
  struct Scan {
    ScanOp op;
    std::unique_ptr<ExtendedGraph> body;
    bool along;                                  // the sequence: the carry is the state
    llvm::SmallVector<mlir::BlockArgument> past; // its states
    llvm::SmallVector<mlir::Value> states;       // their new values
  };

  mlir::LogicalResult buildBodies();
  DimAttr rename(DimAttr dim) const;
  llvm::SmallVector<DimAttr> dimsOf(mlir::Value value, Version version) const;
  mlir::ArrayAttr clauses();
  void addArguments();
  void addState(mlir::Value value);
  mlir::LogicalResult compute(mlir::Operation *op, Version version);
  mlir::LogicalResult computeScan(Scan &scan);
  mlir::Value isFirst(mlir::Location loc);
  void close();
  void setAttributes(mlir::Operation *op, Version version, mlir::NamedAttrList &attributes) const;
  void setSlice(SliceOp slice, Version version, mlir::NamedAttrList &attributes) const;
  mlir::Value newRows(mlir::Value all, unsigned axis, mlir::Location loc);
  mlir::Value transposed(mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> permutation);
  mlir::Location named(mlir::Value value, llvm::StringRef suffix) const;

  const ExtendWords &words;
  GraphOp core, extended;
  const NeededVersions &needed;
  mlir::MLIRContext *context;
  Facts extendedFacts; // of the new graph
  mlir::OpBuilder builder;
  unsigned numStates = 0;
  llvm::StringSet<> argumentNames;
  llvm::SmallVector<mlir::BlockArgument> stateArguments;
  std::vector<Scan> scans;
  llvm::DenseMap<std::pair<mlir::Value, Version>, mlir::Value> values;
  llvm::DenseMap<mlir::Value, mlir::Value> newStates;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> transposes; // by operand and permutation
  mlir::Value first;                                                               // see isFirst
};

/// A name that is not taken, and takes it.
mlir::StringAttr freeName(mlir::MLIRContext *context, llvm::StringRef wanted, llvm::StringSet<> &taken);
} // namespace nova

#endif
