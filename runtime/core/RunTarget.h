//===- RunTarget.h - What a run names ---------------------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_RUNTARGET_H
#define NOVA_RUNTIME_CORE_RUNTARGET_H

#include "runtime/core/Session.h"

namespace nova::runtime {

/// The module of a run and its params.
struct RunTarget {
  const Module *module;
  const ModuleInstance *instance; // null only if the module has no params

  const nova_tensor_t *params() const { return instance ? instance->params() : nullptr; }
};

/// Puts together what a run names: each of the three may be null where another one tells it. They must belong together,
/// and a module with params needs an instance.
Status findTarget(const nova_module_t *module, const nova_instance_t *instance, const Session *session,
                  RunTarget &target);

/// The failure for a module with params where no instance of it is given.
Status missingInstance(const Manifest &manifest);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_RUNTARGET_H
