// What the parser of a graph knows so far: value names with their types, symbols, element-type parameters, facts.
#ifndef NOVA_DIALECTS_GRAPH_PARSESCOPE_H
#define NOVA_DIALECTS_GRAPH_PARSESCOPE_H

#include "dialects/graph/Facts.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

namespace nova {
class TensorType;

/// Operands are written without types, so each op looks its operands up here. Scopes nest (one per graph or region
/// being parsed) and belong to the parsing thread: construct on entry, destroy on exit.
class ParseScope {
public:
  /// An `isolated` scope does not see the values of the scopes around it.
  explicit ParseScope(bool isolated);
  ~ParseScope();
  ParseScope(const ParseScope &) = delete;
  ParseScope &operator=(const ParseScope &) = delete;

  static ParseScope *current();

  void define(llvm::StringRef name, mlir::Type type) { values[name] = type; }
  /// The type of a value defined above, or null.
  mlir::Type lookup(llvm::StringRef name) const;

  Facts facts;
  llvm::StringSet<> symbols, typeParams;
  bool checksSymbols = false;

private:
  ParseScope *parent;
  bool isolated;
  llvm::StringMap<mlir::Type> values;
};
} // namespace nova

#endif
