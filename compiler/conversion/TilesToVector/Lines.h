//===- Lines.h - Tensors of any rank as nests of lines -----------------------===//
//
// What the fallbacks for tensors of any rank share: loops over axes and row-major addresses.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_LINES_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_LINES_H

#include "compiler/conversion/TilesToVector/Frame.h"

namespace nova::codegen {

/// An axis to run over.
struct Range {
  Value low, high;
};

/// Loops over `ranges`, the first outermost; `body` gets one index per range.
void nest(Emit &e, ArrayRef<Range> ranges, llvm::function_ref<void(ValueRange)> body);

/// Elements between neighbours of every axis of a dense tensor; 0 along axes whose dim is the constant 1
/// (broadcasting).
Values rowMajorStrides(Frame &f, ArrayRef<DimAttr> dims);
/// The same of a buffer; of i4 its rows begin at bytes.
Values rowMajorStrides(Frame &f, Value buffer);

/// The sum of index * stride.
Value dot(Emit &e, ValueRange indices, ValueRange strides);

/// Runs over `range` in steps of 16 lanes; the last one gets a mask if it is partial (else null).
void lineSteps(Emit &e, Range range, llvm::function_ref<void(Value, Value)> body);

/// 16 elements `stride` apart (null: consecutive) beginning at `start` + `column` strides; `end` is the end of the
/// range of columns, beyond which nothing is read. `mask` belongs to a partial step.
Value loadLanes(Emit &e, Value pointer, Type element, Value start, Value column, Value stride, Value end, Value mask);

} // namespace nova::codegen

#endif
