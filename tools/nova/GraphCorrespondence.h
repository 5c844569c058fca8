// Which operation of one graph is which of another.
#ifndef NOVA_TOOLS_NOVA_GRAPHCORRESPONDENCE_H
#define NOVA_TOOLS_NOVA_GRAPHCORRESPONDENCE_H

#include "compiler/identity/StoredForm.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "tools/nova/GraphDiff.h"
#include <optional>

namespace nova::tool {
/// The second graph's symbols and element-type parameters under the names of the first.
class Renaming {
public:
  /// `arguments` gives for each of the second graph the one of the first (pairArguments). Sizes correspond by the
  /// arguments that have them, then by name, then by the order of the stored forms.
  Renaming(const StoredForm &before, const StoredForm &after, llvm::ArrayRef<std::optional<unsigned>> arguments);

  mlir::Type operator()(mlir::Type type) { return replacer.replace(type); }
  mlir::Attribute operator()(mlir::Attribute attribute) { return replacer.replace(attribute); }
  DimAttr operator()(DimAttr dim) { return mlir::cast<DimAttr>(replacer.replace(mlir::Attribute(dim))); }

private:
  void pair(mlir::StringAttr before, mlir::StringAttr after);
  DimAttr rename(DimAttr dim);

  llvm::DenseMap<mlir::StringAttr, mlir::StringAttr> symbols, parameters; // after -> before
  llvm::DenseSet<mlir::StringAttr> taken;
  mlir::AttrTypeReplacer replacer;
};

/// For each argument of `after` that of `before`: by place where both graphs have as many, else by name.
std::vector<std::optional<unsigned>> pairArguments(GraphOp before, GraphOp after);

/// One operation of a stored form, comparable with those of the other graph.
struct DiffNode {
  const StoredOp *stored;
  mlir::DictionaryAttr attributes; // renamed; a callee by its semantic hash
  std::optional<size_t> partner;   // the node of the other graph
};

/// Pairs the operations of two stored forms.
class Correspondence {
public:
  Correspondence(const StoredForm &before, const StoredForm &after, std::vector<DiffNode> &beforeNodes,
                 std::vector<DiffNode> &afterNodes, llvm::ArrayRef<std::optional<unsigned>> arguments);

  /// Whether two values, by their numbers in the stored forms, are the same one.
  bool same(unsigned before, unsigned after) const;

private:
  struct Side {
    const StoredForm &form;
    std::vector<DiffNode> &nodes;
    unsigned arguments;
    std::vector<size_t> nodeOf; // by value, for those that operations give
    unsigned firstOf(size_t node) const { return nodes[node].stored->firstResult; }
  };
  static Side makeSide(const StoredForm &form, std::vector<DiffNode> &nodes);

  void pairEqual();
  void pairNamed();
  void pairByUse(bool otherKindsToo);
  void pair(size_t before, size_t after);
  void pairOperands(size_t before, size_t after, bool otherKindsToo);
  void tryPair(unsigned beforeValue, unsigned afterValue, bool otherKindsToo);

  Side before, after;
  llvm::ArrayRef<std::optional<unsigned>> arguments;
};
} // namespace nova::tool

#endif
