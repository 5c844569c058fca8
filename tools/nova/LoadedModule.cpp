#include "tools/nova/LoadedModule.h"
#include "compiler/reference/Nibbles.h"
#include "compiler/transforms/CoreForm.h"
#include "tools/nova/Failure.h"
#include "tools/nova/HostTensor.h"
#include "tools/nova/Options.h"

using namespace llvm;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
Error toError(nova_status_t *status) {
  if (!status)
    return Error::success();
  std::string message = nova_status_message(status);
  nova_code_t code = nova_status_code(status);
  nova_status_free(status);
  bool input = code == NOVA_INVALID_ARGUMENT || code == NOVA_SHAPE_MISMATCH || code == NOVA_DIVISION_BY_ZERO ||
               code == NOVA_INDEX_OUT_OF_RANGE || code == NOVA_CAPACITY_EXCEEDED;
  return input ? badInput(message) : environmentFailure(message);
}

Error rememberProducts() {
  std::string path = options::noStore ? "" : openStore().directory() + "/onednn";
  return toError(nova_onednn_remember(path.c_str()));
}

// Both lists name the types in the same words; the orders need not agree.
static Element elementOf(nova_type_t type) {
  StringRef name = nova_type_name(type);
  const Element *found =
      find_if(reference::allElements, [&](Element each) { return name == reference::toString(each); });
  assert(found != std::end(reference::allElements) && "libnova has no type that graphs lack");
  return *found;
}

void TensorViews::add(const Tensor &tensor) {
  nova_tensor_t &view = list.emplace_back();
  StringRef name = reference::toString(tensor.element);
  for (int type = 0; const char *each = nova_type_name(nova_type_t(type)); type++)
    if (name == each)
      view.type = nova_type_t(type);
  view.rank = tensor.shape.size();
  view.dims = tensor.shape.data();
  // libnova only reads arguments; the structure serves results too.
  view.data = const_cast<char *>(tensor.bytes.data());
  if (tensor.element == Element::I4)
    view.data = packed.emplace_back(reference::packNibbles(tensor)).data();
}

void TensorViews::fetch(Execution::Tensors &tensors) const {
  for (auto [view, tensor] : zip_equal(list, tensors))
    if (tensor.element == Element::I4)
      reference::unpackNibbles(static_cast<const char *>(view.data), tensor);
}

Expected<LoadedModule> LoadedModule::load(Workspace &workspace, int32_t threads) {
  if (options::targets.size() > 1)
    return badInput("--target: expected one target to run on, found " + Twine(options::targets.size()));
  Expected<ModuleBytes> source = obtainModule(workspace);
  if (!source)
    return source.takeError();
  if (!source->problem.empty())
    warn("the module is not kept: " + source->problem);
  nova_module_options_t moduleOptions{sizeof(nova_module_options_t), nullptr};
  if (!options::targets.empty())
    moduleOptions.target = options::targets[0].c_str();
  nova_module_t *module = nullptr;
  if (Error error =
          toError(nova_module_load_memory(source->bytes.data(), source->bytes.size(), &moduleOptions, &module)))
    return std::move(error);
  Handle<nova_module_t> ownModule(module);
  if (Error error = rememberProducts())
    return std::move(error);
  nova_context_options_t contextOptions{sizeof(nova_context_options_t), threads, nullptr, nullptr,
                                        options::onednn == "off" ? NOVA_ONEDNN_OFF : NOVA_ONEDNN_ON};
  nova_context_t *context = nullptr;
  if (Error error = toError(nova_context_create(&contextOptions, &context)))
    return std::move(error);
  LoadedModule loaded(std::move(*source), std::move(ownModule), Handle<nova_context_t>(context));
  if (Error error = loaded.findParams())
    return std::move(error);
  return loaded;
}

Error LoadedModule::findParams() {
  for (size_t i = 0; i < nova_module_argument_count(module.get()); i++) {
    nova_port_t port;
    if (Error error = toError(nova_module_argument(module.get(), i, &port)))
      return error;
    params.push_back(port.is_param);
  }
  return Error::success();
}

TensorViews LoadedModule::viewsWhere(bool isParam, const Tensors &arguments) const {
  TensorViews views;
  for (auto [argument, param] : zip_equal(arguments, params))
    if (param == isParam)
      views.add(argument);
  return views;
}

Expected<BoundParams> LoadedModule::bindParams(const Tensors &arguments) const {
  BoundParams bound;
  bound.views = viewsWhere(/*isParam=*/true, arguments);
  nova_instance_t *instance = nullptr;
  const auto &list = bound.views.get();
  if (!list.empty())
    if (Error error = toError(nova_instance_create(context.get(), module.get(), list.data(), list.size(), &instance)))
      return std::move(error);
  bound.instance.reset(instance);
  return bound;
}

Expected<SmallVector<int32_t>> LoadedModule::axes(bool results) const {
  SmallVector<int32_t> list;
  size_t count = results ? nova_module_result_count(module.get()) : nova_module_argument_count(module.get());
  for (size_t i = 0; i < count; i++) {
    nova_port_t port;
    auto *describe = results ? nova_module_result : nova_module_argument;
    if (Error error = toError(describe(module.get(), i, &port)))
      return std::move(error);
    list.push_back(port.sequence_axis);
  }
  return list;
}

Expected<Execution::Tensors> LoadedModule::makeResults(const nova_instance_t *instance, nova_session_t *session,
                                                       const Tensors &arguments) const {
  TensorViews views = viewsWhere(/*isParam=*/false, arguments);
  const auto &inputs = views.get();
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
  if (Error error =
          toError(nova_module_infer(module.get(), instance, session, inputs.data(), inputs.size(), pointers.data())))
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

Error LoadedModule::run(const nova_instance_t *instance, nova_session_t *session, const Tensors &arguments,
                        Tensors &results) const {
  TensorViews inputs = viewsWhere(/*isParam=*/false, arguments), outputs;
  for (const Tensor &result : results)
    outputs.add(result);
  nova_run_t run{module.get(),        instance, session, inputs.get().data(), inputs.get().size(), outputs.get().data(),
                 outputs.get().size()};
  if (Error error = toError(nova_run(context.get(), &run, 1)))
    return error;
  outputs.fetch(results);
  return Error::success();
}

Expected<Handle<nova_session_t>> LoadedModule::makeSession(nova_instance_t *instance, int64_t rows) const {
  nova_session_options_t options = NOVA_SESSION_OPTIONS_INIT;
  options.initial_rows = rows;
  nova_session_t *session = nullptr;
  if (Error error = toError(instance ? nova_session_create_for_instance(instance, &options, &session)
                                     : nova_session_create(module.get(), &options, &session)))
    return std::move(error);
  return Handle<nova_session_t>(session);
}

// A module only knows that it has no sequence; the graph tells why.
Error refuseDecode(Workspace &workspace) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> core = makeCoreForm(workspace);
  if (!core)
    return core.takeError();
  Expected<ExtendGraph> extend = makeExtend(coreGraph(**core));
  if (extend)
    report_fatal_error("the module has no sequence, although its graph can be extended");
  return extend.takeError();
}
} // namespace nova::tool
