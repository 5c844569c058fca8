#include "tools/nova/GraphCorrespondence.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace llvm;

namespace nova::tool {
std::vector<std::optional<unsigned>> pairArguments(GraphOp before, GraphOp after) {
  unsigned count = after.getNumGraphArguments(), others = before.getNumGraphArguments();
  std::vector<std::optional<unsigned>> pairs(count);
  StringMap<unsigned> byName;
  for (unsigned i = 0; i < others; i++)
    byName[before.getArgName(i)] = i;
  for (unsigned i = 0; i < count; i++) {
    if (count == others)
      pairs[i] = i;
    else if (auto found = byName.find(after.getArgName(i)); found != byName.end())
      pairs[i] = found->second;
  }
  return pairs;
}

Renaming::Renaming(const StoredForm &beforeForm, const StoredForm &afterForm,
                   ArrayRef<std::optional<unsigned>> arguments) {
  GraphOp before = beforeForm.getGraph(), after = afterForm.getGraph();
  for (auto [a, b] : zip(before.getTypeParams(), after.getTypeParams()))
    parameters[mlir::cast<TypeParamAttr>(b).getName()] = mlir::cast<TypeParamAttr>(a).getName();
  auto pairDims = [&](TensorType a, TensorType b) {
    for (auto [dim, other] : zip(a.getDims(), b.getDims()))
      if (mlir::StringAttr own = asSymbol(dim), theirs = asSymbol(other); own && theirs)
        pair(own, theirs);
  };
  for (auto [i, partner] : enumerate(arguments))
    if (partner)
      pairDims(before.getArgumentType(*partner), after.getArgumentType(i));
  ArrayRef<mlir::StringAttr> ours = beforeForm.symbols().symbols(), theirs = afterForm.symbols().symbols();
  for (mlir::StringAttr symbol : theirs)
    if (is_contained(ours, symbol))
      pair(symbol, symbol);
  if (ours.size() == theirs.size())
    for (auto [own, other] : zip(ours, theirs))
      pair(own, other);
  // A name that means another size in the first graph is told apart.
  for (mlir::StringAttr symbol : theirs)
    for (mlir::StringAttr name = symbol; !symbols.contains(symbol);
         name = mlir::StringAttr::get(name.getContext(), name.getValue() + "_"))
      if (!is_contained(ours, name))
        pair(name, symbol);
  replacer.addReplacement(
      [this](DimAttr dim) { return std::make_pair(mlir::Attribute(rename(dim)), mlir::WalkResult::skip()); });
  replacer.addReplacement([this](ParamType type) -> mlir::Type {
    mlir::StringAttr name = parameters.lookup(type.getName());
    return name ? ParamType::get(type.getContext(), name) : type;
  });
}

void Renaming::pair(mlir::StringAttr before, mlir::StringAttr after) {
  if (!symbols.contains(after) && taken.insert(before).second)
    symbols[after] = before;
}

DimAttr Renaming::rename(DimAttr dim) {
  mlir::MLIRContext *context = dim.getContext();
  SmallVector<mlir::StringAttr> atoms;
  NumberedDim numbered = numberDim(dim, [&](mlir::StringAttr symbol) {
    atoms.push_back(symbol);
    return atoms.size() - 1;
  });
  DimAttr sum = constantDim(context, 0);
  for (const NumberedTerm &term : numbered) {
    DimAttr product = constantDim(context, term.coefficient);
    for (auto [atom, exponent] : term.factors) {
      mlir::StringAttr name = symbols.lookup(atoms[atom]);
      for (int64_t i = 0; i < exponent; i++)
        product = multiplyDims(product, symbolDim(context, (name ? name : atoms[atom]).getValue()));
    }
    sum = addDims(sum, product);
  }
  return sum;
}

Correspondence::Side Correspondence::makeSide(const StoredForm &form, std::vector<DiffNode> &nodes) {
  GraphOp graph = form.getGraph();
  Side side{form, nodes, graph.getNumGraphArguments(), {}};
  side.nodeOf.resize(side.arguments);
  for (auto [i, node] : enumerate(nodes))
    side.nodeOf.resize(side.nodeOf.size() + node.stored->op->getNumResults(), i);
  return side;
}

Correspondence::Correspondence(const StoredForm &beforeForm, const StoredForm &afterForm,
                               std::vector<DiffNode> &beforeNodes, std::vector<DiffNode> &afterNodes,
                               ArrayRef<std::optional<unsigned>> arguments)
    : before(makeSide(beforeForm, beforeNodes)), after(makeSide(afterForm, afterNodes)), arguments(arguments) {
  pairEqual();
  pairNamed();
  pairByUse(/*otherKindsToo=*/false);
  pairByUse(/*otherKindsToo=*/true);
}

bool Correspondence::same(unsigned a, unsigned b) const {
  if (a < before.arguments || b < after.arguments)
    return a < before.arguments && b < after.arguments && arguments[b] == a;
  size_t nodeA = before.nodeOf[a], nodeB = after.nodeOf[b];
  return before.nodes[nodeA].partner == nodeB && a - before.firstOf(nodeA) == b - after.firstOf(nodeB);
}

void Correspondence::pair(size_t a, size_t b) {
  before.nodes[a].partner = b;
  after.nodes[b].partner = a;
}

// Operations with the same attributes on corresponding operands.
void Correspondence::pairEqual() {
  using Key = std::tuple<const void *, const void *, std::vector<unsigned>>;
  std::map<Key, size_t> known;
  auto keyOf = [](const DiffNode &node, ArrayRef<unsigned> operands) {
    return Key(node.stored->op->getName().getAsOpaquePointer(), node.attributes.getAsOpaquePointer(), operands);
  };
  for (auto [i, node] : enumerate(before.nodes))
    known[keyOf(node, node.stored->operands)] = i;
  for (auto [i, node] : enumerate(after.nodes)) {
    // Its operands as the first graph numbers them.
    SmallVector<unsigned> operands;
    for (unsigned value : node.stored->operands) {
      std::optional<unsigned> own;
      if (value < after.arguments)
        own = arguments[value];
      else if (const DiffNode &source = after.nodes[after.nodeOf[value]]; source.partner)
        own = before.firstOf(*source.partner) + value - source.stored->firstResult;
      if (!own)
        break;
      operands.push_back(*own);
    }
    if (operands.size() != node.stored->operands.size())
      continue;
    if (auto found = known.find(keyOf(node, operands)); found != known.end())
      pair(found->second, i);
  }
}

static StringRef kindOf(const DiffNode &node) { return node.stored->op->getName().getStringRef(); }

// A name that a value kept says more than its place.
void Correspondence::pairNamed() {
  StringMap<size_t> byName;
  for (auto [i, node] : enumerate(before.nodes))
    if (!node.partner)
      if (std::string name = valueName(node.stored->op->getResult(0)); !isNumbered(name))
        byName[name] = i;
  for (auto [i, node] : enumerate(after.nodes)) {
    if (node.partner)
      continue;
    auto found = byName.find(valueName(node.stored->op->getResult(0)));
    if (found != byName.end() && !before.nodes[found->second].partner &&
        kindOf(before.nodes[found->second]) == kindOf(node))
      pair(found->second, i);
  }
}

void Correspondence::tryPair(unsigned a, unsigned b, bool otherKindsToo) {
  if (a < before.arguments || b < after.arguments)
    return;
  size_t nodeA = before.nodeOf[a], nodeB = after.nodeOf[b];
  DiffNode &left = before.nodes[nodeA], &right = after.nodes[nodeB];
  bool sameKind = kindOf(left) == kindOf(right);
  if (left.partner || right.partner || !(sameKind || otherKindsToo) ||
      left.stored->op->getNumResults() != right.stored->op->getNumResults())
    return;
  pair(nodeA, nodeB);
}

void Correspondence::pairOperands(size_t a, size_t b, bool otherKindsToo) {
  for (auto [left, right] : zip(before.nodes[a].stored->operands, after.nodes[b].stored->operands))
    tryPair(left, right, otherKindsToo);
}

// What corresponding operations and results use in the same place, from the results backwards.
void Correspondence::pairByUse(bool otherKindsToo) {
  for (auto [a, b] : zip(before.form.results(), after.form.results()))
    tryPair(a, b, otherKindsToo);
  for (size_t b = after.nodes.size(); b-- > 0;)
    if (after.nodes[b].partner)
      pairOperands(*after.nodes[b].partner, b, otherKindsToo);
}
} // namespace nova::tool
