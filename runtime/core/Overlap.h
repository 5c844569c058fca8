//===- Overlap.h - Memory that must not be shared ---------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_OVERLAP_H
#define NOVA_RUNTIME_CORE_OVERLAP_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <vector>

namespace nova::runtime {

/// Finds results that share memory with an argument, a param or another result of the same call. What is only read may
/// share.
class OverlapCheck {
public:
  enum class Role { Argument, Param, Result };

  /// A tensor of a call; `name` must live until the check.
  struct Range {
    uintptr_t begin, end;
    const std::string *name;
    uint32_t run;
    Role role;
  };

  void clear() { ranges.clear(); }
  void add(const Range &range) { ranges.push_back(range); }

  /// The failure names both tensors.
  Status check();

private:
  std::vector<Range> ranges;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_OVERLAP_H
