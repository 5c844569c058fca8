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
};

/// One loop nest over the axes of the value, with elementwise ops, transposes and slices before it fused in.
PlanStep emitMapKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
/// A reduction over an axis, or a running sum along it.
PlanStep emitReduceKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
/// Entries picked by indices.
PlanStep emitGatherKernel(mlir::OpBuilder &builder, const Values &values, const MapKernelInput &input);
PlanStep emitCopyKernel(mlir::OpBuilder &builder, const std::string &name, llvm::ArrayRef<mlir::Attribute> symbols,
                        mlir::Value value, GlobalBuffer source, GlobalBuffer target);
} // namespace nova

#endif
