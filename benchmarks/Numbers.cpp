//===- Numbers.cpp ----------------------------------------------------------===//

#include "benchmarks/Numbers.h"
#include "compiler/reference/Storage.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace nova::benchmarks {
namespace {

template <class T> void put(char *to, T number) { std::memcpy(to, &number, sizeof(T)); }
template <class T> T get(const char *from) {
  T number;
  std::memcpy(&number, from, sizeof(T));
  return number;
}

} // namespace

Numbers::Numbers(nova_type_t type, size_t count, unsigned seed, double scale)
    : type(type), bytes(count * nova_type_size(type)) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (size_t i = 0; i < count; ++i) {
    double number = normal(generator) * scale;
    char *to = &bytes[i * nova_type_size(type)];
    if (type == NOVA_BF16)
      put(to, reference::narrow<reference::BFloat16>(number));
    else if (type == NOVA_F32)
      put(to, float(number));
    else
      put(to, number);
  }
}

double Numbers::operator[](size_t i) const {
  const char *from = &bytes[i * nova_type_size(type)];
  if (type == NOVA_BF16)
    return reference::widen(get<reference::BFloat16>(from));
  return type == NOVA_F32 ? get<float>(from) : get<double>(from);
}

void requireNear(double found, double expected, nova_type_t type) {
  // A result in bf16 is rounded once more, to 8 bits.
  double tolerance = type == NOVA_BF16 ? 0x1p-8 : type == NOVA_F32 ? 1e-4 : 1e-12;
  if (std::abs(found - expected) <= tolerance * (1 + std::abs(expected)))
    return;
  std::fprintf(stderr, "error: a result is %.17g where the formula gives %.17g\n", found, expected);
  std::exit(1);
}

} // namespace nova::benchmarks
