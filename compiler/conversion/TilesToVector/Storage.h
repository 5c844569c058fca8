//===- Storage.h - Casts from and to element types that are only kept ---------===//
//
// Code holds a bf16 or f16 as the f32, an i8 as the i32 of the same value (registerType), so a cast from such a type is
// one from f32 or i32, and a cast to it rounds or cuts what a register holds.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_STORAGE_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_STORAGE_H

#include "compiler/conversion/TilesToVector/Emit.h"

namespace nova::codegen {

/// The cast of docs/arithmetic.md of what a register holds to any element type but i1.
Value castElement(Emit &e, Value x, Type target);

// Its parts, of Elementwise.cpp.

/// Between types that are computed with, and from i1.
Value castTo(Emit &e, Value x, Type target);
/// A float as a signed integer of `bits` bits, truncated and saturated, in an integer type of at least as many.
Value toInteger(Emit &e, Value x, Type target, unsigned bits);

} // namespace nova::codegen

#endif
