//===- Instances.h - The batch of a step for the sizes of a run -*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_INSTANCES_H
#define NOVA_RUNTIME_CORE_INSTANCES_H

#include "runtime/core/Module.h"

namespace nova::runtime {

/// The instances of a step. Loops that run once are left out, so that a batch of one costs nothing.
struct Instances {
  uint64_t count = 1;
  uint32_t loops = 0;
  size_t sizesAt = 0;   // in the list of values: the loops' sizes, innermost first
  size_t stridesAt = 0; // for each loop, innermost first, one stride per buffer of the step
  size_t loopStridesAt = 0;
};

/// The loops around a step, outermost first: how often each runs.
struct LoopNest {
  uint32_t depth = 0;
  int64_t repeats[16]; // as many as the manifest allows
};

/// Evaluates a step's batch for the symbols `dims` and appends its sizes and strides, in the units of the manifest, to
/// `values`. Strides are those for `strideDims`: in a ragged batch there are the rows of other runs too. `matrices`
/// tells, by buffer of the module, how many matrices a temporary or a state has. Failures are NOVA_MODULE_INVALID (a
/// negative number, an instance beyond the matrices of its buffer) and NOVA_SHAPE_MISMATCH (more than 63 bits hold).
/// What the loops around the step add to the place of an instance is appended too, from `loopStridesAt` on: for each of
/// them, outermost first, one stride per buffer of the step.
Status planInstances(const Manifest &manifest, const Step &step, const LoopNest &nest, const int64_t *dims,
                     const int64_t *strideDims, const Matrices *matrices, std::vector<int64_t> &values,
                     Instances &instances);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_INSTANCES_H
