//===- Elementary.h - Elementary functions as fixed sequences ----------------===//
//
// The meaning of the elementary functions (docs/arithmetic.md, rule 5): for every function and type one fixed sequence
// of IEEE-754 operations and exact integer operations, written once over a Builder (elementary/Builder.h).
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_ELEMENTARY_H
#define NOVA_COMPILER_REFERENCE_ELEMENTARY_H

#include "compiler/reference/elementary/Erf.h"
#include "compiler/reference/elementary/Exp.h"
#include "compiler/reference/elementary/Log.h"
#include "compiler/reference/elementary/Power.h"
#include "compiler/reference/elementary/Rsqrt.h"
#include "compiler/reference/elementary/Sigmoid.h"
#include "compiler/reference/elementary/SinCos.h"

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_H
