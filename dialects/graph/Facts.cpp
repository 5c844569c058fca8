#include "dialects/graph/Facts.h"
#include "dialects/graph/NovaDialect.h"
#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace nova {
Facts::Facts(ArrayRef<ClauseAttr> given) : clauses(given.begin(), given.end()) {
  for (ClauseAttr clause : clauses) {
    DimAttr lhs = normalize(clause.getLhs()), rhs = normalize(clause.getRhs());
    StringRef relation = clause.getRelation().getValue();
    if (relation == "==") {
      // Orient towards the side that is a symbol and does not occur in the other one.
      if (!asSymbol(lhs) || mentions(rhs, asSymbol(lhs)))
        std::swap(lhs, rhs);
      StringAttr symbol = asSymbol(lhs);
      if (!symbol || mentions(rhs, symbol))
        continue;
      for (auto &[s, value] : rules)
        if (DimAttr next = substituteDim(value, symbol, rhs))
          value = next;
      rules.emplace_back(symbol, rhs);
      continue;
    }
    if (relation == "<=" || relation == "<")
      std::swap(lhs, rhs);
    StringAttr symbol = asSymbol(lhs);
    std::optional<int64_t> bound = constantValue(rhs);
    if (symbol && bound && *bound < INT64_MAX) {
      int64_t value = *bound + (relation == ">" || relation == "<");
      auto [it, fresh] = lower.try_emplace(symbol.getValue(), value);
      it->second = std::max(it->second, value);
    }
  }
}

DimAttr Facts::normalize(DimAttr dim) const {
  for (auto &[symbol, value] : rules)
    if (DimAttr next = substituteDim(dim, symbol, value))
      dim = next;
  return dim;
}

bool Facts::equal(DimAttr a, DimAttr b) const { return a == b || normalize(a) == normalize(b); }

bool Facts::atLeast(DimAttr dim, int64_t bound) const {
  if (atLeastBySigns(dim, bound))
    return true;
  for (ClauseAttr clause : clauses) {
    StringRef relation = clause.getRelation().getValue();
    if (relation == "==")
      continue;
    bool less = relation.starts_with("<");
    DimAttr known =
        less ? subtractDims(clause.getRhs(), clause.getLhs()) : subtractDims(clause.getLhs(), clause.getRhs());
    DimAttr more = known ? subtractDims(dim, known) : DimAttr(); // dim = known + more, and known >= strict
    int64_t strict = relation.size() == 1;
    if (more && bound > INT64_MIN + 1 && atLeastBySigns(more, bound - strict))
      return true;
  }
  return false;
}

bool Facts::contradict(ClauseAttr clause) const {
  DimAttr difference = subtractDims(clause.getLhs(), clause.getRhs());
  DimAttr opposite = subtractDims(clause.getRhs(), clause.getLhs());
  if (!difference || !opposite)
    return false;
  StringRef relation = clause.getRelation().getValue();
  if (relation == "==")
    return atLeast(difference, 1) || atLeast(opposite, 1);
  bool strict = relation.size() == 1;
  // Where lhs >= rhs is said, lhs < rhs contradicts it; and so on.
  return atLeast(relation.starts_with("<") ? difference : opposite, strict ? 0 : 1);
}

bool Facts::atLeastBySigns(DimAttr dim, int64_t bound) const {
  dim = normalize(dim);
  // Shift every bounded symbol to its excess over the bound, which is >= 0.
  for (Attribute atom : dim.getAtoms()) {
    auto symbol = cast<StringAttr>(atom);
    auto it = lower.find(symbol.getValue());
    if (it == lower.end() || it->second <= 0)
      continue;
    DimAttr shifted =
        addDims(symbolDim(dim.getContext(), symbol.getValue()), constantDim(dim.getContext(), it->second));
    if (DimAttr next = substituteDim(dim, symbol, shifted))
      dim = next;
  }
  return triviallyAtLeast(dim, bound);
}

std::optional<Bindings> Facts::counterexample(DimAttr a, DimAttr b) const {
  return smallest({a, b}, [&](const Bindings &bindings) {
    auto va = evaluateDim(a, bindings), vb = evaluateDim(b, bindings);
    return va && vb && *va != *vb;
  });
}

std::optional<Bindings> Facts::counterexample(DimAttr dim, int64_t bound) const {
  return smallest(dim, [&](const Bindings &bindings) {
    auto value = evaluateDim(dim, bindings);
    return value && *value < bound;
  });
}

std::optional<Bindings> Facts::smallest(ArrayRef<DimAttr> dims, function_ref<bool(const Bindings &)> wanted) const {
  std::set<std::string> names;
  auto collect = [&](DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      names.insert(cast<StringAttr>(atom).str());
  };
  llvm::for_each(dims, collect);
  for (ClauseAttr clause : clauses) {
    collect(clause.getLhs());
    collect(clause.getRhs());
  }
  std::vector<std::string> symbols(names.begin(), names.end());
  constexpr int64_t limit = 8, budget = 200000;
  int64_t tried = 0;
  Bindings bindings;
  // All assignments of a given sum, in alphabetical order of symbols.
  std::function<bool(size_t, int64_t)> assign = [&](size_t i, int64_t left) -> bool {
    if (i == symbols.size()) {
      if (left || ++tried > budget)
        return false;
      for (ClauseAttr clause : clauses)
        if (!holds(clause, bindings).value_or(false))
          return false;
      return wanted(bindings);
    }
    int64_t rest = int64_t(symbols.size() - i - 1) * limit;
    for (int64_t v = std::max<int64_t>(0, left - rest); v <= std::min(limit, left) && tried <= budget; v++) {
      bindings[symbols[i]] = v;
      if (assign(i + 1, left - v))
        return true;
    }
    return false;
  };
  for (int64_t sum = 0; sum <= int64_t(symbols.size()) * limit && tried <= budget; sum++)
    if (assign(0, sum))
      return bindings;
  return std::nullopt;
}

std::string toString(const Bindings &bindings) {
  std::map<std::string, int64_t> sorted;
  for (auto &entry : bindings)
    sorted[entry.getKey().str()] = entry.getValue();
  std::string text;
  for (auto &[name, value] : sorted)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

std::optional<bool> holds(ClauseAttr clause, const Bindings &bindings) {
  auto a = evaluateDim(clause.getLhs(), bindings), b = evaluateDim(clause.getRhs(), bindings);
  if (!a || !b)
    return std::nullopt;
  StringRef r = clause.getRelation().getValue();
  return r == "==" ? *a == *b : r == ">=" ? *a >= *b : r == "<=" ? *a <= *b : r == ">" ? *a > *b : *a < *b;
}

std::string toString(ClauseAttr clause) {
  return toString(clause.getLhs()) + " " + clause.getRelation().str() + " " + toString(clause.getRhs());
}
} // namespace nova
