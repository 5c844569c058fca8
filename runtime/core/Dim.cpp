//===- Dim.cpp ------------------------------------------------------------===//

#include "runtime/core/Dim.h"

#include <algorithm>

using namespace nova::runtime;

Dim::Dim(std::string text, std::vector<Term> termList) : sourceText(std::move(text)), terms(std::move(termList)) {
  if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1 &&
      terms[0].factors[0].exponent == 1)
    symbolAlone = static_cast<int32_t>(terms[0].factors[0].symbol);
  isConstant = terms.empty() || (terms.size() == 1 && terms[0].factors.empty());
  constant = terms.size() == 1 ? terms[0].coefficient : 0;
}

uint32_t Dim::degree(uint32_t symbol) const {
  uint32_t degree = 0;
  for (const Term &term : terms)
    for (const Factor &factor : term.factors)
      if (factor.symbol == symbol)
        degree = std::max(degree, factor.exponent);
  return degree;
}

std::vector<uint32_t> Dim::symbols() const {
  std::vector<uint32_t> found;
  for (const Term &term : terms)
    for (const Factor &factor : term.factors)
      found.push_back(factor.symbol);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

static bool evaluateTerm(const Term &term, const int64_t *values, int64_t &value) {
  // A zero factor decides before the others can overflow.
  value = 0;
  if (term.coefficient == 0)
    return true;
  for (const Factor &factor : term.factors)
    if (values[factor.symbol] == 0)
      return true;
  value = term.coefficient;
  for (const Factor &factor : term.factors)
    for (uint32_t i = 0; i < factor.exponent; ++i)
      if (__builtin_mul_overflow(value, values[factor.symbol], &value))
        return false;
  return true;
}

bool Dim::evaluateTerms(const int64_t *values, int64_t &value) const {
  // In 128 bits the order of terms does not decide whether an intermediate sum overflows.
  __int128 sum = 0;
  for (const Term &term : terms) {
    int64_t product = 0;
    if (!evaluateTerm(term, values, product))
      return false;
    sum += product;
  }
  value = static_cast<int64_t>(sum);
  return value == sum;
}

void Dim::splitLinear(uint32_t symbol, Dim &factor, Dim &rest) const {
  std::vector<Term> withSymbol, without;
  for (const Term &term : terms) {
    Term reduced{term.coefficient, {}};
    for (const Factor &f : term.factors)
      if (f.symbol != symbol)
        reduced.factors.push_back(f);
    (reduced.factors.size() < term.factors.size() ? withSymbol : without).push_back(std::move(reduced));
  }
  factor = Dim("", std::move(withSymbol));
  rest = Dim("", std::move(without));
}

bool nova::runtime::denseBytes(const int64_t *dims, int32_t rank, size_t elementSize, int64_t &bytes) {
  bytes = static_cast<int64_t>(elementSize);
  for (int32_t axis = 0; axis < rank; ++axis)
    if (dims[axis] == 0)
      bytes = 0;
  for (int32_t axis = 0; axis < rank && bytes != 0; ++axis)
    if (__builtin_mul_overflow(bytes, dims[axis], &bytes))
      return false;
  return true;
}
