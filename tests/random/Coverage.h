// Which operations were compared at which element types and ranks.
#ifndef NOVA_TESTS_RANDOM_COVERAGE_H
#define NOVA_TESTS_RANDOM_COVERAGE_H

#include "tests/random/GraphText.h"
#include <ostream>
#include <set>

namespace nova::test {
/// An operation at an element type and a rank.
struct Cell {
  std::string op;
  Kind kind;
  size_t rank;
};
/// Everything that there is: ranks of the result, for reductions of the operand.
std::vector<Cell> allCells();

class Coverage {
public:
  /// Counts what the results of the graph are made of.
  void add(const GraphText &graph);
  /// One line per operation, one column per element type: the ranks that occurred.
  void print(std::ostream &os) const;
  /// The share of the possible (operation, type, rank) that occurred, and the pairs (operation, type) that never did.
  double share() const;
  std::vector<std::string> missing() const;

private:
  std::map<std::pair<std::string, Kind>, std::set<size_t>> seen;
};
} // namespace nova::test

#endif
