// What may fail when a module runs, and how its kernels and its manifest name it.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_FAULTS_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_FAULTS_H

#include "compiler/conversion/GraphToTiles/GraphToTiles.h"
#include "llvm/ADT/DenseMap.h"

namespace nova {
/// Where an axis of a value lies in the loops of a kernel: at `step` times the position along one of their axes (below
/// 0: at 0), plus `start` (null: 0).
struct AxisPlace {
  int64_t axis = -1, step = 1;
  DimAttr start = {};
};

/// The operations that may fail in a graph and in those that its scans run, in their order: what stands in the graph of
/// a scan comes where the scan does.
class Faults {
public:
  explicit Faults(const TileInput &input);

  std::optional<unsigned> find(mlir::Operation *op) const {
    auto it = numbers.find(op);
    return it == numbers.end() ? std::nullopt : std::optional(it->second);
  }
  /// Where rows along an axis of this size begin: new ones behind those of the state. Null for 0.
  DimAttr rowsBefore(DimAttr size) const;
  std::vector<PlanOperation> takeOperations() { return std::move(operations); }
  std::vector<PlanScan> takeScans() { return std::move(scans); }

private:
  void collect(GraphOp graph, llvm::ArrayRef<unsigned> around);

  mlir::StringAttr rows, past;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<PlanOperation> operations;
  std::vector<PlanScan> scans;
};

/// Those of one kernel. Belongs to the kernel's emission.
class KernelFaults {
public:
  explicit KernelFaults(const Faults &all) : all(all) {}

  /// Notes at `target`, which carries out the graph's `op` in the kernel, what is told where it fails; nothing for what
  /// cannot. `places`: for each axis of the entry's position where it lies among the axes of the batch and the kernel's
  /// `own` ones behind them; axes of which it is `absolute` count rows of the state already.
  void note(mlir::Operation *op, mlir::Operation *target, llvm::ArrayRef<AxisPlace> places, int64_t batch, int64_t own,
            std::optional<unsigned> absolute = {});
  /// Numbers what was noted in `kernel` in the order of the operations.
  std::vector<StepFault> finish(tile::KernelOp kernel);

private:
  const Faults &all;
  std::vector<StepFault> faults;
};
} // namespace nova

#endif
