//===- Overlap.cpp --------------------------------------------------------===//

#include "runtime/core/Overlap.h"

#include <algorithm>

using namespace nova::runtime;

static std::string describe(const OverlapCheck::Range &range) {
  static constexpr const char *kRoles[] = {"argument ", "param ", "result "};
  return concat(kRoles[static_cast<size_t>(range.role)], *range.name, " of run ", range.run);
}

Status OverlapCheck::check() {
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  // Of the ranges that begin earlier only the one that reaches furthest can matter, of each kind.
  const Range *furthest = nullptr, *furthestResult = nullptr;
  for (const Range &range : ranges) {
    bool isResult = range.role == Role::Result;
    const Range *rival = isResult ? furthest : furthestResult;
    if (rival && rival->end > range.begin) {
      const Range &result = isResult ? range : *rival, &other = isResult ? *rival : range;
      return fail(NOVA_INVALID_ARGUMENT, describe(result), " shares memory with ", describe(other));
    }
    if (!furthest || range.end > furthest->end)
      furthest = &range;
    if (isResult && (!furthestResult || range.end > furthestResult->end))
      furthestResult = &range;
  }
  return Status::success();
}
