// From a core-form graph to tile kernels and a plan: tile-and-fuse over blocks of rows, driven by which rows an op
// reads.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_GRAPHTOTILES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_GRAPHTOTILES_H

#include "compiler/conversion/GraphToTiles/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nova {
struct TileInput {
  GraphOp graph;                         // core form, or a derived extend graph
  unsigned numArguments;                 // arguments beyond are states
  std::vector<std::string> resultNames;  // as callers know them; results beyond are new values of states
  mlir::StringAttr sequence, rows, past; // of an extend graph; else null
};

struct TileProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module; // tile.kernel, tile.storage and tile.data ops
  Plan plan;
};

/// Fuses ops that work row by row on the same rows into one kernel each, in levels: a kernel reads whole values (packed
/// factors of contractions, operands of ops that cross rows) only from kernels of lower levels. On failure a diagnostic
/// was emitted. Packed 4-bit values in the graph are replaced by i8 (WidenNibbles.h).
mlir::FailureOr<TileProgram> graphToTiles(const TileInput &input);
} // namespace nova

#endif
