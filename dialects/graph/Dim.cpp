#include "dialects/graph/Dim.h"
#include "dialects/graph/NovaDialect.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace mlir;

namespace nova {
namespace {
// A polynomial unpacked: monomial (symbol -> exponent) -> coefficient.
using Monomial = std::map<std::string, int64_t>;

// Higher degree first, then by text: the printed order.
struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const {
    int64_t da = 0, db = 0;
    for (auto &[s, e] : a)
      da += e;
    for (auto &[s, e] : b)
      db += e;
    if (da != db)
      return da > db;
    return a < b;
  }
};
using Polynomial = std::map<Monomial, int64_t, MonomialOrder>;

Polynomial unpack(DimAttr dim) {
  Polynomial p;
  ArrayRef<int64_t> terms = dim.getTerms();
  size_t width = dim.getAtoms().size() + 1;
  for (size_t i = 0; i + width <= terms.size(); i += width) {
    Monomial m;
    for (size_t k = 1; k < width; k++)
      if (terms[i + k])
        m[cast<StringAttr>(dim.getAtoms()[k - 1]).str()] = terms[i + k];
    p[m] = terms[i];
  }
  return p;
}

DimAttr pack(MLIRContext *context, const Polynomial &p) {
  std::map<std::string, size_t> index;
  for (auto &[m, c] : p)
    for (auto &[s, e] : m)
      index.emplace(s, 0);
  SmallVector<Attribute> atoms;
  for (auto &[s, i] : index) {
    i = atoms.size();
    atoms.push_back(StringAttr::get(context, s));
  }
  SmallVector<int64_t> terms;
  for (auto &[m, c] : p) {
    size_t at = terms.size();
    terms.resize(at + 1 + atoms.size(), 0);
    terms[at] = c;
    for (auto &[s, e] : m)
      terms[at + 1 + index[s]] = e;
  }
  return DimAttr::get(context, atoms, terms);
}

bool accumulate(Polynomial &p, const Monomial &m, int64_t c) {
  auto [it, fresh] = p.emplace(m, c);
  if (!fresh && llvm::AddOverflow(it->second, c, it->second))
    return false;
  if (it->second == 0)
    p.erase(it);
  return true;
}

// Calls that square a size would otherwise double its degree each time.
constexpr int64_t maxDegree = 64;
constexpr size_t maxTerms = 1024;

bool multiply(const Polynomial &a, const Polynomial &b, Polynomial &out) {
  if (a.size() * b.size() > maxTerms)
    return false;
  for (auto &[ma, ca] : a)
    for (auto &[mb, cb] : b) {
      Monomial m = ma;
      for (auto &[s, e] : mb)
        m[s] += e; // both are at most maxDegree
      int64_t degree = 0;
      for (auto &[s, e] : m)
        degree += e;
      if (degree > maxDegree)
        return false;
      int64_t c;
      if (llvm::MulOverflow(ca, cb, c) || !accumulate(out, m, c))
        return false;
    }
  return true;
}
} // namespace

DimAttr constantDim(MLIRContext *context, int64_t value) {
  Polynomial p;
  if (value)
    p[{}] = value;
  return pack(context, p);
}

DimAttr symbolDim(MLIRContext *context, StringRef name) {
  Polynomial p;
  p[{{name.str(), 1}}] = 1;
  return pack(context, p);
}

DimAttr addDims(DimAttr a, DimAttr b) {
  Polynomial p = unpack(a);
  for (auto &[m, c] : unpack(b))
    if (!accumulate(p, m, c))
      return {};
  return p.size() > maxTerms ? DimAttr() : pack(a.getContext(), p);
}

DimAttr subtractDims(DimAttr a, DimAttr b) {
  Polynomial p = unpack(a);
  for (auto &[m, c] : unpack(b))
    if (c == INT64_MIN || !accumulate(p, m, -c))
      return {};
  return p.size() > maxTerms ? DimAttr() : pack(a.getContext(), p);
}

DimAttr multiplyDims(DimAttr a, DimAttr b) {
  Polynomial p;
  if (!multiply(unpack(a), unpack(b), p))
    return {};
  return pack(a.getContext(), p);
}

DimAttr substituteDim(DimAttr dim, StringAttr symbol, DimAttr value) {
  if (!mentions(dim, symbol))
    return dim;
  Polynomial result, with = unpack(value);
  for (auto &[m, c] : unpack(dim)) {
    Monomial rest = m;
    int64_t power = 0;
    if (auto it = rest.find(symbol.str()); it != rest.end()) {
      power = it->second;
      rest.erase(it);
    }
    Polynomial term;
    term[rest] = c;
    for (int64_t i = 0; i < power; i++) {
      Polynomial next;
      if (!multiply(term, with, next))
        return {};
      term = std::move(next);
    }
    for (auto &[tm, tc] : term)
      if (!accumulate(result, tm, tc))
        return {};
  }
  return pack(dim.getContext(), result);
}

DimAttr divideByTerm(DimAttr dim, DimAttr term) {
  Polynomial divisor = unpack(term), result;
  if (divisor.size() != 1)
    return {};
  auto [factor, coefficient] = *divisor.begin();
  for (auto &[m, c] : unpack(dim)) {
    Monomial rest = m;
    for (auto &[s, e] : factor)
      if ((rest[s] -= e) == 0)
        rest.erase(s);
    bool divides = c % coefficient == 0 && llvm::all_of(rest, [](const auto &power) { return power.second > 0; });
    if (!divides || (coefficient == -1 && c == INT64_MIN))
      return {};
    result[rest] = c / coefficient;
  }
  return pack(dim.getContext(), result);
}

std::optional<int64_t> constantValue(DimAttr dim) {
  if (dim.getTerms().empty())
    return 0;
  if (dim.getAtoms().empty())
    return dim.getTerms()[0];
  return std::nullopt;
}

StringAttr asSymbol(DimAttr dim) {
  if (dim.getAtoms().size() != 1 || dim.getTerms() != ArrayRef<int64_t>({1, 1}))
    return {};
  return cast<StringAttr>(dim.getAtoms()[0]);
}

bool mentions(DimAttr dim, StringAttr symbol) { return llvm::is_contained(dim.getAtoms(), Attribute(symbol)); }

bool triviallyAtLeast(DimAttr dim, int64_t bound) {
  int64_t constant = 0;
  for (auto &[m, c] : unpack(dim)) {
    if (m.empty())
      constant = c;
    else if (c < 0)
      return false;
  }
  return constant >= bound;
}

std::optional<int64_t> evaluateDim(DimAttr dim, const Bindings &bindings) {
  int64_t sum = 0;
  for (auto &[m, c] : unpack(dim)) {
    int64_t term = c;
    for (auto &[s, e] : m) {
      auto it = bindings.find(s);
      if (it == bindings.end())
        return std::nullopt;
      for (int64_t i = 0; i < e; i++)
        if (llvm::MulOverflow(term, it->second, term))
          return std::nullopt;
    }
    if (llvm::AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return sum;
}

std::string toString(DimAttr dim) {
  std::string text;
  Polynomial polynomial = unpack(dim);
  // In their order, but a term with a plus first: `n - m` rather than `-m + n`.
  std::vector<std::pair<Monomial, int64_t>> terms(polynomial.begin(), polynomial.end());
  auto positive = llvm::find_if(terms, [](const auto &term) { return term.second > 0; });
  if (positive != terms.end())
    std::rotate(terms.begin(), positive, std::next(positive));
  for (auto &[m, c] : terms) {
    if (text.empty())
      text = c < 0 ? "-" : "";
    else
      text += c < 0 ? " - " : " + ";
    // Printing the magnitude through unsigned keeps INT64_MIN right.
    uint64_t magnitude = c < 0 ? 0 - uint64_t(c) : uint64_t(c);
    bool first = true;
    if (m.empty() || magnitude != 1) {
      text += std::to_string(magnitude);
      first = false;
    }
    for (auto &[s, e] : m)
      for (int64_t i = 0; i < e; i++) {
        text += (first ? "" : " * ") + s;
        first = false;
      }
  }
  return text.empty() ? "0" : text;
}

std::string toString(ArrayRef<DimAttr> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + toString(dim);
  return text + "]";
}
} // namespace nova
