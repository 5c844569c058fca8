//===- Numbers.h - Random numbers of an element type ------------------------===//
#ifndef NOVA_BENCHMARKS_NUMBERS_H
#define NOVA_BENCHMARKS_NUMBERS_H

#include "nova/nova.h"

#include <cstddef>
#include <vector>

namespace nova::benchmarks {

/// Normal numbers times `scale` in f64, f32 or bf16, the same ones in every program.
class Numbers {
public:
  Numbers(nova_type_t type, size_t count, unsigned seed, double scale = 1);

  /// Number `i` as the tensor has it, widened.
  double operator[](size_t i) const;
  void *at(size_t i) { return bytes.data() + i * nova_type_size(type); }

private:
  nova_type_t type;
  std::vector<char> bytes;
};

/// Ends the program unless a number that was computed lies near the one that a formula gives in f64, as near as its
/// type allows. What is kept in bf16 was computed in f32.
void requireNear(double found, double expected, nova_type_t type);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_NUMBERS_H
