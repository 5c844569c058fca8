//===- Decode.h - Rates of one more row behind many --------------------------===//
#ifndef NOVA_BENCHMARKS_DECODE_H
#define NOVA_BENCHMARKS_DECODE_H

namespace nova::benchmarks {

/// Registers `decode/TYPE/HEADSxROWSxWIDTH` (counter bytes_per_second: the bytes of ROWS keys and values) and
/// `decode_grouped3`, where three of the heads share keys and values, run with `threads` threads. What shares keys is
/// one session; the sessions are extended in one call of the runtime.
void registerDecode(int threads);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_DECODE_H
