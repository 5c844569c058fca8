//===- Decode.cpp -----------------------------------------------------------===//

#include "benchmarks/Decode.h"

#include "benchmarks/Heads.h"
#include "benchmarks/Module.h"
#include "benchmarks/Rate.h"
#include "benchmarks/StdLib.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

namespace nova::benchmarks {
namespace {

constexpr Cell DecodeCells[] = {
    {NOVA_F32, 8, 256, 64}, {NOVA_F32, 8, 4096, 64}, {NOVA_F32, 8, 16384, 64}, {NOVA_F64, 8, 4096, 64}};
constexpr Cell FreeCells[] = {{NOVA_F32, 8, 4096, 64, 1, 1, true}, {NOVA_F64, 8, 4096, 64, 1, 1, true}};
constexpr Cell GroupedCell = {NOVA_F32, 3, 8192, 64, 3};

/// One group: R heads that share keys and values, side by side as a product gives them.
nova_module_t *groupModule() {
  static Module module =
      compileText("graph @group(%Q: f32[n, R, d], %K: f32[n, d], %V: f32[n, d]) -> f32[n, R, d] where d >= 1 {\n"
                  "  %q = transpose %Q, [1, 0, 2]\n"
                  "  %o = scan @std.nn.causal_attention over(%q) with(%K, %V) : f32[R, n, d]\n"
                  "  %O = transpose %o, [1, 0, 2]\n"
                  "  return %O\n"
                  "}\n");
  return module.get();
}

nova_module_t *moduleOf(const Cell &cell) {
  return cell.queries > 1 ? groupModule() : stdLibModule("causal_attention", nova_type_name(cell.type), cell.freeOrder);
}

/// Sessions that hold about cell.rows rows. A step makes them longer; they start over before that matters.
class DecodeSessions {
public:
  DecodeSessions(const Cell &cell, int threads)
      : cell(cell), context(makeContext(threads)), heads(moduleOf(cell), cell, last(cell)) {
    nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
    options.initial_rows = last(cell);
    for (int64_t head = 0; head < cell.heads; ++head) {
      nova_session_t *session = nullptr;
      require(nova_session_create(moduleOf(cell), &options, &session));
      sessions.emplace_back(session);
    }
    restart();
  }

  bool isSpent() const { return length == last(cell); }

  void restart() {
    for (Session &session : sessions)
      nova_session_reset(session.get());
    length = first(cell);
    heads.run(context.get(), 0, length, &sessions);
  }

  /// Adds one row to every session, one of a few that stay in cache as a row does that was just computed. Returns the
  /// number of keys it attended to.
  int64_t step() {
    heads.run(context.get(), length++ % recent, 1, &sessions);
    return length;
  }

  /// Ends the program unless the last step gave what the formula gives.
  void check() const {
    std::vector<int64_t> seen;
    for (int64_t row = 0; row < length; ++row)
      seen.push_back(row < first(cell) ? row : row % recent);
    heads.check(seen.back(), seen);
  }

private:
  static constexpr int64_t recent = 8;
  /// Rows between two starts.
  static int64_t window(const Cell &cell) { return std::max<int64_t>(64, cell.rows / 16); }
  static int64_t first(const Cell &cell) { return cell.rows - window(cell) / 2; }
  static int64_t last(const Cell &cell) { return cell.rows + window(cell) / 2; }

  Cell cell;
  Context context;
  Heads heads;
  std::vector<Session> sessions;
  int64_t length = 0;
};

void decode(benchmark::State &state, const char *kind, const Cell &cell, int threads) {
  // Kept between repetitions: filling a long session takes far longer than the steps that are measured.
  static std::string held;
  static std::unique_ptr<DecodeSessions> sessions;
  if (held != cell.name(kind)) {
    sessions = std::make_unique<DecodeSessions>(cell, threads);
    held = cell.name(kind);
    sessions->step();
    sessions->check();
  }
  double keys = 0;
  Rate rate(state);
  for (auto _ : state) {
    if (sessions->isSpent())
      rate.exclude([] { sessions->restart(); });
    keys += sessions->step();
  }
  rate.report("bytes_per_second", 2.0 * cell.heads * keys * cell.width * nova_type_size(cell.type));
}

} // namespace

void registerDecode(int threads) {
  auto add = [&](const char *kind, const Cell &cell) {
    benchmark::RegisterBenchmark(cell.name(kind).c_str(), decode, kind, cell, threads)->Unit(benchmark::kMicrosecond);
  };
  for (const Cell &cell : DecodeCells)
    add("decode", cell);
  for (const Cell &cell : FreeCells)
    add("decode_free", cell);
  add("decode_grouped3", GroupedCell);
}

} // namespace nova::benchmarks
