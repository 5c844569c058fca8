// Conditions on the entries of a value, as and-or expressions over i1 values of the graph.
#ifndef NOVA_COMPILER_TRANSFORMS_MASKEXPRESSIONS_H
#define NOVA_COMPILER_TRANSFORMS_MASKEXPRESSIONS_H

#include "compiler/transforms/MaskedValue.h"
#include <map>
#include <optional>
#include <vector>

namespace nova {
/// Expressions are equal when their numbers are. Each is over the axes of some value, which are counted from the last
/// (as broadcasting aligns them): 0 is the last one. Nothing here is recursive: expressions may be as deep as a graph.
class MaskExpressions {
public:
  using Id = unsigned;
  static constexpr Id never = 0, always = 1;
  enum class Kind { Constant, Mask, And, Or };
  struct Node {
    Kind kind;
    mlir::Value mask;               // a value of i1 ...
    bool negated;                   // ... or where it is false
    llvm::SmallVector<int, 4> axes; // for each axis of the mask the axis it runs along; below 0 where its size is 1
    Id left, right;                 // of And and Or
  };

  explicit MaskExpressions(const Facts &facts);

  /// Where `value` is true, or false with `negated`; over the axes of `value`.
  Id mask(mlir::Value value, bool negated);
  Id conjunction(Id a, Id b);
  Id disjunction(Id a, Id b);
  const Node &operator[](Id id) const { return nodes[id]; }

  /// `x` over other axes: `axes[k]` is what axis k becomes. An axis below 0 goes: what can hold for some position along
  /// it holds then for all, as far as the masks show that do not vary along it.
  Id move(Id x, llvm::ArrayRef<int> axes);
  /// What follows from `x` when nothing is known of the masks that `forget` names. `key` tells them apart: equal keys
  /// mean equal masks.
  Id forget(Id x, unsigned key, llvm::function_ref<bool(mlir::Value)> forget);

  /// An i1 value that is `x`, or the opposite where the second is true, created by `core` where it is not there; it
  /// broadcasts to a value of `rank` axes. `x` is neither of the constants.
  std::pair<mlir::Value, bool> emit(CoreBuilder &core, mlir::Location loc, Id x, unsigned rank);

private:
  using Memo = llvm::DenseMap<Id, Id>;
  const Facts &facts;
  std::vector<Node> nodes;
  std::map<std::tuple<Kind, const void *, bool, std::vector<int>, Id, Id>, Id> known;
  std::map<std::vector<int>, Memo> moved;
  std::map<unsigned, Memo> forgotten;
  std::map<std::pair<Id, unsigned>, std::pair<mlir::Value, bool>> emitted;

  Id intern(Node node);
  Id mask(mlir::Value value, bool negated, llvm::SmallVector<int, 4> axes);
  bool areOpposite(Id a, Id b) const;
  Id expand(Id mask);
  Id transform(Id root, Memo &done, llvm::function_ref<std::optional<Id>(const Node &)> atMask);
  mlir::Value emitMask(CoreBuilder &core, mlir::Location loc, const Node &node, unsigned rank);
};
} // namespace nova

#endif
