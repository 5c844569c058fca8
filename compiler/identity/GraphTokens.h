// Types, attributes and operations as tokens.
#ifndef NOVA_COMPILER_IDENTITY_GRAPHTOKENS_H
#define NOVA_COMPILER_IDENTITY_GRAPHTOKENS_H

#include "compiler/identity/SymbolOrder.h"
#include "compiler/identity/Tokens.h"
#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Writes parts of one graph, its symbols and element-type parameters by number, to a stream of tokens.
class GraphTokens {
public:
  using CalleeFn = llvm::function_ref<void(Tokens &, mlir::FlatSymbolRefAttr)>;
  /// All four must outlive this.
  GraphTokens(Tokens &tokens, GraphOp graph, const SymbolOrder &symbols, CalleeFn callee);

  /// Element-type parameters, types of arguments and results, and these clauses.
  void signature(llvm::ArrayRef<ClauseAttr> clauses);
  void operation(mlir::OperationName name, mlir::DictionaryAttr attributes, llvm::ArrayRef<unsigned> operands,
                 mlir::TypeRange results);
  void type(mlir::Type type);
  void dim(DimAttr dim);
  void attribute(mlir::Attribute attribute);

private:
  // Other types and attributes count by their text, which is slow to print.
  template <typename T> llvm::StringRef printed(T thing);

  Tokens &tokens;
  const SymbolOrder &symbols;
  CalleeFn callee;
  llvm::DenseMap<mlir::StringAttr, unsigned> typeParams;
  mlir::ArrayAttr params;
  mlir::ArrayRef<int64_t> bound; // arguments
  mlir::FunctionType signatureType;
  llvm::DenseMap<const void *, std::string> texts;
};

/// `literal` with every NaN the one of docs/arithmetic.md.
mlir::DenseElementsAttr oneNaN(mlir::DenseElementsAttr literal);
} // namespace nova

#endif
