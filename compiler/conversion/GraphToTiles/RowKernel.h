// Emits one fused kernel from its schedule.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWKERNEL_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_ROWKERNEL_H

#include "compiler/conversion/GraphToTiles/Faults.h"
#include "compiler/conversion/GraphToTiles/Plan.h"
#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include "mlir/IR/Builders.h"

namespace nova {
/// A value in memory, as a kernel gets it: whole, or one matrix of a batch.
struct GlobalBuffer {
  StepBuffer buffer;
  tile::BufferType type;
};

struct RowKernelInput {
  std::string name;
  llvm::ArrayRef<mlir::Attribute> symbols;
  DimAttr rows, position;
  std::vector<DimAttr> batch;
  const RowSchedule &schedule;
  MaskRanges ranges;
  /// Memory of a value from outside the kernel, or of an output of it; `packed` for the second factor of `contraction`.
  llvm::function_ref<GlobalBuffer(mlir::Value value, mlir::Operation *contraction)> global;
  const llvm::DenseSet<mlir::Value> &outputs;
  const Faults &faults;
  /// Whether library tiles may carry its contractions, which then are given their second factor as it lies in `plain`.
  bool isForLibrary = false;
  llvm::function_ref<GlobalBuffer(mlir::Operation *contraction)> plain = {};
};

/// Creates the tile.kernel at the builder's place and returns its step.
PlanStep emitRowKernel(mlir::OpBuilder &builder, const Values &values, const RowKernelInput &input);
} // namespace nova

#endif
