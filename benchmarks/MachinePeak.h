//===- MachinePeak.h - What the machine can do at best ----------------------===//
#ifndef NOVA_BENCHMARKS_MACHINEPEAK_H
#define NOVA_BENCHMARKS_MACHINEPEAK_H

namespace nova::benchmarks {

/// Registers `peak/fma/f32/THREADS`, `peak/fma/f64/THREADS` (counter FLOPS; a fused multiply-add counts as two) and
/// `peak/read/THREADS` (counter bytes_per_second, over memory far larger than any cache) for 1 and `threads` threads.
/// A rate measured in the same run is what the other benchmarks' rates are set against.
void registerMachinePeak(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_MACHINEPEAK_H
