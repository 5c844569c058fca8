//===- DecoderBlock.cpp -----------------------------------------------------===//

#include "benchmarks/DecoderBlock.h"
#include "benchmarks/Rate.h"
#include "benchmarks/StdLib.h"

#include <cmath>
#include <random>
#include <tuple>

namespace nova::benchmarks {
namespace {

constexpr int64_t Channels = 576, Groups = 3, HeadsPerGroup = 3, HalfWidth = 32, Hidden = 1536, Rows = 256;

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<float> data;
  nova_tensor_t view() { return {NOVA_F32, int32_t(dims.size()), dims.data(), data.data()}; }
};

/// Normal numbers times `scale`.
Tensor random(std::vector<int64_t> dims, double scale) {
  static std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  size_t count = 1;
  for (int64_t dim : dims)
    count *= size_t(dim);
  Tensor tensor{std::move(dims), std::vector<float>(count)};
  for (float &x : tensor.data)
    x = float(normal(generator) * scale);
  return tensor;
}

/// The block with weights such that values keep their size.
class Block {
public:
  explicit Block(nova_context_t *context) {
    constexpr int64_t width = 2 * HalfWidth, all = Groups * HeadsPerGroup * width;
    double in = 1 / std::sqrt(double(Channels));
    weights = {{{Channels}, std::vector<float>(Channels, 1.0f)},
               random({Groups, HeadsPerGroup, Channels, width}, in),
               random({Groups, Channels, width}, in),
               random({Groups, Channels, width}, in),
               random({all, Channels}, 1 / std::sqrt(double(all))),
               {{Channels}, std::vector<float>(Channels, 1.0f)},
               random({Channels, Hidden}, in),
               random({Channels, Hidden}, in),
               random({Hidden, Channels}, 1 / std::sqrt(double(Hidden))),
               {{HalfWidth}, std::vector<float>(HalfWidth)},
               {{}, {1e-5f}}};
    for (int64_t i = 0; i < HalfWidth; ++i)
      weights[9].data[size_t(i)] = float(std::pow(10000.0, -double(i) / HalfWidth));
    std::vector<nova_tensor_t> params;
    for (Tensor &weight : weights)
      params.push_back(weight.view());
    nova_instance_t *bound = nullptr;
    require(nova_instance_create(context, stdLibModule("decoder_block", "f32"), params.data(), params.size(), &bound));
    instance.reset(bound);
  }

  nova_instance_t *get() const { return instance.get(); }

private:
  std::vector<Tensor> weights; // before the instance, which borrows them
  std::unique_ptr<nova_instance_t, Releaser<nova_instance_release>> instance;
};

/// Rows through the block, alone or behind those of a session.
void run(nova_context_t *context, const Block &block, nova_session_t *session, Tensor &x, Tensor &y) {
  nova_tensor_t argument = x.view(), result = y.view();
  nova_run_t run{nullptr, session ? nullptr : block.get(), session, &argument, 1, &result, 1};
  require(nova_run(context, &run, 1));
}

void whole(benchmark::State &state, int threads) {
  Context context = makeContext(threads);
  Block block(context.get());
  Tensor x = random({Rows, Channels}, 1), y = x;
  run(context.get(), block, nullptr, x, y); // tries the products that are new
  for (auto _ : state)
    run(context.get(), block, nullptr, x, y);
}

/// One new row for each of `count` sessions: all of them in one call, or in a call each.
void step(benchmark::State &state, int threads, size_t count, bool together) {
  Context context = makeContext(threads);
  Block block(context.get());
  nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
  options.initial_rows = 2 * Rows;
  std::vector<Session> sessions;
  std::vector<Tensor> x, y;
  for (size_t i = 0; i < count; ++i) {
    nova_session_t *made = nullptr;
    require(nova_session_create_for_instance(block.get(), &options, &made));
    sessions.emplace_back(made);
    x.push_back(random({1, Channels}, 1));
    y.push_back(x.back());
  }
  Tensor prompt = random({Rows, Channels}, 1), out = prompt;
  auto restart = [&] {
    for (Session &session : sessions) {
      nova_session_reset(session.get());
      run(context.get(), block, session.get(), prompt, out);
    }
  };
  restart();
  std::vector<nova_tensor_t> in, results;
  for (size_t i = 0; i < count; ++i) {
    in.push_back(x[i].view());
    results.push_back(y[i].view());
  }
  std::vector<nova_run_t> runs;
  for (size_t i = 0; i < count; ++i)
    runs.push_back({nullptr, nullptr, sessions[i].get(), &in[i], 1, &results[i], 1});
  Rate rate(state);
  for (auto _ : state) {
    if (nova_session_length(sessions[0].get()) == 2 * Rows)
      rate.exclude(restart);
    for (size_t i = 0; i < count; i += together ? count : 1)
      require(nova_run(context.get(), &runs[i], together ? count : 1));
  }
}

} // namespace

void registerDecoderBlock(int threads) {
  std::string rows = std::to_string(Rows);
  benchmark::RegisterBenchmark(("block/f32/" + rows).c_str(), whole, threads)->Unit(benchmark::kMillisecond);
  for (auto [kind, count, together] : {std::tuple{"step", 1, true}, {"ragged8", 8, true}, {"inturn8", 8, false}})
    benchmark::RegisterBenchmark((std::string(kind) + "/f32/" + rows).c_str(), step, threads, count, together)
        ->Unit(benchmark::kMicrosecond);
}

} // namespace nova::benchmarks
