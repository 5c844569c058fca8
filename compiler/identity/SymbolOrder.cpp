#include "compiler/identity/SymbolOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace nova {
NumberedDim numberDim(DimAttr dim, llvm::function_ref<unsigned(StringAttr)> number) {
  NumberedDim result;
  size_t width = dim.getAtoms().size() + 1;
  llvm::SmallVector<unsigned> numbers;
  for (Attribute atom : dim.getAtoms())
    numbers.push_back(number(cast<StringAttr>(atom)));
  ArrayRef<int64_t> terms = dim.getTerms();
  for (size_t i = 0; i + width <= terms.size(); i += width) {
    NumberedTerm term{terms[i], {}};
    for (size_t k = 1; k < width; k++)
      if (terms[i + k])
        term.factors.push_back({numbers[k - 1], terms[i + k]});
    llvm::sort(term.factors);
    result.push_back(std::move(term));
  }
  llvm::sort(result);
  return result;
}

NumberedDim SymbolOrder::number(DimAttr dim) const {
  return numberDim(dim, [&](StringAttr symbol) { return number(symbol); });
}

namespace {
// Colours of symbols; a colouring with as many colours as symbols is a numbering. Colours only ever split, and a split
// keeps the order of the others, so the numbering keeps to the order of first occurrence with which it begins.
using Colours = std::vector<unsigned>;
struct Clause {
  DimAttr lhs, rhs;
  StringAttr relation;
};

class Search {
public:
  Search(ArrayRef<DimAttr> dims, ArrayRef<ClauseAttr> clauseAttrs) : dims(dims) {
    for (DimAttr dim : dims)
      collect(dim);
    for (ClauseAttr clause : clauseAttrs) {
      clauses.push_back({clause.getLhs(), clause.getRhs(), clause.getRelation()});
      collect(clause.getLhs());
      collect(clause.getRhs());
    }
  }

  std::vector<StringAttr> run() {
    Colours colours(symbols.size(), 0);
    // The first dim in which a symbol occurs; clauses come after all dims.
    std::vector<unsigned> first(symbols.size(), dims.size());
    for (auto [i, dim] : llvm::enumerate(dims))
      for (Attribute atom : dim.getAtoms()) {
        unsigned &place = first[index[cast<StringAttr>(atom)]];
        place = std::min<unsigned>(place, i);
      }
    std::set<unsigned> places(first.begin(), first.end());
    for (size_t s = 0; s < symbols.size(); s++)
      colours[s] = std::distance(places.begin(), places.find(first[s]));
    descend(colours);
    std::vector<StringAttr> order(symbols.size());
    for (size_t s = 0; s < symbols.size(); s++)
      order[best[s]] = symbols[s];
    return order;
  }

private:
  // How all dims and the set of clauses look under a colouring.
  using View = std::pair<std::vector<NumberedDim>, std::set<std::tuple<StringRef, NumberedDim, NumberedDim>>>;
  // What tells a symbol from others of its colour: the dims that it occurs in, with what else stands there.
  using Signature =
      std::pair<std::map<size_t, NumberedDim>, std::multiset<std::tuple<StringRef, NumberedDim, NumberedDim>>>;

  void collect(DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      if (index.try_emplace(cast<StringAttr>(atom), symbols.size()).second)
        symbols.push_back(cast<StringAttr>(atom));
  }

  NumberedDim view(DimAttr dim, const Colours &colours) const {
    return numberDim(dim, [&](StringAttr symbol) { return colours[index.lookup(symbol)]; });
  }

  View view(const Colours &colours) const {
    View result;
    for (DimAttr dim : dims)
      result.first.push_back(view(dim, colours));
    for (const Clause &clause : clauses)
      result.second.insert({clause.relation.getValue(), view(clause.lhs, colours), view(clause.rhs, colours)});
    return result;
  }

  Signature signature(unsigned symbol, const Colours &colours) const {
    // A colour of its own marks the symbol itself.
    Colours marked = colours;
    marked[symbol] = symbols.size();
    StringAttr name = symbols[symbol];
    auto occurs = [&](DimAttr dim) { return llvm::is_contained(dim.getAtoms(), Attribute(name)); };
    Signature result;
    for (auto [i, dim] : llvm::enumerate(dims))
      if (occurs(dim))
        result.first[i] = view(dim, marked);
    std::set<std::tuple<const void *, const void *, const void *>> seen;
    for (const Clause &c : clauses)
      if ((occurs(c.lhs) || occurs(c.rhs)) &&
          seen.insert({c.lhs.getAsOpaquePointer(), c.relation.getAsOpaquePointer(), c.rhs.getAsOpaquePointer()}).second)
        result.second.insert({c.relation.getValue(), view(c.lhs, marked), view(c.rhs, marked)});
    return result;
  }

  unsigned colourCount(const Colours &colours) const {
    return std::set<unsigned>(colours.begin(), colours.end()).size();
  }

  // Splits colours by signatures until nothing changes.
  void refine(Colours &colours) const {
    for (unsigned count = colourCount(colours); count < symbols.size();) {
      std::map<std::pair<unsigned, Signature>, std::vector<unsigned>> classes;
      for (size_t s = 0; s < symbols.size(); s++)
        classes[{colours[s], signature(s, colours)}].push_back(s);
      if (classes.size() == count)
        break;
      count = 0;
      for (auto &[key, members] : classes) {
        for (unsigned s : members)
          colours[s] = count;
        count++;
      }
    }
  }

  // Exchanging the two leaves every dim and the set of clauses as they are.
  bool exchangeable(unsigned a, unsigned b) const {
    Colours identity(symbols.size());
    for (size_t s = 0; s < symbols.size(); s++)
      identity[s] = s;
    Colours exchanged = identity;
    std::swap(exchanged[a], exchanged[b]);
    return view(identity) == view(exchanged);
  }

  void descend(Colours colours) {
    refine(colours);
    if (colourCount(colours) == symbols.size()) {
      leaves++;
      View here = view(colours);
      if (best.empty() || here < bestView) {
        best = colours;
        bestView = std::move(here);
      }
      return;
    }
    std::map<unsigned, std::vector<unsigned>> cells;
    for (size_t s = 0; s < symbols.size(); s++)
      cells[colours[s]].push_back(s);
    auto cell = llvm::find_if(cells, [](auto &entry) { return entry.second.size() > 1; });
    std::vector<unsigned> tried;
    for (unsigned s : cell->second) {
      if (leaves >= kLeafLimit || llvm::any_of(tried, [&](unsigned other) { return exchangeable(other, s); }))
        continue;
      tried.push_back(s);
      Colours next = colours;
      for (unsigned &colour : next)
        colour = 2 * colour + 1;
      next[s]--;
      std::set<unsigned> used(next.begin(), next.end());
      for (unsigned &colour : next)
        colour = std::distance(used.begin(), used.find(colour));
      descend(std::move(next));
    }
  }

  // Symmetric graphs (a square of symbols, say) could make the search long. Past this many numberings the best so far
  // is taken, which then may depend on names; no graph met so far needs more than a few.
  static constexpr unsigned kLeafLimit = 2000;

  ArrayRef<DimAttr> dims;
  std::vector<Clause> clauses;
  std::vector<StringAttr> symbols;
  llvm::DenseMap<StringAttr, unsigned> index;
  Colours best;
  View bestView;
  unsigned leaves = 0;
};
} // namespace

SymbolOrder SymbolOrder::of(ArrayRef<DimAttr> dims, ArrayRef<ClauseAttr> clauses) {
  // Repeats add nothing: the first occurrence decides. A dim without symbols neither.
  llvm::SetVector<DimAttr> distinct;
  for (DimAttr dim : dims)
    if (!dim.getAtoms().empty())
      distinct.insert(dim);
  SymbolOrder result;
  for (StringAttr symbol : Search(distinct.getArrayRef(), clauses).run()) {
    result.numbers[symbol] = result.list.size();
    result.list.push_back(symbol);
  }
  return result;
}
} // namespace nova
