//===- Manifest.h - What a module says about itself -------------*- C++ -*-===//
//
// The manifest of docs/module-format.md after checking: every index is in range, every name is resolved, every symbol
// has a way to be bound. Code that holds a Manifest need not check it again.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_MANIFEST_H
#define NOVA_RUNTIME_CORE_MANIFEST_H

#include "runtime/core/Dim.h"
#include "runtime/core/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace nova::runtime {

constexpr int64_t kMaxRank = 64;
constexpr size_t kMaxLoops = 16; // around a step

/// An argument or a result.
struct Port {
  std::string name;
  nova_type_t type;
  std::vector<Dim> dims;
  int32_t sequenceAxis = -1;          // the axis whose size is the sequence symbol, or -1
  bool isParam = false;               // an argument that is bound when the module is instantiated
  uint32_t position = 0;              // of an argument: among the params, or among those that are none
  bool settled = false;               // a param whose sizes params alone determine: nothing is left for a run to check
  std::vector<const char *> dimTexts; // of `dims`, for the C interface
};

enum class Relation { GreaterEqual, LessEqual, Equal, Greater, Less };

/// A condition on the symbols that callers must meet.
struct Clause {
  std::string text;
  Dim lhs;
  Relation relation;
  Dim rhs;
  bool settled = false; // all its symbols are sizes of params: nothing is left for a run to check
};

/// How the entries of a matrix of a state lie.
enum class StateLayout { Rows, Panels, Pages };

/// Next: what takes the place of a state when the run has succeeded.
enum class BufferKind { Argument, Result, Temporary, State, Next, Prepared, Constant };

struct BufferSpec {
  BufferKind kind;
  uint32_t index = 0; // argument or result; for Next that of the state; for the others the position among their kind
  std::string name;   // of what has matrices
  std::string symbol; // the function that tells the bytes of one matrix, or the constant's data
  Dim count;          // how many matrices
  bool isDescribed = false; // of a state: the following is known
  StateLayout layout = StateLayout::Rows;
  nova_type_t type = NOVA_F64;
  std::vector<Dim> dims;  // of a matrix; of panels and pages two
  bool hasWindow = false; // no run reads more than `window` rows before its first new one
  Dim window;
  bool hasRows = false; // in a ragged module: has an axis of new rows
  Dim row;              // then the bytes from one of them to the next

  /// Whether it consists of matrices in the runtime's memory.
  bool hasMatrices() const {
    return kind == BufferKind::Temporary || kind == BufferKind::State || kind == BufferKind::Next ||
           kind == BufferKind::Prepared;
  }
};

/// A buffer that a step is given, and where each instance of the step finds its part.
struct StepBuffer {
  uint32_t buffer;
  bool inMatrices;          // the strides count matrices of the buffer, not bytes
  std::vector<Dim> strides; // one per axis of the batch
  bool loopsInMatrices = false;
  std::vector<Dim> loopStrides; // one per loop around the step, outermost first
};

/// Steps that are run one after the other, again and again.
struct Loop {
  Dim repeats;
  int32_t outer;               // the loop around it, or -1
  uint32_t firstStep, endStep; // those inside, also of loops inside
};

/// A scan with a carry, for messages.
struct Scan {
  std::string text;
  Dim first; // what its first run is called
};

/// An operation that may fail, for messages.
struct Operation {
  std::string text;
  std::vector<uint32_t> scans; // around it, outermost first
  uint32_t order = 0;          // the first operation in the outermost of them, or itself
};

/// Something that a step may fail at.
struct Fault {
  struct Along {
    int32_t axis = -1; // of the position, or -1
    int64_t step = 1;
  };
  uint32_t operation;
  uint32_t axes;             // of the position that the kernel tells
  std::vector<Along> batch;  // by axis of the batch: where it moves the position
  std::vector<int32_t> runs; // by scan, in `prepare`: the axis of the batch that counts its runs, or -1
};

/// A part of a kernel that begins when the one before has ended.
struct SectionSpec {
  bool isCut = false; // its columns may be computed in pieces that begin at multiples of `unit`
  Dim columns;
  int64_t unit = 1;
};

struct Step {
  std::string kernel;
  std::vector<std::string> entries; // one per target, in the order of Manifest::targets
  Dim rows;
  int64_t block;
  bool descending;
  std::vector<Dim> batch; // sizes of the loops around the kernel, outermost first
  bool joins;             // an instance needs only the same instance of the steps before
  int32_t loop = -1;      // the innermost one around it, or -1
  std::vector<StepBuffer> buffers;
  bool usesMatrices = false; // some buffer's strides count matrices
  std::string scratch;       // the function that tells the bytes of scratch, or empty for none
  bool folds = false;        // one row of neighbouring instances of the last axis may be the rows of one launch
  uint32_t libraryTiles = 0; // contractions that library tiles may carry
  std::string libraryShapes; // the function that tells their shapes, or empty for none
  std::vector<Fault> faults;
  bool apart = false;                // in a ragged batch it is run for each session
  bool splits = false;               // a block of few rows may be cut for several threads
  std::vector<SectionSpec> sections; // a launch of one block may be run in these, if there are any
};

/// The two lists of steps: those that are run once for an instance of the module, and those of every run.
enum class Stage { Prepare, Run };

/// The symbols of a graph that can be extended.
struct Sequence {
  uint32_t whole; // all rows (n)
  uint32_t rows;  // the new ones (m)
  uint32_t past;  // those the state holds (t)
};

/// How one symbol is found: argument `argument`, axis `axis` has the size factor * symbol + rest, and the symbols in
/// factor and rest are found before.
struct Binding {
  uint32_t symbol;
  uint32_t argument;
  uint32_t axis;
  bool plain; // the size is the symbol itself
  Dim factor, rest;
};

struct Manifest {
  Manifest() = default;
  Manifest(const Manifest &) = delete; // Port::dimTexts points into this very object
  Manifest &operator=(const Manifest &) = delete;

  std::string graph, graphHash, semanticHash, versionHash, compiler, contract;
  std::vector<std::string> targets;
  std::vector<std::string> symbols;
  bool hasSequence = false;
  Sequence sequence{};
  bool canFail = false;
  bool ragged = false; // new rows of several sessions may go through the steps together
  std::vector<Port> arguments, results;
  std::vector<Clause> clauses;
  std::vector<BufferSpec> buffers;
  uint32_t temporaries = 0, states = 0, prepared = 0, constants = 0; // how many buffers of these kinds
  std::vector<Step> prepare, steps;
  std::vector<Scan> scans;
  std::vector<Operation> operations;
  std::vector<Loop> loops;        // around steps of `steps`; one that is around another comes first
  uint32_t params = 0;            // how many arguments are params
  std::vector<bool> paramSymbols; // by symbol: some param has a size that is this symbol alone
  std::vector<Binding> bindings;  // in order; all symbols but those of `sequence` in a module that has one

  const std::vector<Step> &stepsOf(Stage stage) const { return stage == Stage::Prepare ? prepare : steps; }

  /// Whether the params alone tell the value of `dim`.
  bool knownFromParams(const Dim &dim) const;
};

/// Parses and checks. The failure is NOVA_MODULE_INVALID and names the place ("steps[2].block"), what was expected and
/// what was found.
Status parseManifest(std::string_view text, Manifest &manifest);

/// Fills Manifest::bindings. The failure names a symbol that no argument determines.
Status planBindings(Manifest &manifest);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_MANIFEST_H
