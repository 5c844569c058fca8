#include "tools/nova/Random.h"
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Entries.h"

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

void fillRandom(Tensor &tensor, uint64_t seed, llvm::StringRef name) {
  Random random(seed * 0x9e3779b97f4a7c15 ^ nameHash(name));
  // An i4 ends at 7.
  auto integer = [&] {
    int64_t value = static_cast<int64_t>(random.uniform() * 17) - 8;
    return tensor.element == Element::I4 ? std::min<int64_t>(value, 7) : value;
  };
  reference::visitElement(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T *data = tensor.data<T>();
    for (int64_t i = 0; i < tensor.size(); i++)
      data[i] = reference::isFloat(tensor.element) ? reference::castTo<T>(random.normal())
                : tensor.element == Element::I1    ? reference::castTo<T>(int64_t(random.bits() >> 63))
                                                   : reference::castTo<T>(integer());
  });
}
} // namespace nova::tool
