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
      {"<[] (d0) -> () to (d0) -> (d0 + 1) or (d0) -> () to (d0) -> (11)>",
       [](int64_t p, int64_t c, auto...) { return c <= p || c < 11; }},
      {"<[] (d0) -> (9) to (d0) -> (30) or (d0) -> (30) to (d0) -> (d0 - 5) if (d0) -> (50 - d0)>",
       [](int64_t p, int64_t c, auto...) { return (c >= 9 && c < 30) || (p <= 50 && c >= 30 && c < p - 5); }},
      {"<[] (d0) -> () to (d0) -> () if (d0) -> (d0 - 4, -d0 + 45)>",
       [](int64_t p, auto...) { return p >= 4 && p <= 45; }},
      {"<[] (d0) -> () to (d0) -> (4) then (d0) -> (d0 - 20, 4) to (d0) -> (d0 + 1)>",
       [](int64_t p, int64_t c, auto...) { return c < 4 || (c >= p - 20 && c <= p); }},
      {"<[] (d0) -> () to (d0) -> (d0 - 1) then (d0) -> (d0 + 2) to (d0) -> ()>",
       [](int64_t p, int64_t c, auto...) { return c < p - 1 || c > p + 1; }},
      {"<[] (d0) -> () to (d0) -> (250) if (d0) -> (d0 - 3) then (d0) -> (255) to (d0) -> (260) then (d0) -> (300) to "
       "(d0) -> ()>",
       [](int64_t p, int64_t c, auto...) { return c >= 300 || (c < 250 && p >= 3) || (c >= 255 && c < 260); }},
      {"<[]>", [](auto...) { return false; }},
  };
}

} // namespace nova::test

#endif
