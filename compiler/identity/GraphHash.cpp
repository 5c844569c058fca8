#include "compiler/identity/GraphHash.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nova {
GraphHashes::GraphHashes(ModuleOp module) {
  for (GraphOp graph : module.getOps<GraphOp>())
    graphs[graph.getSymNameAttr()] = graph;
}

GraphOp GraphHashes::lookup(Operation *call) {
  auto name = cast<Invocation>(call).getCalleeAttr().getAttr();
  GraphOp callee = graphs.lookup(name);
  if (!callee)
    call->emitError("graph @") << name.getValue() << " is not in this module";
  return callee;
}

Hash GraphHashes::signatureHash(GraphOp graph) {
  Tokens tokens(Domain::Signature);
  appendSignature(tokens, graph);
  return tokens.finish();
}

FailureOr<Hash> GraphHashes::graphHash(GraphOp graph) {
  for (Invocation call : graph.getBlock().getOps<Invocation>())
    if (!lookup(call))
      return failure();
  StoredForm form = StoredForm::of(graph);
  // Callees are numbered by their first call; their names do not count.
  llvm::DenseMap<Attribute, int64_t> callees;
  Tokens tokens(Domain::Graph);
  form.append(tokens, [&](Tokens &out, FlatSymbolRefAttr callee) {
    auto [it, fresh] = callees.try_emplace(callee, callees.size());
    out.integer(it->second);
    if (fresh)
      out.hash(signatureHash(graphs.lookup(callee.getAttr())));
  });
  return tokens.finish();
}

LogicalResult GraphHashes::hashCallees(GraphOp root) {
  struct Frame {
    GraphOp graph;
    SmallVector<Invocation> calls;
    size_t next = 0;
  };
  auto frame = [&](GraphOp graph) { return Frame{graph, llvm::to_vector(graph.getBlock().getOps<Invocation>())}; };
  std::vector<Frame> stack;
  auto fail = [&] {
    for (Frame &each : stack)
      entries[each.graph].open = false;
    return failure();
  };
  entries[root].open = true;
  stack.push_back(frame(root));
  while (!stack.empty()) {
    Frame &top = stack.back();
    if (top.next < top.calls.size()) {
      Invocation call = top.calls[top.next++];
      GraphOp callee = lookup(call);
      if (!callee)
        return fail();
      Entry &entry = entries[callee];
      if (entry.open) {
        call->emitError("graph @") << callee.getSymName() << " reaches itself through this call";
        return fail();
      }
      if (entry.semantic)
        continue;
      entry.open = true;
      stack.push_back(frame(callee));
      continue;
    }
    GraphOp graph = top.graph;
    Hash hash = hashWithKnownCallees(graph, {});
    entries[graph] = {hash, false};
    byHash.try_emplace(hash, graph);
    stack.pop_back();
  }
  return success();
}

GraphOp GraphHashes::representative(StringAttr callee) {
  GraphOp graph = graphs.lookup(callee);
  auto it = graph ? entries.find(graph) : entries.end();
  return it != entries.end() && it->second.semantic ? byHash.at(*it->second.semantic) : GraphOp();
}

FailureOr<StoredForm> GraphHashes::storedForm(GraphOp graph, ArrayRef<Value> extraResults) {
  if (!entries.lookup(graph).semantic && failed(hashCallees(graph)))
    return failure();
  return StoredForm::of(graph, extraResults, [&](FlatSymbolRefAttr callee) {
    return FlatSymbolRefAttr::get(representative(callee.getAttr()));
  });
}

Hash GraphHashes::hashWithKnownCallees(GraphOp graph, ArrayRef<Value> extraResults) {
  auto known = [&](FlatSymbolRefAttr callee) { return FlatSymbolRefAttr::get(representative(callee.getAttr())); };
  StoredForm form = StoredForm::of(graph, extraResults, known);
  Tokens tokens(Domain::Semantic);
  form.append(tokens, [&](Tokens &out, FlatSymbolRefAttr callee) {
    out.hash(*entries.lookup(graphs.lookup(callee.getAttr())).semantic);
  });
  return tokens.finish();
}

FailureOr<Hash> GraphHashes::semanticHash(GraphOp graph, ArrayRef<Value> extraResults) {
  if (!entries.lookup(graph).semantic && failed(hashCallees(graph)))
    return failure();
  return extraResults.empty() ? *entries[graph].semantic : hashWithKnownCallees(graph, extraResults);
}

FailureOr<std::vector<GraphOp>> GraphHashes::reachable(GraphOp root) {
  if (failed(semanticHash(root)))
    return failure();
  std::vector<GraphOp> order;
  llvm::DenseSet<Operation *> seen;
  // A frame is a graph and the callees that were not looked at yet; only calls that a result needs count.
  std::vector<std::pair<GraphOp, std::vector<GraphOp>>> stack;
  auto push = [&](GraphOp graph) -> LogicalResult {
    FailureOr<StoredForm> form = storedForm(graph);
    if (failed(form))
      return failure();
    std::vector<GraphOp> callees;
    for (const StoredOp &stored : llvm::reverse(form->ops()))
      if (auto callee = stored.attributes.getAs<FlatSymbolRefAttr>("callee"))
        callees.push_back(graphs.lookup(callee.getAttr()));
    stack.emplace_back(graph, std::move(callees));
    return success();
  };
  seen.insert(root);
  if (failed(push(root)))
    return failure();
  while (!stack.empty()) {
    auto &[graph, callees] = stack.back();
    if (callees.empty()) {
      order.push_back(graph);
      stack.pop_back();
      continue;
    }
    GraphOp callee = callees.back();
    callees.pop_back();
    if (seen.insert(callee).second && failed(push(callee)))
      return failure();
  }
  return order;
}
} // namespace nova
