// Runs a graph's module through libnova, as an application would.
#include "compiler/transforms/CoreForm.h"
#include "nova/nova.h"
#include "tools/nova/Execution.h"
#include "tools/nova/Failure.h"
#include "tools/nova/HostTensor.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "tools/nova/Rows.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
namespace {
struct Release {
  void operator()(nova_module_t *module) const { nova_module_release(module); }
  void operator()(nova_context_t *context) const { nova_context_free(context); }
  void operator()(nova_session_t *session) const { nova_session_free(session); }
};
template <class T> using Handle = std::unique_ptr<T, Release>;

class CompiledExecution : public Execution {
public:
  CompiledExecution(Workspace &workspace, ModuleBytes source, Handle<nova_module_t> module,
                    Handle<nova_context_t> context)
      : workspace(workspace), source(std::move(source)), module(std::move(module)), context(std::move(context)) {}

  Expected<Tensors> run(const Tensors &arguments) override {
    Expected<Tensors> results = infer(nullptr, arguments);
    if (results)
      if (Error error = call(nullptr, arguments, *results))
        return std::move(error);
    return results;
  }
  Expected<Tensors> decode(const Tensors &arguments, ArrayRef<int64_t> chunks) override;
  json::Object describe() override {
    return json::Object{{"backend", "compiled"},
            {"version_hash", source.versionHash},
            {"target", nova_module_target(module.get())},
            {"found_in_store", source.found},
            {"threads", int64_t(nova_context_threads(context.get()))}};
  }

private:
  Expected<Tensors> infer(nova_session_t *session, const Tensors &arguments);
  Error call(nova_session_t *session, const Tensors &arguments, Tensors &results);

  Workspace &workspace;
  ModuleBytes source;
  Handle<nova_module_t> module;
  Handle<nova_context_t> context;
};
} // namespace

static Error toError(nova_status_t *status) {
  if (!status)
    return Error::success();
  std::string message = nova_status_message(status);
  nova_code_t code = nova_status_code(status);
  nova_status_free(status);
  bool input = code == NOVA_INVALID_ARGUMENT || code == NOVA_SHAPE_MISMATCH || code == NOVA_DIVISION_BY_ZERO ||
               code == NOVA_CAPACITY_EXCEEDED;
  return input ? badInput(message) : environmentFailure(message);
}

// Both lists name the types in the same words; the orders need not agree.
static Element elementOf(nova_type_t type) {
  switch (type) {
  case NOVA_F64:
    return Element::F64;
  case NOVA_F32:
    return Element::F32;
  case NOVA_I64:
    return Element::I64;
  case NOVA_I32:
    return Element::I32;
  case NOVA_I1:
    return Element::I1;
  }
  llvm_unreachable("libnova has five element types");
}

static nova_tensor_t view(const Tensor &tensor) {
  nova_tensor_t result{};
  for (nova_type_t type : {NOVA_F64, NOVA_F32, NOVA_I64, NOVA_I32, NOVA_I1})
    if (elementOf(type) == tensor.element)
      result.type = type;
  result.rank = tensor.shape.size();
  result.dims = tensor.shape.data();
  // libnova only reads arguments; the structure serves results too.
  result.data = const_cast<char *>(tensor.bytes.data());
  return result;
}

static SmallVector<nova_tensor_t> views(const Execution::Tensors &tensors) {
  SmallVector<nova_tensor_t> list;
  for (const Tensor &tensor : tensors)
    list.push_back(view(tensor));
  return list;
}

Expected<Execution::Tensors> CompiledExecution::infer(nova_session_t *session, const Tensors &arguments) {
  SmallVector<nova_tensor_t> inputs = views(arguments);
  size_t count = nova_module_result_count(module.get());
  std::vector<nova_port_t> ports(count);
  std::vector<std::vector<int64_t>> shapes(count);
  SmallVector<int64_t *> pointers;
  for (size_t i = 0; i < count; i++) {
    if (Error error = toError(nova_module_result(module.get(), i, &ports[i])))
      return std::move(error);
    shapes[i].resize(ports[i].rank);
    pointers.push_back(shapes[i].data());
  }
  if (Error error = toError(nova_module_infer(module.get(), session, inputs.data(), inputs.size(), pointers.data())))
    return std::move(error);
  Tensors results;
  for (size_t i = 0; i < count; i++) {
    Expected<Tensor> result = makeTensor("result " + Twine(ports[i].name), elementOf(ports[i].type), shapes[i]);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

Error CompiledExecution::call(nova_session_t *session, const Tensors &arguments, Tensors &results) {
  SmallVector<nova_tensor_t> inputs = views(arguments), outputs = views(results);
  nova_run_t run{module.get(), session, inputs.data(), inputs.size(), outputs.data(), outputs.size()};
  return toError(nova_run(context.get(), &run, 1));
}

// A module only knows that it has no sequence; the graph tells why.
static Error refuseDecode(Workspace &workspace) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> core = makeCoreForm(workspace);
  if (!core)
    return core.takeError();
  Expected<ExtendGraph> extend = makeExtend(coreGraph(**core));
  return extend ? environmentFailure("the module has no sequence, although its graph can be extended") : extend.takeError();
}

Expected<Execution::Tensors> CompiledExecution::decode(const Tensors &arguments, ArrayRef<int64_t> chunks) {
  if (!nova_module_is_sequence(module.get()))
    return refuseDecode(workspace);
  // The whole call is checked first, so that a wrong size is reported as in `nova run`.
  Expected<Tensors> results = infer(nullptr, arguments);
  if (!results)
    return results.takeError();
  nova_session_t *created = nullptr;
  if (Error error = toError(nova_session_create(module.get(), nullptr, &created)))
    return std::move(error);
  Handle<nova_session_t> session(created);

  SmallVector<int32_t> argumentAxes, resultAxes;
  int64_t total = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    nova_port_t port;
    if (Error error = toError(nova_module_argument(module.get(), i, &port)))
      return std::move(error);
    argumentAxes.push_back(port.sequence_axis);
    if (port.sequence_axis >= 0)
      total = arguments[i].shape[port.sequence_axis];
  }
  for (size_t i = 0; i < results->size(); i++) {
    nova_port_t port;
    if (Error error = toError(nova_module_result(module.get(), i, &port)))
      return std::move(error);
    resultAxes.push_back(port.sequence_axis);
  }

  Pieces pieces(total, chunks);
  while (std::optional<int64_t> piece = pieces.next()) {
    int64_t rows = *piece, past = nova_session_length(session.get());
    Tensors inputs;
    for (auto [i, argument] : enumerate(arguments))
      inputs.push_back(argumentAxes[i] >= 0 ? takeRows(argument, argumentAxes[i], past, rows) : argument);
    Expected<Tensors> outputs = infer(session.get(), inputs);
    if (!outputs)
      return outputs.takeError();
    if (Error error = call(session.get(), inputs, *outputs))
      return std::move(error);
    for (auto [i, output] : enumerate(*outputs)) {
      if (resultAxes[i] >= 0)
        putRows(output, (*results)[i], resultAxes[i], past);
      else
        (*results)[i] = std::move(output);
    }
  }
  return results;
}

Expected<std::unique_ptr<Execution>> makeCompiledExecution(Workspace &workspace, const RunOptions &run) {
  if (options::targets.size() > 1)
    return badInput("--target: expected one target to run on, found " + Twine(options::targets.size()));
  Expected<ModuleBytes> source = obtainModule(workspace);
  if (!source)
    return source.takeError();
  nova_module_options_t moduleOptions{sizeof(nova_module_options_t), nullptr};
  if (!options::targets.empty())
    moduleOptions.target = options::targets[0].c_str();
  nova_module_t *module = nullptr;
  if (Error error = toError(nova_module_load_memory(source->bytes.data(), source->bytes.size(), &moduleOptions, &module)))
    return std::move(error);
  Handle<nova_module_t> ownModule(module);
  nova_context_options_t contextOptions{sizeof(nova_context_options_t), run.threads, nullptr, nullptr};
  nova_context_t *context = nullptr;
  if (Error error = toError(nova_context_create(&contextOptions, &context)))
    return std::move(error);
  return std::make_unique<CompiledExecution>(workspace, std::move(*source), std::move(ownModule),
                                             Handle<nova_context_t>(context));
}
} // namespace nova::tool
