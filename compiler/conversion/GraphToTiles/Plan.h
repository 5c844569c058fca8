// The plan of a module: its buffers, its steps and where each contraction runs. With the tile kernels it is all that a
// runtime needs.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLAN_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLAN_H

#include "dialects/tile/TileDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace nova {
/// Prepared: computed from params and constants when a module is instantiated, and kept. Next: what takes the place of
/// a state that does not grow, once a run has succeeded.
enum class BufferKind { Argument, Result, Temporary, State, Next, Constant, Prepared };

struct PlanBuffer {
  BufferKind kind;
  unsigned index = 0; // of the argument or result; for Next the buffer of the state
  std::string name;   // of the value it holds
  std::string symbol; // of tile.storage or tile.data; empty for arguments and results
  tile::BufferType type;
  DimAttr count = {};                   // of temporaries and states: how many such buffers lie behind each other
  std::optional<unsigned> rowAxis = {}; // of an extend: the axis of the new rows
  DimAttr window = {}; // of a state: how many rows before the first new one are still read, at most; null for all
};

/// A buffer as one instance of a step gets it: `strides` are what one step along each axis of the batch adds to its
/// address, `loopStrides` what one run of each loop around the step does, outermost first.
struct StepBuffer {
  enum class Unit { Bytes, Matrices };
  unsigned index;
  Unit unit = Unit::Bytes;
  std::vector<DimAttr> strides = {};
  Unit loopUnit = Unit::Bytes;
  std::vector<DimAttr> loopStrides = {};
  bool operator==(const StepBuffer &other) const {
    return index == other.index && unit == other.unit && strides == other.strides && loopUnit == other.loopUnit &&
           loopStrides == other.loopStrides;
  }
};

/// A scan with a carry, as errors of a run name it; `first` is what the first run of its loop is called (a scan along
/// the sequence goes on where the one before ended).
struct PlanScan {
  std::string text;
  DimAttr first;
};

/// An operation that may fail, as errors of a run name it, and the scans around it, outermost first.
struct PlanOperation {
  std::string text;
  std::vector<unsigned> scans;
};

/// An operation of a kernel that may fail. The kernel tells the position of the entry but for what follows from the
/// instance: an axis of the batch moves along an axis of the position, in steps.
struct StepFault {
  struct Along {
    int64_t axis = -1, step = 1; // below 0: along none
  };
  unsigned operation;
  unsigned axes;            // of the position
  std::vector<Along> batch; // by axis of the step's batch
  /// Where the loops around it have become a batch: for each of its scans the axis of the batch that counts its runs,
  /// or -1 for what is the same in all of them.
  std::vector<int64_t> runs = {};
};

/// A section of a step: `columns` may be cut at multiples of `unit`, the pieces to be computed in any order; null for
/// what is not cut. Each section begins when the one before has ended.
struct PlanSection {
  DimAttr columns = {};
  int64_t unit = 1;
};

/// A kernel, or a loop: steps that are run one after the other, again and again.
struct PlanStep {
  std::string kernel; // symbol of the tile.kernel
  DimAttr rows;
  int64_t block;
  bool descending;
  std::vector<StepBuffer> buffers; // in the order of the kernel's arguments
  std::vector<unsigned> writes;    // which of them it writes
  std::vector<DimAttr> batch = {}; // the kernel runs once per index of these axes
  bool joins = false;        // an instance needs only the same instance of the steps before, up to one that joins none
  unsigned libraryTiles = 0; // contractions that library tiles may carry
  bool folds = false;        // one row of neighbouring instances of the last axis may be the rows of one launch
  DimAttr repeats = {};      // of a loop, which has nothing of the above
  std::vector<PlanStep> body = {};
  /// Positions of `buffers`: one that is read at an entry for the last time before that entry of the other is written,
  /// so that both may be one place in memory.
  std::vector<std::pair<unsigned, unsigned>> inPlace = {};
  std::vector<StepFault> faults = {};     // in the order of their operations
  bool apart = false;                     // in a ragged batch it is run for each session
  std::vector<PlanSection> sections = {}; // if a launch of one block may be run section by section
  bool splits = false;                    // a block of few rows may be cut for several threads

  bool isLoop() const { return bool(repeats); }
};

/// Which kind of tile carries a contraction. Library tiles call a vendor's matmul where that gives the canonical bits.
enum class ContractionTile { Generated, Library };

struct PlanContraction {
  std::string value;
  std::string kernel;
  ContractionTile tile;
  std::string reason;
};

/// Whether the new rows of several sessions may go through the steps of an extend together, and if not, why.
struct RaggedPlan {
  bool possible;
  std::string why;
};

struct Plan {
  std::vector<std::string> symbols; // order of the run-time dims
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> prepare; // run once per instance
  std::vector<PlanStep> steps;
  std::vector<PlanContraction> contractions;
  bool canFail = false; // some kernel may return an error
  /// What may fail, and the scans around it, in the order in which errors are looked for.
  std::vector<PlanOperation> operations;
  std::vector<PlanScan> scans;
  std::optional<RaggedPlan> ragged; // of an extend
};

/// The bytes in dense memory from an entry to the one at the next index of the axis; null for more than dimensions can
/// say.
DimAttr bytesAlong(TensorType type, unsigned axis);
/// The bytes from a new row of a buffer that has them to the next.
inline DimAttr bytesOfRow(const PlanBuffer &buffer) { return bytesAlong(buffer.type.getTensor(), *buffer.rowAxis); }
/// By buffer: how many of the steps, those in loops among them, write it.
llvm::DenseMap<unsigned, unsigned> countWriters(llvm::ArrayRef<PlanStep> steps);
/// Finds the steps that join those before them: same batch, and what both touch they touch at the same instance.
void joinSteps(const Plan &plan, std::vector<PlanStep> &steps);
/// The text of `--emit=plan`.
void printPlan(const Plan &plan, llvm::raw_ostream &os);
} // namespace nova

#endif
