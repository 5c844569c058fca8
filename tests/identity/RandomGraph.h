// Random graphs, their disguises and their changes, with a definition of equality of its own.
#ifndef NOVA_TESTS_IDENTITY_RANDOMGRAPH_H
#define NOVA_TESTS_IDENTITY_RANDOMGRAPH_H

#include <random>
#include <string>
#include <vector>

namespace nova::test {
/// A graph over square matrices, rows, columns and scalars, as lines of text before names are chosen.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed);

  /// The text, with names, order of lines, comments, unused and repeated lines chosen by `seed`; 0 is plain.
  std::string text(unsigned seed = 0) const;
  /// Changes one thing that the result may need. The graph stays valid.
  void mutate(unsigned seed);
  /// What is computed, written out by a rule that shares nothing with the compiler: equal texts, equal graphs.
  std::string meaning() const;

private:
  enum Shape { Full, Row, Column, Scalar };
  struct Line {
    std::string op;
    std::vector<int> operands; // lines before this one
    std::string suffix;        // what follows the operands
    Shape shape;
    bool isBool = false;
  };
  static constexpr int kArguments = 3;
  static Shape join(Shape a, Shape b);
  int pick(bool isBool) const;
  void grow();
  std::string describe(int line, std::vector<std::string> &memo) const;

  mutable std::mt19937 random;
  std::vector<Line> lines; // the arguments first
  std::string clause;
};
} // namespace nova::test

#endif
