//===- StandIns.h - Vendors in place of oneDNN ------------------*- C++ -*-===//

#ifndef NOVA_TESTS_RUNTIME_STANDINS_H
#define NOVA_TESTS_RUNTIME_STANDINS_H

#include "runtime/core/OneDnn.h"

#include <atomic>
#include <vector>

namespace nova::test {

/// A product that is right, and counts its calls in `rightCalls`.
runtime::Vendor rightVendor();
extern std::atomic<int> rightCalls;

/// Products that each do one thing wrong that a library may do. `name` says what.
const std::vector<runtime::Vendor> &wrongVendors();

/// One that cannot work.
runtime::Vendor failingVendor();

} // namespace nova::test

#endif // NOVA_TESTS_RUNTIME_STANDINS_H
