//===- Attention.h - Rates of whole runs of attention ------------------------===//
#ifndef NOVA_BENCHMARKS_ATTENTION_H
#define NOVA_BENCHMARKS_ATTENTION_H

namespace nova::benchmarks {

/// Registers `prefill/TYPE/HEADSxROWSxWIDTH` (counter FLOPS: multiply-adds of the visible half, two each), where bf16
/// is how arguments and results are kept; the same on questions twenty times greater (`prefill_wide20`) and under other
/// masks (Masks.h: `window256/f32/8x8192x64`, what is visible of it), run with `threads` threads. The heads are
/// independent runs in one call of the runtime.
void registerAttention(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_ATTENTION_H
