// What two graphs do differently, whatever their values, sizes and parameters are called and in which order they stand.
#ifndef NOVA_TOOLS_NOVA_GRAPHDIFF_H
#define NOVA_TOOLS_NOVA_GRAPHDIFF_H

#include "compiler/identity/GraphHash.h"
#include <string>
#include <vector>

namespace nova::tool {
/// A graph and the hashes of its module.
struct DiffSide {
  GraphOp graph;
  GraphHashes *hashes;
};

/// One thing that differs. A side is empty where the thing is not there.
struct Change {
  std::string what; // `operation`, `constant`, `operands`, `callee`, `argument`, `clause`, ...
  std::string before, after;
  mlir::Location beforeAt, afterAt; // unknown where no line says it
};

struct GraphDifference {
  /// In the order of the signature, then of the second graph; what only the first has comes last.
  std::vector<Change> changes;
  /// Graphs that corresponding calls reach and that differ themselves.
  std::vector<std::pair<GraphOp, GraphOp>> callees;
};

/// Compares two graphs of one context by their stored forms: what no result needs does not count, nor do repetitions.
/// Operations correspond when they compute the same from the same; then by name, then by what uses them. An operation
/// that only receives something else is no change. There are no changes exactly where the semantic hashes agree. Fails
/// with a diagnostic where a semantic hash cannot be had.
mlir::FailureOr<GraphDifference> diffGraphs(DiffSide before, DiffSide after);
} // namespace nova::tool

#endif
