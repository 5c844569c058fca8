//===- Check.h - The contract of TileOps.td ----------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_CHECK_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_CHECK_H

#include "dialects/tile/TileDialect.h"

namespace nova::codegen {

/// Fails with a diagnostic at the op where a kernel breaks the contract that code generation relies on: symbols, ranks,
/// layouts, element types, counts of yields.
mlir::LogicalResult checkKernel(tile::KernelOp kernel);

} // namespace nova::codegen

#endif
