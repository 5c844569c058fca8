// Ranges of columns as tiles write them, beside the same ranges as plain C++.
#ifndef NOVA_TESTS_CONVERSION_ROWRANGES_H
#define NOVA_TESTS_CONVERSION_ROWRANGES_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nova::test {

struct RowRange {
  std::string text = {}; ///< without the word before it; empty: all columns
  /// Whether the row at position p sees column c of `count`, where the size that the text names is `size`.
  std::function<bool(int64_t p, int64_t c, int64_t size, int64_t count)> sees = [](auto...) { return true; };
};

/// Every form of bound: growing and shrinking ends, windows, blocks, unions whose pieces may be empty, guards, nothing.
/// `size` is a symbol of the kernel.
inline std::vector<RowRange> rowRanges(const std::string &size) {
  auto between = [](auto low, auto high) {
    return [=](int64_t p, int64_t c, int64_t s, int64_t) { return c >= low(p, s) && c < high(p, s); };
  };
  return {
      {"<[] (d0) -> () to (d0) -> (d0 + 1)>", [](int64_t p, int64_t c, auto...) { return c <= p; }},
      {"<[] (d0) -> () to (d0) -> (d0 - 2)>", [](int64_t p, int64_t c, auto...) { return c < p - 2; }},
      {"<[] (d0) -> (d0 - 4) to (d0) -> (d0 + 1)>",
       between([](int64_t p, int64_t) { return p - 4; }, [](int64_t p, int64_t) { return p + 1; })},
      {"<[] (d0) -> (d0 - 299, 3) to (d0) -> (d0 + 2)>",
       between([](int64_t p, int64_t) { return std::max<int64_t>(p - 299, 3); },
               [](int64_t p, int64_t) { return p + 2; })},
      {"<[] (d0) -> (d0 + 1) to (d0) -> ()>", [](int64_t p, int64_t c, auto...) { return c > p; }},
      {"<[] (d0) -> () to (d0) -> (-d0 + 20)>", [](int64_t p, int64_t c, auto...) { return c < 20 - p; }},
      {"<[" + size + "] (d0)[s0] -> (-d0 + s0 - 9) to (d0)[s0] -> (-d0 + s0 + 3)>",
       between([](int64_t p, int64_t s) { return s - 9 - p; }, [](int64_t p, int64_t s) { return s + 3 - p; })},
      {"<[] (d0) -> ((d0 floordiv 7) * 7) to (d0) -> ((d0 floordiv 7) * 7 + 7)>",
       [](int64_t p, int64_t c, auto...) { return c / 7 == p / 7; }},
      {"<[] (d0) -> ((d0 - 40) floordiv 3) to (d0) -> ((d0 + 5) floordiv 2)>",
       between([](int64_t p, int64_t) { return (p - 40 + 120) / 3 - 40; },
               [](int64_t p, int64_t) { return (p + 5) / 2; })},
      // A window beside a prefix: between them is visible too, as the range is all from the first to the last.
      {"<[] (d0) -> () to (d0) -> (d0 + 1) or (d0) -> () to (d0) -> (11)>",
       [](int64_t p, int64_t c, auto...) { return c <= p || c < 11; }},
      {"<[] (d0) -> (9) to (d0) -> (12) or (d0) -> (30) to (d0) -> (d0 - 5) if (d0) -> (50 - d0)>",
       [](int64_t p, int64_t c, int64_t, int64_t count) {
         bool first = count > 9, second = p <= 50 && std::min(p - 5, count) > 30;
         int64_t low = first ? 9 : 30, high = second ? p - 5 : 12;
         return (first || second) && c >= low && c < high;
       }},
      {"<[] (d0) -> () to (d0) -> () if (d0) -> (d0 - 4, -d0 + 45)>",
       [](int64_t p, auto...) { return p >= 4 && p <= 45; }},
      {"<[]>", [](auto...) { return false; }},
  };
}

} // namespace nova::test

#endif
