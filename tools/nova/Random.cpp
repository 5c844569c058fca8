#include "tools/nova/Random.h"

using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
uint64_t Random::bits() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

// Von Neumann: the length of a falling run that starts below 1/2 is even with probability exp(-1/2).
bool Random::halfExponential() {
  double last = 0.5;
  for (bool even = true;; even = !even) {
    double next = uniform();
    if (next >= last)
      return even;
    last = next;
  }
}

bool Random::accept(unsigned k, double x) {
  double last = x, share = (2 * k + x) / (2 * k + 2);
  for (bool even = true;; even = !even) {
    double next = uniform();
    if (next >= last || uniform() >= share)
      return even;
    last = next;
  }
}

double Random::normal() {
  for (;;) {
    unsigned k = 0;
    while (halfExponential())
      k++;
    bool kept = true;
    for (unsigned i = 0; kept && i < k * (k - (k > 0)); i++)
      kept = halfExponential();
    if (!kept)
      continue;
    double x = uniform();
    for (unsigned i = 0; kept && i <= k; i++)
      kept = accept(k, x);
    if (!kept)
      continue;
    double value = k + x;
    return bits() >> 63 ? -value : value;
  }
}

// FNV-1a: names give each argument a stream of its own.
static uint64_t nameHash(llvm::StringRef name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

template <class T, class Make> static void fill(Tensor &tensor, Make make) {
  T *data = tensor.data<T>();
  for (int64_t i = 0; i < tensor.size(); i++)
    data[i] = static_cast<T>(make());
}

void fillRandom(Tensor &tensor, uint64_t seed, llvm::StringRef name) {
  Random random(seed * 0x9e3779b97f4a7c15 ^ nameHash(name));
  auto normal = [&] { return random.normal(); };
  auto integer = [&] { return static_cast<int64_t>(random.uniform() * 17) - 8; };
  switch (tensor.element) {
  case Element::F64:
    return fill<double>(tensor, normal);
  case Element::F32:
    return fill<float>(tensor, normal);
  case Element::I64:
    return fill<int64_t>(tensor, integer);
  case Element::I32:
    return fill<int32_t>(tensor, integer);
  case Element::I1:
    return fill<uint8_t>(tensor, [&] { return random.bits() >> 63; });
  }
}
} // namespace nova::tool
