//===- DecoderBlock.h - Times of a whole decoder block -----------------------===//
#ifndef NOVA_BENCHMARKS_DECODERBLOCK_H
#define NOVA_BENCHMARKS_DECODERBLOCK_H

namespace nova::benchmarks {

/// Registers `block/f32/ROWS`, std.nn.decoder_block over so many rows, `step/f32/ROWS`, one row more on a session that
/// holds about so many, and one row more on each of eight such sessions: `ragged8/f32/ROWS` in one call, `inturn8` in a
/// call each. All with 576 channels, 3 groups of 3 heads of width 64 and a network of 1536, run with `threads` threads.
/// Weights are bound once. Time is what counts.
void registerDecoderBlock(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_DECODERBLOCK_H
