//===- Status.h - Failures inside libnova -----------------------*- C++ -*-===//
//
// A Status is null for success, else it owns the nova_status_t that the C interface hands out. Functions of the runtime
// report every expected failure this way; the only exception they let through is std::bad_alloc, which the C interface
// turns into a status at the boundary.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_STATUS_H
#define NOVA_RUNTIME_CORE_STATUS_H

#include "nova/nova.h"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

struct nova_status_t {
  nova_code_t code;
  std::string message;
};

namespace nova::runtime {

struct StatusDeleter {
  void operator()(nova_status_t *status) const { nova_status_free(status); }
};

/// Success, or an owned failure. Move-only; converts to true when it is a failure.
class [[nodiscard]] Status {
public:
  Status() = default;
  explicit Status(nova_status_t *failure) : failure(failure) {}

  static Status success() { return Status(); }
  /// The status for memory that could not be had. Never allocates.
  static Status outOfMemory();

  explicit operator bool() const { return failure != nullptr; }
  nova_code_t code() const { return failure ? failure->code : NOVA_OK; }
  std::string_view message() const { return failure ? std::string_view(failure->message) : std::string_view(); }
  /// Hands the failure (or null) to the caller of the C interface.
  nova_status_t *release() { return failure.release(); }

private:
  std::unique_ptr<nova_status_t, StatusDeleter> failure;
};

namespace detail {
inline void append(std::string &to, std::string_view part) { to.append(part); }
template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
void append(std::string &to, Integer part) {
  to.append(std::to_string(part));
}
} // namespace detail

/// The parts, texts and integers, in a row.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

/// A failure whose message is the parts in a row.
template <typename... Parts> Status fail(nova_code_t code, const Parts &...parts) {
  return Status(new nova_status_t{code, concat(parts...)});
}

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_STATUS_H
