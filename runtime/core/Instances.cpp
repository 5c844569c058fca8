//===- Instances.cpp ------------------------------------------------------===//

#include "runtime/core/Instances.h"

using namespace nova::runtime;

/// A number of the manifest that must not be negative.
static Status evaluate(const Step &step, const char *what, const Dim &dim, const int64_t *dims, int64_t &value) {
  if (!dim.evaluate(dims, value))
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": the ", what, " ", dim.text(),
                " is more than 63 bits hold");
  if (value < 0)
    return fail(NOVA_MODULE_INVALID, "step ", step.kernel, ": expected the ", what, " ", dim.text(),
                " to be 0 or more, found ", value);
  return Status::success();
}

static Status tooFar(const Step &step) {
  return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": its last instance is farther than 63 bits hold");
}

/// Sizes of loops that do not run once, innermost first.
static Status planLoops(const Step &step, const int64_t *dims, std::vector<int64_t> &values, Instances &instances) {
  bool none = false, overflow = false;
  for (size_t axis = step.batch.size(); axis-- > 0;) {
    int64_t size;
    if (Status status = evaluate(step, "batch", step.batch[axis], dims, size))
      return status;
    none |= size == 0;
    overflow |= __builtin_mul_overflow(instances.count, static_cast<uint64_t>(size), &instances.count);
    if (size != 1) {
      values.push_back(size);
      ++instances.loops;
    }
  }
  if (none)
    instances.count = 0;
  else if (overflow)
    return fail(NOVA_SHAPE_MISMATCH, "step ", step.kernel, ": its instances are more than 63 bits hold");
  return Status::success();
}

/// `last` + (size - 1) * stride.
static Status reach(const Step &step, int64_t size, int64_t stride, int64_t &last) {
  int64_t way;
  if (__builtin_mul_overflow(size - 1, stride, &way) || __builtin_add_overflow(last, way, &last))
    return tooFar(step);
  return Status::success();
}

Status nova::runtime::planInstances(const Manifest &manifest, const Step &step, const LoopNest &nest,
                                    const int64_t *dims, const int64_t *strideDims, const Matrices *matrices,
                                    std::vector<int64_t> &values, Instances &instances) {
  instances = {};
  instances.sizesAt = values.size();
  if (Status status = planLoops(step, dims, values, instances))
    return status;
  instances.stridesAt = values.size();
  if (instances.count == 0)
    return Status::success();
  size_t buffers = step.buffers.size();
  instances.loopStridesAt = instances.stridesAt + instances.loops * buffers;
  values.resize(instances.loopStridesAt + nest.depth * buffers);
  for (size_t i = 0; i < buffers; ++i) {
    const StepBuffer &buffer = step.buffers[i];
    int64_t last = 0, lastRun = 0; // where the last instance begins, and the last run of the loops
    uint32_t loop = 0;
    for (size_t axis = step.batch.size(); axis-- > 0 && loop < instances.loops;) {
      int64_t size, stride;
      if (!step.batch[axis].evaluate(dims, size) || size == 1)
        continue;
      if (Status status = evaluate(step, "stride", buffer.strides[axis], strideDims, stride))
        return status;
      values[instances.stridesAt + loop * buffers + i] = stride;
      if (Status status = reach(step, size, stride, last))
        return status;
      ++loop;
    }
    for (uint32_t around = 0; around < nest.depth; ++around) {
      int64_t &stride = values[instances.loopStridesAt + around * buffers + i];
      if (Status status = evaluate(step, "stride", buffer.loopStrides[around], strideDims, stride))
        return status;
      if (Status status = reach(step, nest.repeats[around], stride, lastRun))
        return status;
    }
    int64_t lastMatrix = buffer.inMatrices ? last : 0;
    if (buffer.loopsInMatrices && __builtin_add_overflow(lastMatrix, lastRun, &lastMatrix))
      return tooFar(step);
    if ((buffer.inMatrices || buffer.loopsInMatrices) && lastMatrix >= matrices[buffer.buffer].count)
      return fail(NOVA_MODULE_INVALID, "step ", step.kernel, ": its last instance is at matrix ", lastMatrix,
                  " of buffer ", manifest.buffers[buffer.buffer].name, ", which has ", matrices[buffer.buffer].count);
  }
  return Status::success();
}
