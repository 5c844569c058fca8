// Seeded random arguments: the same on every machine, since no math library takes part.
#ifndef NOVA_TOOLS_NOVA_RANDOM_H
#define NOVA_TOOLS_NOVA_RANDOM_H

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nova::tool {
/// Uniform and standard normal numbers from a 64-bit seed (SplitMix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits();
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// Standard normal, by Karney's algorithm N (ACM TOMS 42:1, 2016): comparisons of uniform numbers, no logarithm.
  double normal();

private:
  bool halfExponential();            // true with probability exp(-1/2)
  bool accept(unsigned k, double x); // true with probability exp(-x (2k + x) / (2k + 2))
  uint64_t state;
};

/// Fills a tensor: standard normals for floats, integers from -8 to 8, fair coins for i1. What argument `name` gets
/// depends on its name and the seed, not on what else is random.
void fillRandom(reference::Tensor &tensor, uint64_t seed, llvm::StringRef name);
} // namespace nova::tool

#endif
