#include "dialects/graph/Unify.h"
#include "dialects/graph/NovaDialect.h"

using namespace mlir;

namespace nova {
// The two sides may use the same names, so those that are replaced are first given names that no text has.
static StringAttr apart(StringAttr symbol) { return StringAttr::get(symbol.getContext(), "%" + symbol.getValue()); }

DimAttr substituteSymbols(DimAttr dim, const SymbolBindings &bindings) {
  MLIRContext *context = dim.getContext();
  SmallVector<Attribute> atoms(dim.getAtoms());
  for (Attribute atom : atoms)
    if (auto symbol = cast<StringAttr>(atom); dim && bindings.contains(symbol))
      dim = substituteDim(dim, symbol, symbolDim(context, apart(symbol)));
  for (Attribute atom : atoms)
    if (auto it = bindings.find(cast<StringAttr>(atom)); dim && it != bindings.end())
      dim = substituteDim(dim, apart(it->first), it->second);
  return dim;
}

// The value of the only unbound symbol of `theirs` for which it is `ours`.
static std::optional<std::pair<StringAttr, DimAttr>> solve(DimAttr theirs, DimAttr ours,
                                                           const SymbolBindings &bindings) {
  MLIRContext *context = theirs.getContext();
  StringAttr symbol;
  for (Attribute atom : theirs.getAtoms())
    if (auto each = cast<StringAttr>(atom); !bindings.contains(each)) {
      if (symbol)
        return std::nullopt;
      symbol = each;
    }
  if (!symbol)
    return std::nullopt;
  StringAttr unknown = apart(symbol);
  SymbolBindings known(bindings);
  known[symbol] = symbolDim(context, unknown);
  DimAttr dim = substituteSymbols(theirs, known);
  DimAttr rest = dim ? substituteDim(dim, unknown, constantDim(context, 0)) : DimAttr();
  DimAttr atOne = dim ? substituteDim(dim, unknown, constantDim(context, 1)) : DimAttr();
  DimAttr factor = rest && atOne ? subtractDims(atOne, rest) : DimAttr();
  DimAttr product = factor ? multiplyDims(factor, symbolDim(context, unknown)) : DimAttr();
  if (!product || addDims(product, rest) != dim)
    return std::nullopt; // not linear
  DimAttr difference = subtractDims(ours, rest);
  DimAttr value = difference ? divideByTerm(difference, factor) : DimAttr();
  return value ? std::make_optional(std::make_pair(symbol, value)) : std::nullopt;
}

SymbolBindings bindSymbols(ArrayRef<std::pair<DimAttr, DimAttr>> pairs) {
  SymbolBindings bindings;
  for (auto [theirs, ours] : pairs)
    if (StringAttr symbol = asSymbol(theirs))
      bindings.insert({symbol, ours});
  for (bool more = true; more;) {
    more = false;
    for (auto [theirs, ours] : pairs)
      if (auto found = solve(theirs, ours, bindings))
        more |= bindings.insert(*found).second;
  }
  return bindings;
}
} // namespace nova
