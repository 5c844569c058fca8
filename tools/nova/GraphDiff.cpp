#include "tools/nova/GraphDiff.h"
#include "dialects/graph/Text.h"
#include "tools/nova/GraphCorrespondence.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace nova::tool {
// The operation as its graph writes it.
static std::string textOf(mlir::Operation *op) {
  std::string text;
  raw_string_ostream os(text);
  op->print(os, mlir::OpPrintingFlags().useLocalScope());
  size_t at = text.find("nova.");
  if (at != std::string::npos)
    text.erase(at, StringRef("nova.").size());
  return text;
}

static std::string parameterText(mlir::Attribute attribute) {
  auto parameter = mlir::cast<TypeParamAttr>(attribute);
  return (parameter.getName().getValue() + ": " + parameter.getKind().getValue() + " = " +
          elementText(parameter.getFallback()))
      .str();
}

namespace {
class GraphComparison {
public:
  GraphComparison(DiffSide before, DiffSide after, const StoredForm &beforeForm, const StoredForm &afterForm)
      : before(before), after(after), beforeForm(beforeForm), afterForm(afterForm),
        arguments(pairArguments(before.graph, after.graph)), renaming(beforeForm, afterForm, arguments),
        nowhere(mlir::UnknownLoc::get(before.graph.getContext())) {}

  GraphDifference run() {
    compareParameters();
    compareArguments();
    compareResultTypes();
    compareClauses();
    makeNodes(beforeForm, before, beforeNodes, /*renamed=*/false);
    makeNodes(afterForm, after, afterNodes, /*renamed=*/true);
    Correspondence pairs(beforeForm, afterForm, beforeNodes, afterNodes, arguments);
    for (const DiffNode &node : afterNodes)
      compareNode(node, pairs);
    compareReturned(pairs);
    for (const DiffNode &node : beforeNodes)
      if (!node.partner)
        add("removed", textOf(node.stored->op), "", node.stored->op->getLoc(), nowhere);
    return std::move(result);
  }

private:
  void add(StringRef what, std::string left, std::string right, mlir::Location leftAt, mlir::Location rightAt) {
    result.changes.push_back({what.str(), std::move(left), std::move(right), leftAt, rightAt});
  }
  void addToSignature(StringRef what, std::string left, std::string right) {
    add(what, left, right, left.empty() ? nowhere : before.graph.getLoc(),
        right.empty() ? nowhere : after.graph.getLoc());
  }

  void compareParameters() {
    auto ours = before.graph.getTypeParams(), theirs = after.graph.getTypeParams();
    for (size_t i = 0; i < std::max(ours.size(), theirs.size()); i++) {
      auto own = i < ours.size() ? mlir::cast<TypeParamAttr>(ours[i]) : TypeParamAttr();
      auto other = i < theirs.size() ? mlir::cast<TypeParamAttr>(theirs[i]) : TypeParamAttr();
      if (!own || !other || own.getKind() != other.getKind() || own.getFallback() != other.getFallback())
        addToSignature("type parameter", own ? parameterText(own) : "", other ? parameterText(other) : "");
    }
  }

  static std::string argumentText(GraphOp graph, unsigned i) {
    return ("%" + graph.getArgName(i) + ": " + toString(mlir::Type(graph.getArgumentType(i)))).str();
  }

  void compareArguments() {
    DenseSet<unsigned> met;
    for (auto [i, partner] : enumerate(arguments)) {
      std::string text = argumentText(after.graph, i);
      if (!partner) {
        addToSignature("argument", "", text);
        continue;
      }
      met.insert(*partner);
      if (renaming(mlir::Type(after.graph.getArgumentType(i))) != before.graph.getArgumentType(*partner))
        addToSignature("argument", argumentText(before.graph, *partner), text);
    }
    for (unsigned i = 0; i < before.graph.getNumGraphArguments(); i++)
      if (!met.contains(i))
        addToSignature("argument", argumentText(before.graph, i), "");
  }

  void compareResultTypes() {
    unsigned ours = before.graph.getNumGraphResults(), theirs = after.graph.getNumGraphResults();
    auto text = [](GraphOp graph, unsigned i) {
      return i < graph.getNumGraphResults()
                 ? "result " + std::to_string(i) + ": " + toString(mlir::Type(graph.getResultType(i)))
                 : "";
    };
    for (unsigned i = 0; i < std::max(ours, theirs); i++)
      if (i >= ours || i >= theirs ||
          renaming(mlir::Type(after.graph.getResultType(i))) != before.graph.getResultType(i))
        addToSignature("type of result", text(before.graph, i), text(after.graph, i));
  }

  void compareClauses() {
    auto key = [](DimAttr lhs, StringRef relation, DimAttr rhs) {
      return std::tuple(lhs.getAsOpaquePointer(), relation, rhs.getAsOpaquePointer());
    };
    std::set<std::tuple<const void *, StringRef, const void *>> ours, theirs;
    for (ClauseAttr clause : beforeForm.clauses())
      ours.insert(key(clause.getLhs(), clause.getRelation().getValue(), clause.getRhs()));
    for (ClauseAttr clause : afterForm.clauses()) {
      auto renamed = key(renaming(clause.getLhs()), clause.getRelation().getValue(), renaming(clause.getRhs()));
      theirs.insert(renamed);
      if (!ours.count(renamed))
        addToSignature("clause", "", toString(clause));
    }
    for (ClauseAttr clause : beforeForm.clauses())
      if (!theirs.count(key(clause.getLhs(), clause.getRelation().getValue(), clause.getRhs())))
        addToSignature("clause", toString(clause), "");
  }

  void makeNodes(const StoredForm &form, DiffSide side, std::vector<DiffNode> &nodes, bool renamed) {
    for (const StoredOp &stored : form.ops()) {
      mlir::NamedAttrList attributes;
      for (mlir::NamedAttribute named : stored.attributes) {
        mlir::Attribute value = renamed ? renaming(named.getValue()) : named.getValue();
        if (auto callee = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(value))
          value = mlir::StringAttr::get(value.getContext(), calleeHash(callee, side).hex());
        attributes.push_back({named.getName(), value});
      }
      nodes.push_back({&stored, attributes.getDictionary(form.getGraph()->getContext()), std::nullopt});
    }
  }

  // Known: the stored form was made from it.
  static Hash calleeHash(mlir::FlatSymbolRefAttr callee, DiffSide side) {
    return *side.hashes->semanticHash(side.hashes->representative(callee.getAttr()));
  }

  void compareNode(const DiffNode &node, const Correspondence &pairs) {
    mlir::Operation *op = node.stored->op;
    if (!node.partner)
      return add("added", "", textOf(op), nowhere, op->getLoc());
    const DiffNode &partner = beforeNodes[*node.partner];
    mlir::Operation *other = partner.stored->op;
    StringRef what = difference(partner, node, pairs);
    if (!what.empty())
      add(what, textOf(other), textOf(op), other->getLoc(), op->getLoc());
  }

  StringRef difference(const DiffNode &ours, const DiffNode &theirs, const Correspondence &pairs) {
    mlir::Operation *own = ours.stored->op, *other = theirs.stored->op;
    if (own->getName() != other->getName())
      return "operation";
    if (ours.attributes != theirs.attributes) {
      auto call = mlir::dyn_cast<Invocation>(own);
      if (!call)
        return mlir::isa<ConstantOp>(own) ? "constant" : "attributes";
      GraphOp left = before.hashes->representative(call.getCalleeAttr().getAttr()),
              right = after.hashes->representative(mlir::cast<Invocation>(other).getCalleeAttr().getAttr());
      if (left == right)
        return "attributes";
      result.callees.push_back({left, right});
      return "callee";
    }
    ArrayRef<unsigned> left = ours.stored->operands, right = theirs.stored->operands;
    bool sameOperands = left.size() == right.size() && all_of(zip(left, right), [&](auto both) {
                          return pairs.same(std::get<0>(both), std::get<1>(both));
                        });
    return sameOperands ? "" : "operands";
  }

  void compareReturned(const Correspondence &pairs) {
    ArrayRef<unsigned> left = beforeForm.results(), right = afterForm.results();
    if (left.size() == right.size() &&
        all_of(zip(left, right), [&](auto both) { return pairs.same(std::get<0>(both), std::get<1>(both)); }))
      return;
    mlir::Operation *own = before.graph.getReturn(), *other = after.graph.getReturn();
    add("results", textOf(own), textOf(other), own->getLoc(), other->getLoc());
  }

  DiffSide before, after;
  const StoredForm &beforeForm, &afterForm;
  std::vector<std::optional<unsigned>> arguments;
  Renaming renaming;
  mlir::Location nowhere;
  std::vector<DiffNode> beforeNodes, afterNodes;
  GraphDifference result;
};
} // namespace

mlir::FailureOr<GraphDifference> diffGraphs(DiffSide before, DiffSide after) {
  mlir::FailureOr<Hash> left = before.hashes->semanticHash(before.graph),
                        right = after.hashes->semanticHash(after.graph);
  if (failed(left) || failed(right))
    return mlir::failure();
  if (*left == *right)
    return GraphDifference{};
  mlir::FailureOr<StoredForm> ours = before.hashes->storedForm(before.graph),
                              theirs = after.hashes->storedForm(after.graph);
  if (failed(ours) || failed(theirs))
    return mlir::failure();
  return GraphComparison(before, after, *ours, *theirs).run();
}
} // namespace nova::tool
