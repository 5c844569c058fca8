//===- Failure.cpp --------------------------------------------------------===//

#include "runtime/core/Failure.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

// Where kernels leave what they failed at: docs/module-format.md.
constexpr size_t kFaultAt = 12, kIndexAt = 16, kSizeAt = 24, kPositionAt = 64;

template <typename T> static T read(const void *scratch, size_t at) {
  T value;
  std::memcpy(&value, static_cast<const char *>(scratch) + at, sizeof value);
  return value;
}

/// Steps that do not say what they fail at come behind those that do, in their own order.
static uint64_t orderOf(uint32_t run, uint32_t within) { return uint64_t{run} << 32 | within; }
static uint32_t orderWithoutFaults(uint32_t step) { return uint32_t{1} << 31 | step; }

uint64_t nova::runtime::orderOf(const FailingStep &step) {
  uint32_t within = orderWithoutFaults(step.index);
  for (const Fault &fault : step.step->faults)
    within = std::min(within, step.manifest->operations[fault.operation].order);
  return ::orderOf(step.run, within);
}

Failure::Failure(const FailingStep &step, int32_t code, const void *scratch, uint64_t instance, const int64_t *runs)
    : step(step), kernelCode(code) {
  if (code == kIndexOutside && scratch) {
    index = read<int64_t>(scratch, kIndexAt);
    axisSize = read<int64_t>(scratch, kSizeAt);
  }
  const std::vector<Fault> &faults = step.step->faults;
  if (faults.empty() || !scratch)
    return;
  auto number = read<uint32_t>(scratch, kFaultAt);
  fault = &faults[std::min<size_t>(number, faults.size() - 1)];
  place(scratch, instance, runs);
}

/// The position of the entry and the runs of the scans, of which the instance tells a part.
void Failure::place(const void *scratch, uint64_t instance, const int64_t *loopRuns) {
  for (uint32_t axis = 0; axis < fault->axes; ++axis)
    position[axis] = read<int64_t>(scratch, kPositionAt + 8 * axis);
  size_t scans = operation().scans.size();
  if (fault->runs.empty())
    std::copy_n(loopRuns, scans, runs);
  for (size_t axis = step.step->batch.size(); axis-- > 0;) { // the innermost axis counts first
    int64_t size = 1;
    if (!step.step->batch[axis].evaluate(step.dims, size) || size <= 0)
      return; // not the batch of a step that was run
    auto at = static_cast<int64_t>(instance % static_cast<uint64_t>(size));
    instance /= static_cast<uint64_t>(size);
    if (const Fault::Along &along = fault->batch[axis]; along.axis >= 0)
      position[along.axis] += at * along.step;
    for (size_t scan = 0; scan < fault->runs.size(); ++scan)
      if (fault->runs[scan] == static_cast<int32_t>(axis))
        runs[scan] = at;
  }
}

uint64_t Failure::order() const {
  return ::orderOf(step.run, fault ? operation().order : orderWithoutFaults(step.index));
}

bool Failure::comesBefore(const Failure &other) const {
  if (order() != other.order() || !fault || !other.fault)
    return order() < other.order();
  const std::vector<uint32_t> &scans = operation().scans, &theirs = other.operation().scans;
  for (size_t i = 0; i < std::min(scans.size(), theirs.size()) && scans[i] == theirs[i]; ++i)
    if (runs[i] != other.runs[i])
      return runs[i] < other.runs[i];
  if (fault->operation != other.fault->operation)
    return fault->operation < other.fault->operation;
  return std::lexicographical_compare(position, position + fault->axes, other.position,
                                      other.position + other.fault->axes);
}

std::string Failure::text() const {
  std::string at;
  for (uint32_t axis = 0; fault && axis < fault->axes; ++axis)
    at += concat(axis == 0 ? " at [" : ", ", position[axis]);
  if (!at.empty())
    at += "]";
  std::string what = kernelCode == kIndexOutside ? concat("index ", index, at, " is outside an axis of size ", axisSize)
                                                 : concat("integer division by zero", at);
  if (!fault)
    return concat(what, " in step ", step.step->kernel, " of ", step.manifest->graph);
  for (size_t i = operation().scans.size(); i-- > 0;) {
    const Scan &scan = step.manifest->scans[operation().scans[i]];
    int64_t first = 0;
    if (!scan.first.evaluate(step.dims, first))
      first = 0;
    what += concat(", in run ", runs[i] + first, " of ", scan.text);
  }
  return concat(operation().text, ": ", what);
}
