#include "tests/random/SizeText.h"
#include <cctype>

namespace nova::test {
std::vector<std::string> split(const std::string &text, const std::string &sign) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(sign, begin)) != std::string::npos; begin = end + sign.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::string toString(const Sizes &sizes) {
  std::string text;
  for (auto [symbol, size] : sizes)
    text += " " + symbol + "=" + std::to_string(size);
  return text;
}

bool isNumber(const std::string &size) { return size.find_first_not_of("0123456789") == std::string::npos; }

std::vector<std::string> symbolsIn(const std::string &size) {
  std::vector<std::string> symbols;
  for (const std::string &term : split(size, " + "))
    for (const std::string &factor : split(term, " * "))
      if (!isNumber(factor))
        symbols.push_back(factor);
  return symbols;
}

int64_t sizeOf(const std::string &size, const Sizes &sizes) {
  int64_t sum = 0;
  for (const std::string &term : split(size, " + ")) {
    int64_t product = 1;
    for (const std::string &factor : split(term, " * "))
      product *= isNumber(factor) ? std::stoll(factor) : sizes.at(factor);
    sum += product;
  }
  return sum;
}

std::string sumOf(const std::string &a, const std::string &b) {
  if (isNumber(a) && isNumber(b))
    return std::to_string(std::stoll(a) + std::stoll(b));
  return a == "0" ? b : b == "0" ? a : a + " + " + b;
}

std::string productOf(const std::string &a, const std::string &b) {
  if (isNumber(a) && isNumber(b))
    return std::to_string(std::stoll(a) * std::stoll(b));
  return a == "1" ? b : b == "1" ? a : a + " * " + b;
}
} // namespace nova::test
