//===- CompileTime.h - How long the compiler takes ---------------------------===//
#ifndef NOVA_BENCHMARKS_COMPILETIME_H
#define NOVA_BENCHMARKS_COMPILETIME_H

namespace nova::benchmarks {

/// Registers `compile/causal_attention/TYPE` (read, check and compile for one target, both phases),
/// `load/causal_attention/TYPE` (read, check, hash, look up in the store, verify, load), and `check/chain/OPS` and
/// `compile/chain/OPS` (a chain of elementwise operations).
void registerCompileTime();

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_COMPILETIME_H
