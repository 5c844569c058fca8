// The plan of a module: its buffers, its steps and where each contraction runs. With the tile kernels it is all that a
// runtime needs.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLAN_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLAN_H

#include "dialects/tile/TileDialect.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nova {
enum class BufferKind { Argument, Result, Temporary, State, Constant };

struct PlanBuffer {
  BufferKind kind;
  unsigned index = 0; // of the argument or result
  std::string name;   // of the value it holds
  std::string symbol; // of tile.storage or tile.data; empty for arguments and results
  tile::BufferType type;
};

struct PlanStep {
  std::string kernel; // symbol of the tile.kernel
  DimAttr rows;
  int64_t block;
  bool descending;
  std::vector<unsigned> buffers; // in the order of the kernel's arguments
};

/// Which kind of tile carries a contraction. Library tiles call a vendor's matmul where that gives the canonical bits.
enum class ContractionTile { Generated, Library };

struct PlanContraction {
  std::string value;
  std::string kernel;
  ContractionTile tile;
  std::string reason;
};

struct Plan {
  std::vector<std::string> symbols; // order of the run-time dims
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;
  std::vector<PlanContraction> contractions;
  bool canFail = false; // some kernel may find an integer division by zero
};

/// The text of `--emit=plan`.
void printPlan(const Plan &plan, llvm::raw_ostream &os);
} // namespace nova

#endif
