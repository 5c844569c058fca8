// nova bench: how fast a graph's module runs, measured by Google Benchmark.
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/LoadedModule.h"
#include "tools/nova/Options.h"
#include "tools/nova/RandomArguments.h"
#include "tools/nova/Rows.h"
#include "tools/nova/RunOptions.h"
#include "tools/nova/Work.h"
#include "llvm/ADT/StringExtras.h"
#include <benchmark/benchmark.h>
#include <iostream>

using namespace llvm;

namespace nova::tool {
namespace {
using Tensors = Execution::Tensors;

// What one --sizes asks for, with room for the results, so that nothing is allocated while time is taken.
struct Case {
  std::string name; // `n:2048,d:64`
  Bindings sizes;
  Tensors arguments, results;
  BoundParams instance;
  std::optional<double> operations; // of a run
};

// One row of a session that holds the case's rows, and a few more with every step.
struct Decode {
  const Case &whole;
  Handle<nova_session_t> session;
  Tensors row, result;
  int64_t rows;
};

// Steps before a session is filled anew, so that it stays near the size that was asked for.
constexpr int64_t stepsOfSession = 64;

class Bench {
public:
  Bench(Workspace &workspace, LoadedModule module) : workspace(workspace), module(std::move(module)) {}

  Error prepare();
  // The error of a run that failed half-way.
  Error measure();

private:
  Error addCase(const std::string &option, uint64_t seed);
  Error addDecode(const Case &whole);
  Error fill(Decode &decode);
  void run(benchmark::State &state, Case &each);
  void step(benchmark::State &state, Decode &decode);
  void fail(benchmark::State &state, Error error);

  Workspace &workspace;
  LoadedModule module;
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<std::unique_ptr<Decode>> decodes;
  Error failure = Error::success();
};
} // namespace

Error Bench::prepare() {
  Expected<uint64_t> seed = readSeed();
  if (!seed)
    return seed.takeError();
  if (options::sizes.empty() && workspace.getGraph().getNumGraphArguments())
    return badInput("expected --sizes, such as --sizes n:1024,d:64");
  if (options::sizes.empty())
    return addCase("", *seed);
  for (const std::string &option : options::sizes)
    if (Error error = addCase(option, *seed))
      return error;
  return Error::success();
}

Error Bench::addCase(const std::string &option, uint64_t seed) {
  Case &each = *cases.emplace_back(std::make_unique<Case>());
  each.name = option;
  std::string place = "--sizes " + option;
  if (!option.empty())
    if (Error error = readSizes(workspace.getGraph(), place, option, each.sizes))
      return error;
  for (unsigned i = 0; i < workspace.getGraph().getNumGraphArguments(); i++) {
    Expected<reference::Tensor> argument = makeRandomArgument(workspace, i, each.sizes, seed, place);
    if (!argument)
      return argument.takeError();
    each.arguments.push_back(std::move(*argument));
  }
  Expected<BoundParams> instance = module.bindParams(each.arguments);
  if (!instance)
    return instance.takeError();
  each.instance = std::move(*instance);
  Expected<Tensors> results = module.makeResults(each.instance.get(), nullptr, each.arguments);
  if (!results)
    return results.takeError();
  each.results = std::move(*results);
  // Fails here rather than while it is measured, where it can.
  if (Error error = module.run(each.instance.get(), nullptr, each.arguments, each.results))
    return error;
  Expected<std::optional<double>> operations = countOperations(workspace, each.sizes);
  if (!operations)
    return operations.takeError();
  each.operations = *operations;
  return options::decodeToo ? addDecode(each) : Error::success();
}

Error Bench::addDecode(const Case &whole) {
  if (!nova_module_is_sequence(module.getModule()))
    return refuseDecode(workspace);
  Expected<SmallVector<int32_t>> axes = module.argumentAxes();
  if (!axes)
    return axes.takeError();
  Decode &decode = *decodes.emplace_back(new Decode{whole, nullptr, {}, {}, 0});
  for (auto [argument, axis] : zip_equal(whole.arguments, *axes)) {
    if (axis >= 0)
      decode.rows = argument.shape[axis];
    if (axis >= 0 && argument.shape[axis] == 0)
      return badInput("--sizes " + whole.name + ": --decode needs a row to decode, found none");
    decode.row.push_back(axis >= 0 ? takeRows(argument, axis, 0, 1) : argument);
  }
  Expected<Handle<nova_session_t>> session = module.makeSession(whole.instance.get(), decode.rows + stepsOfSession);
  if (!session)
    return session.takeError();
  decode.session = std::move(*session);
  if (Error error = fill(decode))
    return error;
  Expected<Tensors> result = module.makeResults(whole.instance.get(), decode.session.get(), decode.row);
  if (!result)
    return result.takeError();
  decode.result = std::move(*result);
  return Error::success();
}

Error Bench::fill(Decode &decode) {
  nova_session_reset(decode.session.get());
  const Case &whole = decode.whole;
  Expected<Tensors> results = module.makeResults(whole.instance.get(), decode.session.get(), whole.arguments);
  if (!results)
    return results.takeError();
  return module.run(whole.instance.get(), decode.session.get(), whole.arguments, *results);
}

void Bench::fail(benchmark::State &state, Error error) {
  state.SkipWithError("failed");
  failure = joinErrors(std::move(failure), std::move(error));
}

void Bench::run(benchmark::State &state, Case &each) {
  for ([[maybe_unused]] auto iteration : state)
    if (Error error = module.run(each.instance.get(), nullptr, each.arguments, each.results))
      return fail(state, std::move(error));
  auto rate = [](double amount) { return benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate); };
  if (!each.results.empty() && !each.results[0].shape.empty())
    state.counters["rows/s"] = rate(double(each.results[0].shape[0]));
  if (each.operations)
    state.counters["FLOP/s"] = rate(*each.operations);
}

void Bench::step(benchmark::State &state, Decode &decode) {
  for ([[maybe_unused]] auto iteration : state) {
    if (nova_session_length(decode.session.get()) >= decode.rows + stepsOfSession) {
      state.PauseTiming();
      if (Error error = fill(decode))
        return fail(state, std::move(error));
      state.ResumeTiming();
    }
    if (Error error = module.run(decode.whole.instance.get(), decode.session.get(), decode.row, decode.result))
      return fail(state, std::move(error));
  }
  state.counters["rows/s"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}

// Reads the flags that the command line has left to the library.
static Error initializeLibrary() {
  // The library keeps the first word's address.
  static std::vector<std::string> words = {"nova bench"};
  words.insert(words.end(), options::benchmarkFlags.begin(), options::benchmarkFlags.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  int count = pointers.size();
  benchmark::Initialize(&count, pointers.data());
  if (count > 1)
    return badInput(Twine(pointers[1]) + ": no flag of Google Benchmark, or not a value of it");
  return Error::success();
}

Error Bench::measure() {
  auto add = [](const std::string &name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime()->Unit(benchmark::kMicrosecond);
  };
  auto suffix = [](const Case &each) { return each.name.empty() ? "" : "/" + each.name; };
  for (auto &each : cases)
    add("run" + suffix(*each), [this, &each](benchmark::State &state) { run(state, *each); });
  for (auto &each : decodes)
    add("decode" + suffix(each->whole), [this, &each](benchmark::State &state) { step(state, *each); });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!std::cout.flush())
    return joinErrors(std::move(failure), environmentFailure("cannot write to standard output"));
  return std::move(failure);
}

static Error bench(Workspace &workspace) {
  if (Error error = initializeLibrary())
    return error;
  Expected<RunOptions> run = readRunOptions();
  if (!run)
    return run.takeError();
  Expected<LoadedModule> module = LoadedModule::load(workspace, run->threads);
  if (!module)
    return module.takeError();
  Bench bench(workspace, std::move(*module));
  Error error = bench.prepare();
  return error ? std::move(error) : bench.measure();
}

int benchCommand() {
  Workspace workspace;
  if (!workspace.open())
    return BadInput;
  try {
    return exitWith(bench(workspace));
  } catch (const std::bad_alloc &) {
    return environmentError("not enough memory for the arguments and results");
  }
}
} // namespace nova::tool
