//===- Dim.h - Dimensions as polynomials over symbols -----------*- C++ -*-===//
//
// The runtime's form of a dimension of docs/module-format.md. Symbols are indices into the manifest's symbol list;
// values are the `dims` array that kernels get. All arithmetic is checked for overflow.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_DIM_H
#define NOVA_RUNTIME_CORE_DIM_H

#include <cstdint>
#include <string>
#include <vector>

namespace nova::runtime {

/// A power of a symbol; the exponent is at least 1.
struct Factor {
  uint32_t symbol;
  uint32_t exponent;
  bool operator==(const Factor &other) const { return symbol == other.symbol && exponent == other.exponent; }
};

/// coefficient * product of factors.
struct Term {
  int64_t coefficient;
  std::vector<Factor> factors;
  bool operator==(const Term &other) const { return coefficient == other.coefficient && factors == other.factors; }
};

/// A polynomial with integer coefficients, and its text for messages.
class Dim {
public:
  Dim() = default;
  Dim(std::string text, std::vector<Term> terms);

  const std::string &text() const { return sourceText; }

  /// Whether both have the same terms in the same order, whatever their texts.
  bool operator==(const Dim &other) const { return terms == other.terms; }

  /// The symbol, if the polynomial is one symbol alone, else -1.
  int32_t plainSymbol() const { return symbolAlone; }

  /// The largest exponent of `symbol`; 0 if it does not occur.
  uint32_t degree(uint32_t symbol) const;

  /// The symbols that occur, ascending, each once.
  std::vector<uint32_t> symbols() const;

  /// Computes the value. False, with `value` unspecified, if it overflows 64 bits.
  [[nodiscard]] bool evaluate(const int64_t *values, int64_t &value) const {
    if (symbolAlone >= 0) {
      value = values[symbolAlone];
      return true;
    }
    if (isConstant) {
      value = constant;
      return true;
    }
    return evaluateTerms(values, value);
  }

  /// For a symbol of degree 1: the polynomials A and B with this = A * symbol + B, values of the symbol itself unused.
  void splitLinear(uint32_t symbol, Dim &factor, Dim &rest) const;

private:
  bool evaluateTerms(const int64_t *values, int64_t &value) const;

  std::string sourceText;
  std::vector<Term> terms;
  int32_t symbolAlone = -1;
  bool isConstant = true; // of one term, or none
  int64_t constant = 0;
};

/// The number of bytes of a dense tensor; false if it overflows 63 bits. A tensor with an axis of 0 has 0 bytes however
/// large the others are. No size may be negative.
[[nodiscard]] bool denseBytes(const int64_t *dims, int32_t rank, size_t elementSize, int64_t &bytes);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_DIM_H
