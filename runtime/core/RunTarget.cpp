//===- RunTarget.cpp ------------------------------------------------------===//

#include "runtime/core/RunTarget.h"

using namespace nova::runtime;

Status nova::runtime::missingInstance(const Manifest &manifest) {
  std::string names;
  for (const Port &port : manifest.arguments)
    if (port.isParam)
      names += (names.empty() ? "" : ", ") + port.name;
  return fail(NOVA_INVALID_ARGUMENT, manifest.graph, " has params (", names,
              "): expected an instance of the module that binds them, found none");
}

Status nova::runtime::findTarget(const nova_module_t *module, const nova_instance_t *instance, const Session *session,
                                 RunTarget &target) {
  if (!module && !instance && !session)
    return fail(NOVA_INVALID_ARGUMENT, "the module is null");
  target.instance = instance ? instance->instance.get() : session ? session->instance() : nullptr;
  target.module = module ? module->module.get() : instance ? target.instance->module().get() : session->module().get();
  if (instance && target.instance->module().get() != target.module)
    return fail(NOVA_INVALID_ARGUMENT, "the instance belongs to another module");
  if (session && session->module().get() != target.module)
    return fail(NOVA_INVALID_ARGUMENT, "the session belongs to another module");
  if (session && session->instance() != target.instance)
    return fail(NOVA_INVALID_ARGUMENT, "the session belongs to another instance");
  if (target.module->manifest().params > 0 && !target.instance)
    return missingInstance(target.module->manifest());
  return Status::success();
}
