// Kernels for what is no row block: elementwise loop nests, reductions over any axis, copies.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_MAPKERNEL_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_MAPKERNEL_H

#include "compiler/conversion/GraphToTiles/RowKernel.h"

namespace nova {
struct MapKernelInput {
  std::string name;
  llvm::ArrayRef<mlir::Attribute> symbols;
  mlir::Operation *op; // its value is written
  /// The value to compute at each entry: that of `op`, or an operand of a concat, which becomes a part of it that
  /// begins `at` there.
  mlir::Value value;
  llvm::ArrayRef<DimAttr> at;
  llvm::function_ref<GlobalBuffer(mlir::Value)> global;
  llvm::function_ref<bool(mlir::Value)> inlined; // computed in the loop instead of read
  /// Steps in bytes, per axis of a batch of `batch` axes of the nest, through a dense tensor that is read at `places`.
  llvm::function_ref<std::vector<DimAttr>(TensorType, llvm::ArrayRef<AxisPlace> places, int64_t batch)> strides;
  const Faults &faults;
};

/// One loop nest over the axes of the value, with elementwise ops, transposes and slices before it fused in.
PlanStep emitMapKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
/// A reduction over an axis, or a running sum along it.
PlanStep emitReduceKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
/// Entries picked by indices.
PlanStep emitGatherKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
/// Copies the source to the target, of one type.
PlanStep emitCopyKernel(mlir::OpBuilder &builder, const std::string &name, llvm::ArrayRef<mlir::Attribute> symbols,
                        mlir::Location loc, GlobalBuffer source, GlobalBuffer target);
} // namespace nova

#endif
