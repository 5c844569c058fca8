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

namespace nova::reference {

/// Calls `visit(name, sequence)` for every operation of one float that is a sequence over a builder: the interpreter, the
/// backends and the tests know them by this list. `sequence(builder, type, x)` gets a float or double as `type`.
template <class Visit> void forEachFunction(Visit visit) {
  visit("exp", [](auto &b, auto type, auto x) { return exp<decltype(type)>(b, x); });
  visit("log", [](auto &b, auto type, auto x) { return log<decltype(type)>(b, x); });
  visit("rsqrt", [](auto &b, auto type, auto x) { return rsqrt<decltype(type)>(b, x); });
  visit("sigmoid", [](auto &b, auto type, auto x) { return sigmoid<decltype(type)>(b, x); });
  visit("tanh", [](auto &b, auto type, auto x) { return tanh<decltype(type)>(b, x); });
  visit("erf", [](auto &b, auto type, auto x) { return erf<decltype(type)>(b, x); });
  visit("sin", [](auto &b, auto type, auto x) { return sin<decltype(type)>(b, x); });
  visit("cos", [](auto &b, auto type, auto x) { return cos<decltype(type)>(b, x); });
}

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_ELEMENTARY_H
