#include "tests/random/Scans.h"
#include <algorithm>

namespace nova::test {
bool sharedDivision(const Outcome &expected, const Outcome &found) {
  return expected.error.empty() && found.error.find("division by zero") != std::string::npos;
}

std::string compareCompiled(Draw &draw, const Backends &backends, const Tensors &arguments,
                            const Outcome &interpreted) {
  for (int threads : {1, 2})
    if (std::string text = differenceOfRuns(interpreted, backends.run(arguments, threads)); !text.empty())
      return text;
  int64_t rows = backends.isSequence() ? backends.rowsOf(arguments) : 0;
  if (rows <= 0)
    return "";
  std::vector<int64_t> pieces;
  for (int64_t left = rows; left > 0; left -= pieces.back())
    pieces.push_back(std::min<int64_t>(left, 1 + draw.below(draw.chance(50) ? 3 : 100)));
  return difference(interpreted, backends.feed(arguments, pieces, 2));
}
} // namespace nova::test
