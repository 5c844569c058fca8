//===- Masks.h - Attention under other masks than the causal one ------------===//
#ifndef NOVA_BENCHMARKS_MASKS_H
#define NOVA_BENCHMARKS_MASKS_H

#include "benchmarks/Module.h"

namespace nova::benchmarks {

/// A mask over positions, by what a row hides. `hidden` are lines of a graph that give `%hidden` from `%row` and
/// `%col`.
struct MaskKind {
  const char *name;
  const char *hidden;
  /// The columns that a row of `rows` sees.
  double (*visible)(int64_t row, int64_t rows);
};

/// `window256`: the last 256 rows up to the row. `prefix512`: rows up to it, and the first 512. `blocks512`: the rows
/// of its own block of 512.
const MaskKind *findMask(const std::string &name);

/// The module of attention under this mask for one head in f32, compiled at the first call and kept.
nova_module_t *maskedAttention(const MaskKind &mask);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_MASKS_H
