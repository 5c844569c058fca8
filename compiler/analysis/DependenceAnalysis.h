// The analysis behind Dependence.h: demand is passed from results to arguments, operation by operation.
#ifndef NOVA_COMPILER_ANALYSIS_DEPENDENCEANALYSIS_H
#define NOVA_COMPILER_ANALYSIS_DEPENDENCEANALYSIS_H

#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/Dependence.h"
#include "compiler/analysis/Mask.h"

namespace nova {
/// One graph with the graphs that its scans run.
class DependenceAnalysis {
public:
  /// The answer goes to `out`; `kept` and `out` must outlive the analysis.
  DependenceAnalysis(GraphOp core, llvm::ArrayRef<KeptRows> kept, Dependence &out)
      : core(core), kept(kept), out(out), masks(core), facts(masks.getColumns().getFacts()) {}
  /// Of an entry graph.
  void run(mlir::StringAttr along);
  /// Of a graph that a scan runs: what is demanded of its results, none where one is not read. Forgets what an earlier
  /// call found.
  void run(mlir::StringAttr sequence, llvm::ArrayRef<std::optional<Box>> results);

private:
  bool chooseSequence(mlir::StringAttr along);
  void checkSignature();
  void demandRoots();
  void demandKept();
  void visitAll();
  void checkLeaves();
  void visit(mlir::Operation *op);
  void visitScan(ScanOp scan);
  void adopt(const Dependence &inner, ScanOp scan);
  void checkLayout(mlir::Operation *op);
  void visitLoops(mlir::Operation *op, const AxisMaps &maps, const ValueDependence &result);
  llvm::SmallVector<LoopRegion> regionsOf(mlir::Operation *op, const AxisMaps &maps, std::optional<unsigned> branch,
                                          std::vector<Mask> &storage) const;
  void demand(mlir::Value value, const Box &box, mlir::Operation *through);
  Box boxFor(mlir::Value value, llvm::ArrayRef<int> loops, const Box &box) const;
  void checkLeaf(mlir::Value leaf);
  void checkRows(mlir::Value value);
  void refuse(mlir::Location loc, const llvm::Twine &reason);
  void refuseFuture(mlir::Value leaf, const llvm::Twine &reason);
  /// The value through which demand reached an operation: the first of its results that is read.
  mlir::Value readResult(mlir::Operation *op) const;
  /// From a value to a result of the graph, by the demand with the latest rows.
  llvm::SmallVector<mlir::Value> wayFrom(mlir::Value value) const;

  bool isSequence(DimAttr dim) const { return carriesSequence(dim, out.sequence, facts); }
  bool mentionsSequence(DimAttr dim) const { return mentions(facts.normalize(dim), out.sequence); }

  GraphOp core;
  llvm::ArrayRef<KeptRows> kept;
  Dependence &out;
  MaskAnalysis masks;
  const Facts &facts;
  DimAttr sequenceDim;
};

/// The name of a value, or what it is where it has none.
std::string nameOrKind(mlir::Value value);
} // namespace nova

#endif
