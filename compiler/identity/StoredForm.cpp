#include "compiler/identity/StoredForm.h"
#include "compiler/identity/GraphTokens.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>
#include <unordered_map>

using namespace mlir;

namespace nova {
namespace {
// All that decides what an operation computes.
struct OpKey {
  OperationName name;
  DictionaryAttr attributes;
  SmallVector<unsigned, 3> operands;
  SmallVector<Type, 1> types;
  bool operator==(const OpKey &other) const {
    return name == other.name && attributes == other.attributes && operands == other.operands && types == other.types;
  }
};
struct OpKeyHash {
  size_t operator()(const OpKey &key) const {
    return llvm::hash_combine(key.name, key.attributes,
                              llvm::hash_combine_range(key.operands.begin(), key.operands.end()),
                              llvm::hash_combine_range(key.types.begin(), key.types.end()));
  }
};

// Numbers the values that the results need.
class Numbering {
public:
  Numbering(GraphOp graph, CalleeFn representative, std::vector<StoredOp> &ops)
      : representative(representative), ops(ops) {
    for (BlockArgument arg : graph.getBlock().getArguments())
      values[arg] = next++;
  }

  // Depth first with a stack of its own: chains of operations may be long.
  unsigned number(Value root) {
    if (auto it = values.find(root); it != values.end())
      return it->second;
    SmallVector<std::pair<Operation *, unsigned>> stack = {{root.getDefiningOp(), 0}};
    while (!stack.empty()) {
      auto &[op, visited] = stack.back();
      if (visited < op->getNumOperands()) {
        Value operand = op->getOperand(visited++);
        if (!values.count(operand))
          stack.push_back({operand.getDefiningOp(), 0});
        continue;
      }
      place(op);
      stack.pop_back();
    }
    return values[root];
  }

private:
  void place(Operation *op) {
    assert(op->getNumRegions() == 0 && "an operation of a graph holds no region");
    OpKey key{op->getName(), normalize(op->getAttrDictionary()), {}, llvm::to_vector<1>(op->getResultTypes())};
    for (Value operand : op->getOperands())
      key.operands.push_back(values.lookup(operand));
    auto [it, fresh] = known.try_emplace(std::move(key), next);
    if (fresh) {
      ops.push_back({op, it->first.attributes, it->first.operands, next});
      next += op->getNumResults();
    }
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      values[result] = it->second + i;
  }

  DictionaryAttr normalize(DictionaryAttr attributes) {
    auto [it, fresh] = normalized.try_emplace(attributes, attributes);
    if (!fresh)
      return it->second;
    NamedAttrList list(attributes);
    if (auto literal = attributes.getAs<DenseElementsAttr>("value"))
      list.set("value", oneNaN(literal));
    if (auto callee = attributes.getAs<FlatSymbolRefAttr>("callee"); callee && representative)
      list.set("callee", representative(callee));
    return normalized[attributes] = list.getDictionary(attributes.getContext());
  }

  CalleeFn representative;
  std::vector<StoredOp> &ops;
  llvm::DenseMap<Value, unsigned> values;
  llvm::DenseMap<DictionaryAttr, DictionaryAttr> normalized;
  std::unordered_map<OpKey, unsigned, OpKeyHash> known;
  unsigned next = 0;
};

void appendDims(SmallVectorImpl<DimAttr> &dims, TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<TensorType>(type))
      llvm::append_range(dims, tensor.getDims());
}

SmallVector<ClauseAttr> clausesOf(GraphOp graph) {
  return llvm::map_to_vector(graph.getClauses(), [](Attribute clause) { return cast<ClauseAttr>(clause); });
}

// By what they say, without repetition.
SmallVector<ClauseAttr> sortClauses(ArrayRef<ClauseAttr> clauses, const SymbolOrder &order) {
  auto key = [&](ClauseAttr clause) {
    return std::make_tuple(order.number(clause.getLhs()), clause.getRelation().getValue(),
                           order.number(clause.getRhs()));
  };
  SmallVector<ClauseAttr> sorted(clauses);
  llvm::sort(sorted, [&](ClauseAttr a, ClauseAttr b) { return key(a) < key(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}
} // namespace

StoredForm StoredForm::of(GraphOp graph, ArrayRef<Value> extraResults, CalleeFn representative) {
  StoredForm form;
  form.graph = graph;
  Numbering numbering(graph, representative, form.list);
  SmallVector<Value> roots(graph.getReturn().getValues());
  llvm::append_range(roots, extraResults);
  for (Value root : roots)
    form.returned.push_back(numbering.number(root));
  // The order of symbols follows the order of operations, which does not depend on names.
  SmallVector<DimAttr> dims;
  appendDims(dims, graph.getFunctionTypeValue().getInputs());
  appendDims(dims, graph.getFunctionTypeValue().getResults());
  for (const StoredOp &stored : form.list) {
    appendDims(dims, stored.op->getResultTypes());
    for (NamedAttribute attribute : stored.attributes)
      attribute.getValue().walk([&](DimAttr dim) { dims.push_back(dim); });
  }
  SmallVector<ClauseAttr> clauses = clausesOf(graph);
  form.order = SymbolOrder::of(dims, clauses);
  form.sortedClauses = sortClauses(clauses, form.order);
  return form;
}

void StoredForm::append(Tokens &tokens, llvm::function_ref<void(Tokens &, FlatSymbolRefAttr)> callee) const {
  GraphTokens out(tokens, graph, order, callee);
  out.signature(sortedClauses);
  tokens.count(list.size());
  for (const StoredOp &stored : list)
    out.operation(stored.op->getName(), stored.attributes, stored.operands, stored.op->getResultTypes());
  tokens.part(Part::Returned).count(returned.size());
  for (unsigned number : returned)
    tokens.integer(number);
}

InterfaceNames interfaceNames(const StoredForm &form) {
  GraphOp graph = form.getGraph();
  InterfaceNames names;
  names.graph = graph.getSymName().str();
  for (Attribute param : graph.getTypeParams())
    names.typeParams.push_back(cast<TypeParamAttr>(param).getName().str());
  for (Attribute arg : graph.getArgNames())
    names.arguments.push_back(cast<StringAttr>(arg).str());
  for (Value value : graph.getReturn().getValues()) {
    // The text writes names with %; a user does not.
    std::string name = valueName(value);
    names.results.push_back(isNumbered(name) ? "" : name.substr(1));
  }
  for (StringAttr symbol : form.symbols().symbols())
    names.symbols.push_back(symbol.str());
  return names;
}

void appendSignature(Tokens &tokens, GraphOp graph) {
  SmallVector<DimAttr> dims;
  appendDims(dims, graph.getFunctionTypeValue().getInputs());
  appendDims(dims, graph.getFunctionTypeValue().getResults());
  SmallVector<ClauseAttr> clauses = clausesOf(graph);
  SymbolOrder order = SymbolOrder::of(dims, clauses);
  GraphTokens(tokens, graph, order, [](Tokens &, FlatSymbolRefAttr) {}).signature(sortClauses(clauses, order));
}
} // namespace nova
