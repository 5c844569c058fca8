// The planner behind GraphToTiles.h: one graph, and those that its scans run.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLANNER_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PLANNER_H

#include "compiler/analysis/VisibleColumns.h"
#include "compiler/conversion/GraphToTiles/GraphToTiles.h"
#include "compiler/conversion/GraphToTiles/MapKernel.h"
#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include "dialects/graph/Text.h"
#include <map>

namespace nova {
class Planner {
public:
  Planner(const TileInput &input, const Faults &faults) : Planner(input, own, {}, faults) { collectSymbols(); }
  mlir::FailureOr<TileProgram> run();

private:
  /// What is counted through all graphs of a module, so that names differ.
  struct Counters {
    unsigned kernels = 0, storage = 0;
  };
  /// Of the graph of a scan.
  Planner(const TileInput &input, Counters &counters, llvm::ArrayRef<mlir::Attribute> symbols, const Faults &faults)
      : in(input), values(input.graph, input.numArguments), b(in.graph.getContext()), counters(counters),
        symbols(symbols), faults(faults) {}

  TileInput in;
  Values values;
  mlir::OpBuilder b;
  TileProgram program;
  Counters own, &counters;
  llvm::SmallVector<mlir::Attribute> symbols;
  const Faults &faults; // of the whole module
  /// The first level at which the value can be read from memory, and for fused values the level of their kernel.
  llvm::DenseMap<mlir::Value, unsigned> ready, level;
  llvm::DenseSet<mlir::Value> inMemory;         // values that some other kernel, a result or a packing reads
  llvm::DenseMap<mlir::Value, unsigned> memory; // buffers of the plan
  std::map<std::pair<const void *, int>, unsigned> packedBuffers; // (value, layout) -> buffer
  llvm::DenseMap<mlir::Value, unsigned> denseCopies;              // of states
  std::map<unsigned, std::vector<PlanStep>> steps;                // by level
  llvm::DenseMap<mlir::Value, MaskRange> ranges;                  // of masks
  std::optional<MaskAnalysis> masks;                              // built for the first mask

  struct Factor {       // how a packed operand of a contraction lies in memory
    mlir::Value source; // the value whose rows are packed
    bool transposed;    // the factor is the source transposed
    bool isState;
  };
  Factor factorOf(MatmulOp op, mlir::Value operand) const;
  /// One matrix of a value, as kernels over `batch` get it: its type, and the steps from one to the next.
  GlobalBuffer matrixOf(mlir::Value v, llvm::ArrayRef<DimAttr> batch);
  GlobalBuffer matrixIn(unsigned buffer, mlir::Value v, llvm::ArrayRef<DimAttr> batch);
  std::vector<DimAttr> strides(llvm::ArrayRef<DimAttr> dims, DimAttr each, llvm::ArrayRef<DimAttr> batch);
  std::vector<DimAttr> mapStrides(TensorType type, llvm::ArrayRef<AxisPlace> places, int64_t batch);
  DimAttr product(llvm::ArrayRef<DimAttr> dims);
  DimAttr bytesOf(mlir::Type element) { return constantDim(b.getContext(), nova::bytesOf(element)); }
  /// A dimension that left the range of dimensions: reported once, at the end.
  DimAttr checked(DimAttr dim) {
    tooLarge |= !dim;
    return dim ? dim : values.getOne();
  }
  bool tooLarge = false;
  /// Dims as the clauses simplify them: what is known to be 1 must be seen to broadcast.
  tile::BufferType bufferType(TensorType tensor, tile::Layout layout = tile::Layout::rows) const {
    llvm::SmallVector<DimAttr> dims;
    for (DimAttr dim : tensor.getDims())
      dims.push_back(values.getFacts().normalize(dim));
    return tile::BufferType::get(tensor.getContext(), tensor.withDims(dims), layout);
  }
  MaskRange rangeOf(mlir::Value mask);

  void collectSymbols();
  void findLevels();
  void fuseLate();
  void findMemory();
  bool fusesInto(mlir::Value x, mlir::Operation &reader, llvm::DenseMap<mlir::Value, unsigned> &fused) const;
  unsigned addBuffer(PlanBuffer buffer);
  unsigned memoryOf(mlir::Value v);
  GlobalBuffer packedOf(MatmulOp op, mlir::Value operand, llvm::ArrayRef<DimAttr> batch);
  GlobalBuffer globalOf(mlir::Value v);
  bool isReadWhole(mlir::Value v) const;
  unsigned denseMemoryOf(mlir::Value v);
  void emitState(ConcatOp op);
  void emitRowKernels();
  bool noteContractions(const RowSchedule &schedule, DimAttr rows, const std::string &kernel);
  void emitMaps();
  void emitMap(mlir::Operation *op, mlir::Value value, llvm::ArrayRef<DimAttr> at);
  void emitJoin(ConcatOp op);
  void emitResults();
  mlir::LogicalResult emitScan(ScanOp op);
  void emitNextStates();
  /// The carry that begins with a value that nobody else reads, so that both have one memory; else null.
  mlir::Value carryOf(mlir::Value v) const;
  /// How the buffers of the plan of a scan's graph lie in this one.
  struct Place {
    unsigned buffer;
    StepBuffer::Unit unit;
    DimAttr stride; // from run to run
  };
  std::vector<Place> placesOf(ScanOp op, const Plan &inner, llvm::ArrayRef<unsigned> next);
  void moveInvariant(PlanStep &loop, const llvm::DenseSet<unsigned> &carries, std::vector<PlanStep> &before) const;
  std::vector<PlanStep> movedTo(llvm::ArrayRef<Place> places, llvm::ArrayRef<PlanStep> steps) const;
  PlanStep copyStep(mlir::Location loc, GlobalBuffer source, GlobalBuffer target, llvm::ArrayRef<DimAttr> batch);
  DimAttr zero() const { return constantDim(b.getContext(), 0); }
  DimAttr entryBytes(mlir::Value v) {
    TensorType type = tensorOf(v);
    return checked(multiplyDims(product(type.getDims().drop_front()), bytesOf(type.getElementType())));
  }
  std::string kernelName(llvm::StringRef what) { return "k" + std::to_string(counters.kernels++) + "_" + what.str(); }
  static std::string nameOf(mlir::Value v) {
    std::string name = valueName(v);
    return name.empty() ? "value" : name.substr(1);
  }
};
} // namespace nova

#endif
