//===- Parts.h - The parts of kernels ----------------------------------------===//
//
// Each function emits one step of a kernel into the function of a Frame. Operands have been checked (Check.h).
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_PARTS_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_PARTS_H

#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "compiler/conversion/TilesToVector/Frame.h"

namespace nova::codegen {

/// Rows of a register tile, and of a smaller one that wastes less on some blocks.
int64_t registerRows(const TargetInfo &target);
int64_t smallRegisterRows(const TargetInfo &target);

/// A contraction for blocks of any number of rows, so many at once; and one for a row or two, with four panels at once.
void emitContractMany(Frame &f, tile::ContractOp op, int64_t groupRows);
void emitContractFew(Frame &f, tile::ContractOp op);
/// Has the library tile of the kernel's contraction `index` compute the totals, if there is one and the block has 64
/// rows. Gives an i32: 0 where that is left to do.
Value emitContractLibrary(Frame &f, tile::ContractOp op, int64_t index);
/// Copies the totals of a contraction to its global buffer.
void emitCopyOut(Frame &f, tile::ContractOp op);

/// Passes that follow each other, row by row.
void emitPasses(Frame &f, ArrayRef<tile::PassOp> passes);

void emitPack(Frame &f, tile::PackOp op);
void emitCopy(Frame &f, tile::CopyOp op);
void emitMap(Frame &f, tile::MapOp op);
void emitReduce(Frame &f, tile::ReduceOp op);
/// Reductions of kind argmax.
void emitArgmax(Frame &f, tile::ReduceOp op);
void emitAccumulate(Frame &f, tile::AccumulateOp op);
void emitGather(Frame &f, tile::GatherOp op);

} // namespace nova::codegen

#endif
