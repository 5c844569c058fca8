//===- Masks.cpp ------------------------------------------------------------===//

#include "benchmarks/Masks.h"

#include <algorithm>
#include <map>

namespace nova::benchmarks {

constexpr int64_t Window = 256, Prefix = 512, Block = 512;

constexpr MaskKind Masks[] = {
    {"window256",
     "  %w = constant 256 : i64[]\n"
     "  %last = subtract %row, %w\n"
     "  %future = greater %col, %row\n"
     "  %past = less_equal %col, %last\n"
     "  %hidden = or %future, %past\n",
     [](int64_t row, int64_t) { return double(std::min(row + 1, Window)); }},
    {"prefix512",
     "  %p = constant 512 : i64[]\n"
     "  %future = greater %col, %row\n"
     "  %rest = greater_equal %col, %p\n"
     "  %hidden = and %future, %rest\n",
     [](int64_t row, int64_t rows) { return double(std::min(rows, std::max(row + 1, Prefix))); }},
    {"blocks512",
     "  %b = constant 512 : i64[]\n"
     "  %mine = divide %row, %b\n"
     "  %other = divide %col, %b\n"
     "  %hidden = not_equal %mine, %other\n",
     [](int64_t row, int64_t rows) { return double(std::min(rows, (row / Block + 1) * Block) - row / Block * Block); }},
};

const MaskKind *findMask(const std::string &name) {
  const MaskKind *found =
      std::find_if(std::begin(Masks), std::end(Masks), [&](const MaskKind &mask) { return name == mask.name; });
  return found == std::end(Masks) ? nullptr : found;
}

nova_module_t *maskedAttention(const MaskKind &mask) {
  static std::map<std::string, Module> modules;
  Module &module = modules[mask.name];
  if (!module)
    module = compileText(
        std::string("graph @attention(%Q: f32[n, d], %K: f32[n, d], %V: f32[n, d]) -> f32[n, d] where d >= 1 {\n"
                    "  %S = call @std.nn.attention_scores(%Q, %K) : f32[n, n]\n"
                    "  %row = iota 0 : [n, 1]\n"
                    "  %col = iota 1 : [1, n]\n") +
        mask.hidden +
        "  %hide = constant -inf\n"
        "  %Sm = where %hidden, %hide, %S\n"
        "  %A = call @std.nn.softmax(%Sm) : f32[n, n]\n"
        "  %O = matmul %A, %V\n"
        "  return %O\n"
        "}\n");
  return module.get();
}

} // namespace nova::benchmarks
