//===- Failure.h - What a kernel failed at ----------------------*- C++ -*-===//
//
// Kernels of a call may fail at many entries, on any thread. Which of them is told does not depend on that: the first
// one in the order of the module's operations, of an operation in a scan that of the first run, and of one operation
// the first entry. An operation comes after all that its operands follow from, so the first failure is one that the
// arguments caused, whatever other kernels made of what it left behind.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_FAILURE_H
#define NOVA_RUNTIME_CORE_FAILURE_H

#include "runtime/core/Manifest.h"

#include <cstddef>
#include <cstdint>

namespace nova::runtime {

/// What a kernel returns for an index outside its axis, beside the 1 for an integer division by zero.
constexpr int32_t kIndexOutside = 2;

/// A step of a run, as failures speak of it.
struct FailingStep {
  const Manifest *manifest;
  const Step *step;
  const int64_t *dims; // the symbols of the run
  uint32_t run, index; // among the runs of the call and the steps of the run
};

/// The least order() that a failure of the step can have.
uint64_t orderOf(const FailingStep &step);

/// One failure of a kernel.
class Failure {
public:
  Failure() = default;
  /// `scratch` is what the kernel has left; `runs` are those of the loops around the step, outermost first.
  Failure(const FailingStep &step, int32_t code, const void *scratch, uint64_t instance, const int64_t *runs);

  bool comesBefore(const Failure &other) const;
  /// Of several failures one of the least order comes first.
  uint64_t order() const;
  uint32_t run() const { return step.run; }
  nova_code_t code() const { return kernelCode == kIndexOutside ? NOVA_INDEX_OUT_OF_RANGE : NOVA_DIVISION_BY_ZERO; }
  /// The whole message.
  std::string text() const;

private:
  void place(const void *scratch, uint64_t instance, const int64_t *loopRuns);
  const Operation &operation() const { return step.manifest->operations[fault->operation]; }

  FailingStep step{};
  int32_t kernelCode = 0;
  const Fault *fault = nullptr; // null where the module does not say what its step may fail at
  int64_t index = 0, axisSize = 0;
  int64_t runs[kMaxLoops] = {}; // of the scans around the operation, outermost first
  int64_t position[kMaxRank] = {};
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_FAILURE_H
