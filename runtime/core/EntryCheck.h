//===- EntryCheck.h - The check of sizes at every call ----------*- C++ -*-===//
//
// All that remains of shape checking at run time: find the symbols from the actual shapes, compare every size with its
// polynomial, check the clauses. Messages name the argument, the axis, the expected expression with its value and where
// that came from, and what was found.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_ENTRYCHECK_H
#define NOVA_RUNTIME_CORE_ENTRYCHECK_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"

#include <cstddef>

namespace nova::runtime {

/// What a session fixes before a call that extends it.
struct SessionSizes {
  int64_t length;         // the rows it holds
  const int64_t *symbols; // the symbols of earlier calls, or null while the session is empty
};

/// Whether tensors must have data behind them.
enum class DataCheck { Required, Ignored };

/// Checks the params by themselves, with the clauses that only they decide, and finds the symbols they tell. `dims` has
/// room for every symbol.
Status checkParams(const Manifest &manifest, const nova_tensor_t *params, size_t count, int64_t *dims);

/// Checks the arguments that are no params and finds all symbols. `session` is null for a whole run. `params` have been
/// checked by themselves; null where there are none. `dims` has room for every symbol.
Status checkArguments(const Manifest &manifest, const SessionSizes *session, const nova_tensor_t *params,
                      const nova_tensor_t *arguments, size_t count, DataCheck data, int64_t *dims);

/// The size of one axis of a result for checked arguments, 0 or more.
Status resultSize(const Manifest &manifest, bool extends, size_t result, size_t axis, const int64_t *dims,
                  int64_t &size);

/// Checks the caller's result tensors against the symbols.
Status checkResults(const Manifest &manifest, bool extends, const nova_tensor_t *results, size_t count,
                    const int64_t *dims);

/// The bytes of a tensor that these checks have let pass.
int64_t checkedBytes(const nova_tensor_t &tensor);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_ENTRYCHECK_H
