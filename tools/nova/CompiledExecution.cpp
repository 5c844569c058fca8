// Runs a graph's module through libnova.
#include "tools/nova/Execution.h"
#include "tools/nova/LoadedModule.h"
#include "tools/nova/Options.h"
#include "tools/nova/Rows.h"
#include <chrono>
#include <optional>

using namespace llvm;

namespace nova::tool {
using Clock = std::chrono::steady_clock;

namespace {
class CompiledExecution : public Execution {
public:
  CompiledExecution(Workspace &workspace, LoadedModule module) : workspace(workspace), module(std::move(module)) {}

  Expected<Tensors> run(const Tensors &arguments) override {
    Expected<BoundParams> instance = module.bindParams(arguments);
    if (!instance)
      return instance.takeError();
    Expected<Tensors> results = module.makeResults(instance->get(), nullptr, arguments);
    if (results)
      if (Error error = module.run(instance->get(), nullptr, arguments, *results))
        return std::move(error);
    return results;
  }
  Expected<Tensors> decode(const Tensors &arguments, ArrayRef<int64_t> chunks) override;
  json::Object describe() override {
    return json::Object{{"backend", "compiled"},
                        {"version_hash", module.getSource().versionHash},
                        {"target", nova_module_target(module.getModule())},
                        {"found_in_store", module.getSource().found},
                        {"threads", int64_t(nova_context_threads(module.getContext()))}};
  }

  const DecodeStats *stats() override { return measured ? &*measured : nullptr; }

private:
  void takeTimes();

  Workspace &workspace;
  LoadedModule module;
  std::optional<DecodeStats> measured;
};
} // namespace

void CompiledExecution::takeTimes() {
  std::vector<nova_kernel_time_t> times(nova_context_kernel_times(module.getContext(), nullptr, 0));
  nova_context_kernel_times(module.getContext(), times.data(), times.size());
  for (const nova_kernel_time_t &time : times)
    measured->addKernel(time.kernel, time.calls, double(time.nanoseconds) * 1e-9);
}

Expected<Execution::Tensors> CompiledExecution::decode(const Tensors &arguments, ArrayRef<int64_t> chunks) {
  if (!nova_module_is_sequence(module.getModule()))
    return refuseDecode(workspace);
  Expected<BoundParams> instance = module.bindParams(arguments);
  if (!instance)
    return instance.takeError();
  // The whole call is checked first, so that a wrong size is reported as in `nova run`.
  Expected<Tensors> results = module.makeResults(instance->get(), nullptr, arguments);
  if (!results)
    return results.takeError();
  Expected<Handle<nova_session_t>> session = module.makeSession(instance->get(), 0);
  if (!session)
    return session.takeError();
  Expected<SmallVector<int32_t>> argumentAxes = module.argumentAxes();
  if (!argumentAxes)
    return argumentAxes.takeError();
  Expected<SmallVector<int32_t>> resultAxes = module.resultAxes();
  if (!resultAxes)
    return resultAxes.takeError();
  int64_t total = 0;
  for (auto [argument, axis] : zip_equal(arguments, *argumentAxes))
    if (axis >= 0)
      total = argument.shape[axis];

  if (options::stats) {
    measured.emplace();
    nova_context_measure(module.getContext(), 1);
  }
  Pieces pieces(total, chunks);
  while (std::optional<int64_t> piece = pieces.next()) {
    int64_t rows = *piece, past = nova_session_length(session->get());
    Tensors inputs;
    for (auto [argument, axis] : zip_equal(arguments, *argumentAxes))
      inputs.push_back(axis >= 0 ? takeRows(argument, axis, past, rows) : argument);
    Expected<Tensors> outputs = module.makeResults(instance->get(), session->get(), inputs);
    if (!outputs)
      return outputs.takeError();
    Clock::time_point start = Clock::now();
    if (Error error = module.run(instance->get(), session->get(), inputs, *outputs))
      return std::move(error);
    if (measured)
      measured->addCall(past, rows, std::chrono::duration<double>(Clock::now() - start).count(),
                        nova_session_bytes(session->get()));
    for (auto [output, result, axis] : zip_equal(*outputs, *results, *resultAxes)) {
      if (axis >= 0)
        putRows(output, result, axis, past);
      else
        result = std::move(output);
    }
  }
  if (measured)
    takeTimes();
  return results;
}

Expected<std::unique_ptr<Execution>> makeCompiledExecution(Workspace &workspace, const RunOptions &run) {
  Expected<LoadedModule> module = LoadedModule::load(workspace, run.threads);
  if (!module)
    return module.takeError();
  return std::make_unique<CompiledExecution>(workspace, std::move(*module));
}
} // namespace nova::tool
