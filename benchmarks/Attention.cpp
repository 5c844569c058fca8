//===- Attention.cpp - Rates of whole runs of attention ----------------------===//

#include "benchmarks/Attention.h"

#include "benchmarks/Heads.h"
#include "benchmarks/Masks.h"
#include "benchmarks/Rate.h"
#include "benchmarks/StdLib.h"

#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <vector>

namespace nova::benchmarks {
namespace {

/// 8x8192x64 is the shape of window256.
constexpr Cell PrefillCells[] = {
    {NOVA_F32, 8, 1024, 64},  {NOVA_F32, 8, 2048, 64}, {NOVA_F32, 8, 1000, 64},
    {NOVA_F32, 8, 1537, 48},  {NOVA_F32, 8, 1537, 80}, {NOVA_F32, 8, 8192, 64},
    {NOVA_F32, 4, 4096, 128}, {NOVA_F64, 4, 2048, 64}, {NOVA_BF16, 8, 2048, 64},
};
/// Scores twenty times wider, of which far fewer have a weight that counts.
constexpr Cell WideCells[] = {{NOVA_F32, 8, 2048, 64, 1, 20}, {NOVA_F64, 4, 2048, 64, 1, 20}};
constexpr Cell FreeCells[] = {
    {NOVA_F32, 8, 2048, 64, 1, 1, true}, {NOVA_F32, 4, 4096, 128, 1, 1, true}, {NOVA_F64, 4, 2048, 64, 1, 1, true}};
/// Kinds of Masks.h.
constexpr std::pair<const char *, Cell> MaskedCells[] = {{"window256", {NOVA_F32, 8, 8192, 64}},
                                                         {"prefix512", {NOVA_F32, 8, 2048, 64}},
                                                         {"blocks512", {NOVA_F32, 8, 2048, 64}}};

/// Causal attention on what is kept in bf16, as is its result. It is computed in f32.
nova_module_t *storedModule() {
  static Module module =
      compileText("graph @attention(%Q: bf16[n, d], %K: bf16[n, d], %V: bf16[n, d]) -> bf16[n, d] where d >= 1 {\n"
                  "  %q = cast %Q : f32\n"
                  "  %k = cast %K : f32\n"
                  "  %v = cast %V : f32\n"
                  "  %o = call @std.nn.causal_attention(%q, %k, %v) : f32[n, d]\n"
                  "  %O = cast %o : bf16\n"
                  "  return %O\n"
                  "}\n");
  return module.get();
}

nova_module_t *causalModule(const Cell &cell) {
  return cell.type == NOVA_BF16 ? storedModule()
                                : stdLibModule("causal_attention", nova_type_name(cell.type), cell.freeOrder);
}

/// Whole runs, of which `visible` entries of the scores are seen.
void measureWhole(benchmark::State &state, Heads &heads, const Cell &cell, double visible, int threads) {
  Context context = makeContext(threads);
  Rate rate(state);
  for (auto _ : state)
    heads.run(context.get(), 0, cell.rows);
  rate.report("FLOPS", 4.0 * cell.heads * cell.width * visible * state.iterations());
}

void prefill(benchmark::State &state, const Cell &cell, int threads) {
  Heads heads(causalModule(cell), cell, cell.rows);
  measureWhole(state, heads, cell, double(cell.rows) * (cell.rows + 1) / 2, threads);
  for (int64_t row : {int64_t(0), cell.rows / 2, cell.rows - 1}) {
    std::vector<int64_t> seen(row + 1);
    std::iota(seen.begin(), seen.end(), 0);
    heads.check(row, seen);
  }
}

void masked(benchmark::State &state, const char *kind, const Cell &cell, int threads) {
  const MaskKind *mask = findMask(kind);
  double visible = 0;
  for (int64_t row = 0; row < cell.rows; ++row)
    visible += mask->visible(row, cell.rows);
  Heads heads(maskedAttention(*mask), cell, cell.rows);
  measureWhole(state, heads, cell, visible, threads);
}

} // namespace

void registerAttention(int threads) {
  auto add = [&](const std::string &kind, const Cell &cell, auto... arguments) {
    benchmark::RegisterBenchmark(cell.name(kind).c_str(), arguments..., cell, threads)->Unit(benchmark::kMillisecond);
  };
  for (const Cell &cell : PrefillCells)
    add("prefill", cell, prefill);
  for (const Cell &cell : WideCells)
    add("prefill_wide20", cell, prefill);
  for (const Cell &cell : FreeCells)
    add("prefill_free", cell, prefill);
  for (const auto &[kind, cell] : MaskedCells)
    add(kind, cell, masked, kind);
}

} // namespace nova::benchmarks
