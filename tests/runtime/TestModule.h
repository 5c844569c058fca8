//===- TestModule.h - Modules made by the tests -----------------*- C++ -*-===//

#ifndef NOVA_TESTS_RUNTIME_TESTMODULE_H
#define NOVA_TESTS_RUNTIME_TESTMODULE_H

#include "tests/runtime/Handles.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nova::test {

using Json = nlohmann::json;

// --- Manifests, to be changed by tests before they are sealed.

/// A dimension that is one symbol, one number, or a product of symbols, each named once, and a number.
Json symbolDim(const std::string &name);
Json constantDim(int64_t value);
Json productDim(const std::vector<std::string> &symbols, int64_t coefficient = 1);

/// A buffer of a step: strides are dimensions, in bytes or in matrices.
Json stepBuffer(int buffer, Json strides = Json::array(), const char *unit = "bytes");
/// The buffers of a step without a batch.
Json stepBuffers(const std::vector<int> &buffers);

/// f32 O[n, d] = 2 * Q[n, d] + row, n and d of any size; one step in blocks of 4 rows.
Json scaleManifest();
/// f64 total[1] and prefix[n] of Q[n, d]: three steps with a temporary, the second descending.
Json prefixManifest();
/// f64 O[n, d] = running sums of X[n, d] plus w[d], as a sequence n = t + m; clause d >= 1.
Json runningManifest();
/// The same, where rows of several sessions may go together, and i64 mates[n]: how many rows went with each, itself
/// included. A first step copies the rows, together, and those of the running sums are run apart.
Json raggedManifest();
/// The manifest of a sequence whose states are rows of f64[n, d], with this said.
Json described(Json manifest);
/// i64 quotient[n] and rest[n] of a[n], b[n]; can fail.
Json divideManifest();

/// i64 first[H, n] and second[H, n], copies of a[H, n] and b[H, n], by a step for each with H instances. What numbers
/// below 0 fail at is told: -1 in `a` is operation 1, in `b` -1 is operation 0 and -2 operation 2.
Json faultyManifest();

/// i64 copy[n] of a[n], as a sequence where rows of several sessions may go together: a number -1 fails.
Json raggedFaultyManifest();

// The same for B times H instances, each of which is one of the above.

/// f64 prefix[B, H, n] of Q[B, H, n, d], and raised[B, H, n] = prefix + the sum of all instances' totals. Four steps:
/// the second joins the first, the third is one step over all instances, the fourth reads what it wrote.
Json prefixBatchManifest();
/// f64 O[B, H, n, d] = running sums of X[B, H, n, d] plus w[d], as a sequence; the state is B * H matrices.
Json runningBatchManifest();
/// i64 quotient[H, n] and rest[H, n] of a[H, n], b[H, n]; can fail.
Json divideBatchManifest();

/// f64 O[n, d] of X[n, d] and w[L]: L layers one after the other, each of which hands a carry from row to row: carry =
/// carry / 2 + row. Loops in a loop; the carries are states that do not grow. Fails at a number -1000.
Json carryManifest();

// With params: bound once, and what follows from them is prepared.

/// f64 O[n, k] = X[n, c] * W[c, k] + b[k], and i64 calls[1]; W and b are params, in the order W, X, b; W is prepared
/// turned, and calls is how often that was done. Clauses k >= 1, which only params decide, and n >= k.
Json linearManifest();
/// f64 O[L, n, k] = X[n, c] * W[L, c, k] + b[k] for L layers; the prepared W is L matrices.
Json layersManifest();
/// As runningManifest, where w is a param of which twice is prepared and added.
Json runningParamManifest();
/// i64 quotient[n] and rest[n] of (a / b) and b, both params; no arguments; can fail, first of all while preparing.
Json divideParamManifest();

// With library tiles.

/// f32 out[n, c] = A[n, k] * B[k, c] and i64 carried[n]: 1 for rows that a library tile carried; one step in blocks
/// of 64.
Json libraryManifest();
/// i64 place[B, H, n] and count[B, H, n]: the position that a row is told, and the rows of its launch, in blocks of 4;
/// a step that folds. `x`, i64[B, H, n], only gives the sizes.
Json foldManifest();

/// The bytes of a module with test kernels and this manifest, sealed.
std::string makeModule(const Json &manifest);
/// The same, with any text as manifest.
std::string makeModuleFromText(const std::string &manifest);
/// The bytes of the object before a manifest is written and before it is sealed.
const std::string &blankModule();

// --- The C interface's objects (Handles.h).

/// Loads, makes, or fails the test.
ModulePtr load(const Json &manifest);
ContextPtr makeContext(int32_t threads);
SessionPtr makeSession(nova_module_t *module, int64_t initialRows = 0, int64_t maxRows = -1);
InstancePtr makeInstance(nova_context_t *context, nova_module_t *module, const std::vector<nova_tensor_t> &params);
SessionPtr makeSession(nova_instance_t *instance);

/// A tensor with memory of its own.
template <typename T> struct Tensor {
  std::vector<int64_t> dims;
  std::vector<T> data;

  explicit Tensor(std::vector<int64_t> shape, T fill = T()) : dims(std::move(shape)) {
    size_t count = 1;
    for (int64_t size : dims)
      count *= static_cast<size_t>(size);
    data.assign(count, fill);
  }
  nova_tensor_t view() {
    nova_type_t type = sizeof(T) == 4 ? NOVA_F32 : std::is_integral_v<T> ? NOVA_I64 : NOVA_F64;
    return {type, static_cast<int32_t>(dims.size()), dims.data(), data.data()};
  }
};

/// Fills with distinct values that sums of doubles hold exactly.
template <typename T> void fill(Tensor<T> &tensor, int seed) {
  for (size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] = static_cast<T>((i * 7 + static_cast<size_t>(seed) * 13) % 101);
}

/// One run of a module with its argument and result lists.
struct ModuleRun {
  nova_module_t *module;
  nova_session_t *session = nullptr;
  std::vector<nova_tensor_t> arguments, results;
  nova_instance_t *instance = nullptr;
  nova_run_t view() const {
    return {module, instance, session, arguments.data(), arguments.size(), results.data(), results.size()};
  }
};

/// nova_run as text.
std::string run(nova_context_t *context, const std::vector<ModuleRun> &runs);

} // namespace nova::test

#endif // NOVA_TESTS_RUNTIME_TESTMODULE_H
