// Random graphs full of integer divisions, masks and things that hide quotients.
#ifndef NOVA_TESTS_TRANSFORMS_RANDOMQUOTIENTS_H
#define NOVA_TESTS_TRANSFORMS_RANDOMQUOTIENTS_H

#include "compiler/reference/Tensor.h"
#include <random>
#include <string>
#include <vector>

namespace nova::test {
/// A random graph over i64 values of shapes [n, n], [n, 1] and [1, n], with one or two results. The same seed gives the
/// same graph and arguments. With `inRows` arguments and results are [n, 1] or [1, n], masks are mostly of positions,
/// and sums mostly hide what later rows give, so that many graphs have an extend.
class RandomQuotients {
public:
  explicit RandomQuotients(unsigned seed, bool inRows = false);

  /// The graph; with `shuffled` its lines in another order that defines everything before it is read.
  std::string text(bool shuffled);
  /// Small numbers, zeros among them.
  std::vector<reference::Tensor> arguments(int64_t n);

private:
  enum class Shape { Matrix, Column, Row, Scalar };
  struct Named {
    std::string name;
    Shape shape;
  };
  struct Line {
    std::string name, expression;
    std::vector<std::string> operands;
  };

  unsigned pick(unsigned count) { return generator() % count; }
  const char *any(std::vector<const char *> words) { return words[pick(words.size())]; }
  const Named &pickOf(const std::vector<Named> &values);
  const Named &pickMatrix();
  static Shape join(Shape a, Shape b);
  static std::string typeOf(Shape shape);
  Named emit(const std::string &op, const std::vector<std::string> &operands, const std::string &rest, Shape shape);
  void addMask();
  void addPositionMask();
  void addNumber();
  void addSum();

  std::mt19937 generator;
  const bool inRows;
  std::vector<Line> lines;
  std::vector<Named> numberArguments, maskArguments, numbers, masks, results;
  Named row, col;
};
} // namespace nova::test

#endif
