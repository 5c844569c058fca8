// Inputs made from others: the same seed gives the same inputs.
#ifndef NOVA_TESTS_FUZZ_MUTATOR_H
#define NOVA_TESTS_FUZZ_MUTATOR_H

#include <random>
#include <string>
#include <vector>

namespace nova::fuzz {
class Mutator {
public:
  /// `seeds` are inputs of the format, `words` what they are made of.
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words, unsigned seed)
      : seeds(std::move(seeds)), words(std::move(words)), random(seed) {}

  /// A seed with a few changes: bits, bytes, numbers, words, pieces cut, doubled, swapped or taken from another seed. At
  /// most 64 KiB long.
  std::string next();

private:
  size_t below(size_t end) { return end ? random() % end : 0; }
  void change(std::string &bytes);

  std::vector<std::string> seeds, words;
  std::mt19937 random;
};
} // namespace nova::fuzz

#endif
