//===- Overhead.h - What a call costs that has next to nothing to do ---------===//
#ifndef NOVA_BENCHMARKS_OVERHEAD_H
#define NOVA_BENCHMARKS_OVERHEAD_H

namespace nova::benchmarks {

/// Registers `overhead/extend/ROWSxWIDTH`, one more row of causal attention in f32 on at most ROWS rows, and
/// `overhead/softmax/ROWSxCOLUMNS`, a whole run. The time of one call of nova_run in a context of `threads` threads
/// counts, as an application makes it that keeps its run.
void registerOverhead(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_OVERHEAD_H
