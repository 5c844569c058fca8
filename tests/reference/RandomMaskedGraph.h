//===- RandomMaskedGraph.h - Random graphs full of masks ---------------------===//
#ifndef NOVA_TESTS_REFERENCE_RANDOMMASKEDGRAPH_H
#define NOVA_TESTS_REFERENCE_RANDOMMASKEDGRAPH_H

#include "compiler/reference/Tensor.h"

#include <random>
#include <string>
#include <vector>

namespace nova::reference {

/// A random graph over values of shapes [n, n], [n, 1] and [1, n] of one float type: arithmetic, masks of iotas and of
/// data, `where` with constants in either branch, the `low` idiom, reductions and contractions. The same seed gives the
/// same graph and arguments.
class RandomMaskedGraph {
public:
  explicit RandomMaskedGraph(unsigned seed);

  const std::string &text() const { return source; }
  /// Positions of results that are 1 everywhere when every row of every `low` sees something.
  const std::vector<size_t> &guards() const { return guardResults; }
  /// Arguments for a size; mostly small finite numbers, now and then an infinity or a signed zero.
  std::vector<Tensor> arguments(int64_t n);
  /// Normally distributed numbers.
  std::vector<double> numbers(size_t count);

private:
  enum class Kind { Matrix, Column, Row, Scalar };
  struct Named {
    std::string name;
    Kind kind;
  };

  unsigned pick(unsigned count) { return std::uniform_int_distribution<unsigned>(0, count - 1)(generator); }
  Named pickNumber() { return numberValues[pick(numberValues.size())]; }
  Named pickOf(Kind kind);
  Named pickMask() { return maskValues[pick(maskValues.size())]; }
  std::string pickConstant();
  Named emit(const std::string &op, Kind kind);
  static Kind join(Kind a, Kind b);
  std::string typeOf(Kind kind, const std::string &element) const;

  void addOperation();
  void addMask();
  void addWhere();
  void addLow();

  std::mt19937 generator;
  std::string element, body, source;
  std::vector<Named> numberValues, maskValues;
  std::vector<Named> guardValues;
  std::vector<size_t> guardResults;
  int next = 0;
};

} // namespace nova::reference

#endif // NOVA_TESTS_REFERENCE_RANDOMMASKEDGRAPH_H
