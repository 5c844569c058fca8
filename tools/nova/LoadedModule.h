// The module of the workspace's graph in libnova, as an application would use it.
#ifndef NOVA_TOOLS_NOVA_LOADEDMODULE_H
#define NOVA_TOOLS_NOVA_LOADEDMODULE_H

#include "nova/nova.h"
#include "tools/nova/Execution.h"
#include "tools/nova/ModuleSource.h"
#include <list>
#include <memory>

namespace nova::tool {
struct ReleaseHandle {
  void operator()(nova_module_t *module) const { nova_module_release(module); }
  void operator()(nova_instance_t *instance) const { nova_instance_release(instance); }
  void operator()(nova_context_t *context) const { nova_context_free(context); }
  void operator()(nova_session_t *session) const { nova_session_free(session); }
};
template <class T> using Handle = std::unique_ptr<T, ReleaseHandle>;

/// The failure of a status, which is freed.
llvm::Error toError(nova_status_t *status);
/// What oneDNN is found to do is remembered beside the store's entries, if the store is used.
llvm::Error rememberProducts();
/// Tensors for libnova, which must stay as they are while these views are used. Of i4 they are packed copies.
class TensorViews {
public:
  void add(const reference::Tensor &tensor);
  const std::vector<nova_tensor_t> &get() const { return list; }
  /// Takes over what was written to the views of these tensors, which are those that were added.
  void fetch(Execution::Tensors &tensors) const;

private:
  std::vector<nova_tensor_t> list;
  std::list<std::vector<char, reference::TensorAllocator<char>>> packed;
};

/// An instance, null without params, and what it was made of.
struct BoundParams {
  TensorViews views;
  Handle<nova_instance_t> instance;
  nova_instance_t *get() const { return instance.get(); }
};

class LoadedModule {
public:
  using Tensors = Execution::Tensors;

  /// Finds the module in the store or compiles it, and loads it for the target that the options name. `threads` as in
  /// nova_context_options_t.
  static llvm::Expected<LoadedModule> load(Workspace &workspace, int32_t threads);

  nova_module_t *getModule() const { return module.get(); }
  nova_context_t *getContext() const { return context.get(); }
  const ModuleBytes &getSource() const { return source; }

  /// The axis of each argument that grows with a session, -1 for none.
  llvm::Expected<llvm::SmallVector<int32_t>> argumentAxes() const { return axes(/*results=*/false); }
  llvm::Expected<llvm::SmallVector<int32_t>> resultAxes() const { return axes(/*results=*/true); }

  /// Binds the params among all arguments, which must stay as they are; null if there are none.
  llvm::Expected<BoundParams> bindParams(const Tensors &arguments) const;

  // In what follows `instance` is what bindParams has given, and params among the arguments are passed over.

  /// Checks the arguments and makes room for the results.
  llvm::Expected<Tensors> makeResults(const nova_instance_t *instance, nova_session_t *session,
                                      const Tensors &arguments) const;
  /// Runs once.
  llvm::Error run(const nova_instance_t *instance, nova_session_t *session, const Tensors &arguments,
                  Tensors &results) const;
  /// An empty session with room for `rows`; the graph must have a sequence.
  llvm::Expected<Handle<nova_session_t>> makeSession(nova_instance_t *instance, int64_t rows) const;

private:
  LoadedModule(ModuleBytes source, Handle<nova_module_t> module, Handle<nova_context_t> context)
      : source(std::move(source)), module(std::move(module)), context(std::move(context)) {}
  llvm::Error findParams();
  TensorViews viewsWhere(bool isParam, const Tensors &arguments) const;
  llvm::Expected<llvm::SmallVector<int32_t>> axes(bool results) const;

  ModuleBytes source;
  Handle<nova_module_t> module;
  Handle<nova_context_t> context;
  llvm::SmallVector<bool> params; // by argument
};

/// Why the workspace's graph, whose module has no sequence, has none: a diagnostic with place, path and witness.
llvm::Error refuseDecode(Workspace &workspace);
} // namespace nova::tool

#endif
