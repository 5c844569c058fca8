//===- Qualification.h - Does a vendor's product give our bits? -*- C++ -*-===//
//
// A library may sum in another order, start from another zero, flush subnormals, leave fma out or lose a NaN, and it
// chooses its code by sizes and strides. So it is asked, for every shape, before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_QUALIFICATION_H
#define NOVA_RUNTIME_CORE_QUALIFICATION_H

#include "runtime/core/OneDnn.h"

namespace nova::runtime {

enum class Verdict {
  Canonical, // every bit as docs/arithmetic.md has it
  Different,
  Unknown // it could not be tried: no memory, or the vendor could not
};

/// Multiplies matrices of numbers of all kinds, among them infinities, NaNs, subnormals and products that underflow to
/// -0, and compares every bit with sums made by fma in order from +0 that are added to the totals. What is around the
/// result's columns must be left alone. Any two NaNs are the same: results are made canonical where they are stored.
Verdict qualify(const Vendor &vendor, const ProductShape &shape);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_QUALIFICATION_H
