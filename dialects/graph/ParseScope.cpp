#include "dialects/graph/ParseScope.h"

namespace nova {
// The parser calls ops' parse hooks without a place for state of ours; a graph is parsed by one thread.
static thread_local ParseScope *top = nullptr;

ParseScope::ParseScope(bool isolated) : parent(top), isolated(isolated) {
  if (parent && !isolated) {
    facts = parent->facts;
    checksSymbols = parent->checksSymbols;
    for (auto &entry : parent->symbols)
      symbols.insert(entry.getKey());
    for (auto &entry : parent->typeParams)
      typeParams.insert(entry.getKey());
  }
  top = this;
}
ParseScope::~ParseScope() { top = parent; }
ParseScope *ParseScope::current() { return top; }

mlir::Type ParseScope::lookup(llvm::StringRef name) const {
  for (const ParseScope *s = this; s; s = s->isolated ? nullptr : s->parent)
    if (auto it = s->values.find(name); it != s->values.end())
      return it->second;
  return {};
}
} // namespace nova
