// The hashes of graphs: of a graph alone, and of a graph with everything that it reaches.
#ifndef NOVA_COMPILER_IDENTITY_GRAPHHASH_H
#define NOVA_COMPILER_IDENTITY_GRAPHHASH_H

#include "compiler/identity/StoredForm.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>
#include <vector>

namespace nova {
/// Hashes the graphs of a module, each once. The module must be verified and must not change meanwhile. Belongs to one
/// thread.
class GraphHashes {
public:
  explicit GraphHashes(mlir::ModuleOp module);

  /// The pin: this graph alone. Of a callee only the signature counts, and which calls go to one and the same. Fails
  /// with a diagnostic at a call of a graph that the module lacks.
  mlir::FailureOr<Hash> graphHash(GraphOp graph);
  /// The graph with everything that it reaches. `extraResults` are values of its block that count as further results.
  /// Fails with a diagnostic at a call of a graph that the module lacks, and at a recursion.
  mlir::FailureOr<Hash> semanticHash(GraphOp graph, llvm::ArrayRef<mlir::Value> extraResults = {});
  /// The name-free interface: element-type parameters, types of arguments and results, clauses.
  Hash signatureHash(GraphOp graph);

  /// The stored form in which callees with one semantic hash are one; fails as semanticHash does.
  mlir::FailureOr<StoredForm> storedForm(GraphOp graph, llvm::ArrayRef<mlir::Value> extraResults = {});
  /// The graphs that `graph` reaches, itself last, each once and after those it calls; of graphs with one semantic hash
  /// only the first is listed. Fails as semanticHash does.
  mlir::FailureOr<std::vector<GraphOp>> reachable(GraphOp graph);
  /// The graph that a callee of that name stands for, once semanticHash has succeeded for its caller; else null.
  GraphOp representative(mlir::StringAttr callee);

private:
  struct Entry {
    std::optional<Hash> semantic;
    bool open = false;
  };
  GraphOp lookup(mlir::Operation *call);
  // Hashes all graphs that `graph` reaches, without recursion: chains of calls may be long.
  mlir::LogicalResult hashCallees(GraphOp graph);
  Hash hashWithKnownCallees(GraphOp graph, llvm::ArrayRef<mlir::Value> extraResults);

  llvm::DenseMap<mlir::StringAttr, GraphOp> graphs;
  llvm::DenseMap<mlir::Operation *, Entry> entries;
  std::map<Hash, GraphOp> byHash;
};
} // namespace nova

#endif
