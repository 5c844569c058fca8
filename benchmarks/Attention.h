//===- Attention.h - Rates of causal attention -------------------------------===//
#ifndef NOVA_BENCHMARKS_ATTENTION_H
#define NOVA_BENCHMARKS_ATTENTION_H

namespace nova::benchmarks {

/// Registers `prefill/TYPE/HEADSxROWSxWIDTH` (counter FLOPS: multiply-adds of the visible half, two each) and
/// the same of other masks (Masks.h: `window256/f32/8x8192x64`, what is visible of it), and
/// `decode/TYPE/HEADSxROWSxWIDTH` (counter bytes_per_second: the bytes of ROWS keys and values), run with `threads`
/// threads. The heads are independent runs in one call of the runtime.
void registerAttention(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_ATTENTION_H
