//===- Handles.h - Owners of the C interface's objects ----------*- C++ -*-===//

#ifndef NOVA_TESTS_RUNTIME_HANDLES_H
#define NOVA_TESTS_RUNTIME_HANDLES_H

#include "nova/nova.h"

#include <memory>
#include <string>

namespace nova::test {

template <typename T, void (*Free)(T *)> struct Deleter {
  void operator()(T *object) const { Free(object); }
};
using ModulePtr = std::unique_ptr<nova_module_t, Deleter<nova_module_t, nova_module_release>>;
using InstancePtr = std::unique_ptr<nova_instance_t, Deleter<nova_instance_t, nova_instance_release>>;
using SessionPtr = std::unique_ptr<nova_session_t, Deleter<nova_session_t, nova_session_free>>;
using ContextPtr = std::unique_ptr<nova_context_t, Deleter<nova_context_t, nova_context_free>>;

/// A status turned into text, released: "" for success, else "code name: message".
inline std::string take(nova_status_t *status) {
  if (!status)
    return "";
  std::string text = std::string(nova_code_name(nova_status_code(status))) + ": " + nova_status_message(status);
  nova_status_free(status);
  return text;
}

} // namespace nova::test

#endif // NOVA_TESTS_RUNTIME_HANDLES_H
