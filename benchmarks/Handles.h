//===- Handles.h - libnova's handles with owners ----------------------------===//
#ifndef NOVA_BENCHMARKS_HANDLES_H
#define NOVA_BENCHMARKS_HANDLES_H

#include "nova/nova.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace nova::benchmarks {

/// Ends the program when a call of libnova failed: a benchmark that cannot run has no figure to report.
inline void require(nova_status_t *status) {
  if (!status)
    return;
  std::fprintf(stderr, "error: %s: %s\n", nova_code_name(nova_status_code(status)), nova_status_message(status));
  std::exit(1);
}

template <auto Release> struct Releaser {
  template <class Handle> void operator()(Handle *handle) const { Release(handle); }
};
using Module = std::unique_ptr<nova_module_t, Releaser<nova_module_release>>;
using Session = std::unique_ptr<nova_session_t, Releaser<nova_session_free>>;
using Context = std::unique_ptr<nova_context_t, Releaser<nova_context_free>>;

/// A context with `threads` threads.
inline Context makeContext(int threads, nova_onednn_t onednn = NOVA_ONEDNN_ON) {
  nova_context_options_t options = {sizeof(options), threads, nullptr, nullptr, onednn};
  nova_context_t *context = nullptr;
  require(nova_context_create(&options, &context));
  return Context(context);
}

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_HANDLES_H
