//===- Attention.cpp - Rates of causal attention -----------------------------===//

#include "benchmarks/Attention.h"

#include "benchmarks/Handles.h"
#include "benchmarks/Masks.h"
#include "benchmarks/Rate.h"
#include "benchmarks/StdLib.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace nova::benchmarks {
namespace {

struct Cell {
  nova_type_t type;
  int64_t heads, rows, width;

  std::string name(const char *kind) const {
    return std::string(kind) + "/" + nova_type_name(type) + "/" + std::to_string(heads) + "x" + std::to_string(rows) +
           "x" + std::to_string(width);
  }
};

constexpr Cell PrefillCells[] = {
    {NOVA_F32, 8, 1024, 64}, {NOVA_F32, 8, 2048, 64},  {NOVA_F32, 8, 1000, 64}, {NOVA_F32, 8, 1537, 48},
    {NOVA_F32, 8, 1537, 80}, {NOVA_F32, 4, 4096, 128}, {NOVA_F64, 4, 2048, 64},
};
/// Kinds of Masks.h.
constexpr std::pair<const char *, Cell> MaskedCells[] = {{"window256", {NOVA_F32, 8, 8192, 64}},
                                                         {"prefix512", {NOVA_F32, 8, 2048, 64}},
                                                         {"blocks512", {NOVA_F32, 8, 2048, 64}}};
constexpr Cell DecodeCells[] = {
    {NOVA_F32, 8, 256, 64}, {NOVA_F32, 8, 4096, 64}, {NOVA_F32, 8, 16384, 64}, {NOVA_F64, 8, 4096, 64}};

nova_module_t *causalModule(const Cell &cell) { return stdLibModule("causal_attention", nova_type_name(cell.type)); }

/// Standard normal numbers of the type, the same ones in every program.
std::vector<char> randomNumbers(nova_type_t type, size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<char> bytes(count * nova_type_size(type));
  for (size_t i = 0; i < count; ++i) {
    double number = normal(generator);
    float narrow = float(number);
    if (type == NOVA_F32)
      std::memcpy(&bytes[i * sizeof(float)], &narrow, sizeof(float));
    else
      std::memcpy(&bytes[i * sizeof(double)], &number, sizeof(double));
  }
  return bytes;
}

/// Q, K, V and O of every head, and runs over a window of their rows. `rows` of them exist.
class Heads {
public:
  Heads(nova_module_t *module, const Cell &cell, int64_t rows)
      : cell(cell), module(module), tensors(4 * cell.heads), runs(cell.heads) {
    for (unsigned part = 0; part < 4; ++part)
      data[part] = randomNumbers(cell.type, cell.heads * rows * cell.width, part);
    headBytes = rows * cell.width * nova_type_size(cell.type);
  }

  /// Runs all heads over rows `first` .. `first + count`, as whole runs or extending `sessions`.
  void run(nova_context_t *context, int64_t first, int64_t count, const std::vector<Session> *sessions = nullptr) {
    dims[0] = count;
    dims[1] = cell.width;
    size_t offset = first * cell.width * nova_type_size(cell.type);
    for (int64_t head = 0; head < cell.heads; ++head) {
      nova_tensor_t *parts = &tensors[4 * head];
      for (unsigned part = 0; part < 4; ++part)
        parts[part] = {cell.type, 2, dims, data[part].data() + head * headBytes + offset};
      runs[head] = {module, nullptr, sessions ? (*sessions)[head].get() : nullptr, parts, 3, parts + 3, 1};
    }
    require(nova_run(context, runs.data(), runs.size()));
  }

private:
  Cell cell;
  nova_module_t *module;
  std::vector<char> data[4];
  size_t headBytes;
  int64_t dims[2];
  std::vector<nova_tensor_t> tensors;
  std::vector<nova_run_t> runs;
};

/// Whole runs, of which `visible` entries of the scores are seen.
void measureWhole(benchmark::State &state, nova_module_t *module, const Cell &cell, double visible, int threads) {
  Context context = makeContext(threads);
  Heads heads(module, cell, cell.rows);
  Rate rate(state);
  for (auto _ : state)
    heads.run(context.get(), 0, cell.rows);
  rate.report("FLOPS", 4.0 * cell.heads * cell.width * visible * state.iterations());
}

void prefill(benchmark::State &state, const Cell &cell, int threads) {
  measureWhole(state, causalModule(cell), cell, double(cell.rows) * (cell.rows + 1) / 2, threads);
}

void masked(benchmark::State &state, const char *kind, const Cell &cell, int threads) {
  const MaskKind *mask = findMask(kind);
  double visible = 0;
  for (int64_t row = 0; row < cell.rows; ++row)
    visible += mask->visible(row, cell.rows);
  measureWhole(state, maskedAttention(*mask), cell, visible, threads);
}

/// Sessions that hold about cell.rows rows. A step makes them longer; they start over before that matters.
class DecodeSessions {
public:
  DecodeSessions(const Cell &cell, int threads)
      : cell(cell), context(makeContext(threads)), heads(causalModule(cell), cell, last(cell)) {
    nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
    options.initial_rows = last(cell);
    for (int64_t head = 0; head < cell.heads; ++head) {
      nova_session_t *session = nullptr;
      require(nova_session_create(causalModule(cell), &options, &session));
      sessions.emplace_back(session);
    }
    restart();
  }

  bool isSpent() const { return length == last(cell); }

  void restart() {
    for (Session &session : sessions)
      nova_session_reset(session.get());
    length = cell.rows - window(cell) / 2;
    heads.run(context.get(), 0, length, &sessions);
  }

  /// Adds one row to every session, one of a few that stay in cache as a row does that was just computed. Returns the
  /// number of keys it attended to.
  int64_t step() {
    heads.run(context.get(), length++ % recent, 1, &sessions);
    return length;
  }

private:
  static constexpr int64_t recent = 8;
  /// Rows between two starts.
  static int64_t window(const Cell &cell) { return std::max<int64_t>(64, cell.rows / 16); }
  static int64_t last(const Cell &cell) { return cell.rows + window(cell) / 2; }

  Cell cell;
  Context context;
  Heads heads;
  std::vector<Session> sessions;
  int64_t length = 0;
};

void decode(benchmark::State &state, const Cell &cell, int threads) {
  // Kept between repetitions: filling a long session takes far longer than the steps that are measured.
  static std::string held;
  static std::unique_ptr<DecodeSessions> sessions;
  if (held != cell.name("decode")) {
    sessions = std::make_unique<DecodeSessions>(cell, threads);
    held = cell.name("decode");
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

void registerAttention(int threads) {
  for (const Cell &cell : PrefillCells)
    benchmark::RegisterBenchmark(cell.name("prefill").c_str(), prefill, cell, threads)->Unit(benchmark::kMillisecond);
  for (const auto &[kind, cell] : MaskedCells)
    benchmark::RegisterBenchmark(cell.name(kind).c_str(), masked, kind, cell, threads)->Unit(benchmark::kMillisecond);
  for (const Cell &cell : DecodeCells)
    benchmark::RegisterBenchmark(cell.name("decode").c_str(), decode, cell, threads)->Unit(benchmark::kMicrosecond);
}

} // namespace nova::benchmarks
