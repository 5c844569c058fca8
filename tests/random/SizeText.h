// Sizes as the random graphs write them: sums of products of symbols and numbers, `n * 2 + 3`.
#ifndef NOVA_TESTS_RANDOM_SIZETEXT_H
#define NOVA_TESTS_RANDOM_SIZETEXT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nova::test {
using Sizes = std::map<std::string, int64_t>;

/// The parts of `text` between occurrences of `sign`.
std::vector<std::string> split(const std::string &text, const std::string &sign);
/// The symbols in a size, each as often as it occurs.
std::vector<std::string> symbolsIn(const std::string &size);
bool isNumber(const std::string &size);
int64_t sizeOf(const std::string &size, const Sizes &sizes);
/// ` n=3 d=4`: for messages.
std::string toString(const Sizes &sizes);
/// A sum; of numbers a number.
std::string sumOf(const std::string &a, const std::string &b);
/// A product; of numbers a number. Neither may be a sum.
std::string productOf(const std::string &a, const std::string &b);
} // namespace nova::test

#endif
