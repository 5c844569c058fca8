#include "compiler/transforms/GuardOperands.h"
#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/FallibleOps.h"
#include "compiler/transforms/MaskExpressions.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"
#include <deque>

using namespace mlir;

namespace nova {
namespace {
// An operation or a mask expression, with what is computed from it.
struct Dependent {
  SmallVector<Dependent *, 2> users;
  unsigned component = 0;
};
} // namespace
} // namespace nova

template <> struct llvm::GraphTraits<nova::Dependent *> {
  using NodeRef = nova::Dependent *;
  using ChildIteratorType = SmallVector<nova::Dependent *, 2>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) { return node->users.begin(); }
  static ChildIteratorType child_end(NodeRef node) { return node->users.end(); }
};

namespace nova {
namespace {
class Guards {
public:
  Guards(GraphOp graph, CoreBuilder &core) : graph(graph), core(core), facts(factsOf(graph)), masks(facts) {}
  void run();

private:
  using Id = MaskExpressions::Id;

  void findFallible();
  void want(Value value, Id where);
  void flow(Operation *op);
  void findComponents();
  Id wantedOf(Operation *op);
  void guard(Operation *op);
  void sortOperations();

  GraphOp graph;
  CoreBuilder &core;
  Facts facts;
  MaskExpressions masks;
  SmallVector<Operation *> fallible;
  DenseSet<Operation *> fromFallible; // these and what is computed from them
  DenseMap<Value, Id> wanted;         // for results of those: at which entries; none: nowhere
  std::deque<Dependent> dependents;
  DenseMap<Operation *, Dependent *> dependentOf;
};
} // namespace

void Guards::findFallible() {
  for (Operation &op : graph.getBlock()) {
    bool fails = mayFail(&op, facts).has_value();
    if (fails)
      fallible.push_back(&op);
    if (fails || llvm::any_of(op.getOperands(), [&](Value x) { return fromFallible.contains(x.getDefiningOp()); }))
      fromFallible.insert(&op);
  }
}

void Guards::want(Value value, Id where) {
  Id &known = wanted.try_emplace(value, MaskExpressions::never).first->second;
  known = masks.disjunction(known, where);
}

// For each axis of `from`, counted from the last, the axis of `to` that runs along the same loop, or -1.
static SmallVector<int> axesBetween(ArrayRef<int> from, ArrayRef<int> to) {
  SmallVector<int> result;
  for (int loop : llvm::reverse(from)) {
    const int *same = loop < 0 ? to.end() : llvm::find(to, loop);
    result.push_back(same == to.end() ? -1 : int(to.end() - same) - 1);
  }
  return result;
}

// From the entries of the result that are wanted to those of the operands: what a mask hides from a reduction or a
// contraction is not, nor the branch of a `where` that is not taken.
void Guards::flow(Operation *op) {
  auto result = wanted.find(op->getResult(0));
  if (result == wanted.end())
    return;
  Id here = result->second;
  std::optional<AxisMaps> maps = axisMapsOf(op, facts);
  for (unsigned i = 0; i < op->getNumOperands(); i++) {
    Value operand = op->getOperand(i);
    if (!fromFallible.contains(operand.getDefiningOp()))
      continue;
    if (!maps) {
      want(operand, MaskExpressions::always);
      continue;
    }
    ArrayRef<int> axes = maps->operands[i];
    auto under = [&](unsigned mask, bool negated) {
      return masks.move(masks.mask(op->getOperand(mask), negated), axesBetween(maps->operands[mask], axes));
    };
    Id there = masks.move(here, axesBetween(maps->result, axes));
    for (unsigned mask = maps->firstHidden; mask < op->getNumOperands(); mask++)
      there = masks.conjunction(there, under(mask, true));
    if (isa<WhereOp>(op) && i > 0)
      there = masks.conjunction(there, under(0, i == 2));
    want(operand, there);
  }
}

// Where the entries that an operation may fail at are wanted: those of a divisor where its quotients are, entry by
// entry; an index where one of the entries is that it names.
MaskExpressions::Id Guards::wantedOf(Operation *op) {
  Id where = wanted.lookup(op->getResult(0));
  if (isElementwise(op))
    return where;
  AxisMaps maps = *axisMapsOf(op, facts);
  return masks.move(where, axesBetween(maps.result, maps.operands[mayFail(op, facts)->operand]));
}

// A mask can guard a quotient unless it waits for it: because it is computed from it, or from another quotient whose
// own guard waits for it. With an edge from the masks to the quotients that want them, these are the masks and
// quotients of one strongly connected component; the answer does not depend on the order of the operations. What is
// said here of quotients holds for everything that may fail.
void Guards::findComponents() {
  Dependent root;
  auto add = [&]() {
    root.users.push_back(&dependents.emplace_back());
    return root.users.back();
  };
  for (Operation &op : graph.getBlock())
    if (fromFallible.contains(&op))
      dependentOf[&op] = add();
  for (auto [op, dependent] : dependentOf)
    for (Operation *user : op->getUsers())
      dependent->users.push_back(dependentOf.lookup(user));
  DenseMap<Id, Dependent *> expressions;
  for (Operation *op : fallible) {
    SmallVector<std::pair<Id, Dependent *>> work{{wantedOf(op), dependentOf[op]}};
    while (!work.empty()) {
      auto [id, user] = work.pop_back_val();
      auto [it, fresh] = expressions.try_emplace(id, nullptr);
      if (fresh)
        it->second = add();
      Dependent *expression = it->second;
      expression->users.push_back(user);
      const MaskExpressions::Node &node = masks[id];
      if (!fresh || node.kind == MaskExpressions::Kind::Constant)
        continue;
      if (node.kind == MaskExpressions::Kind::Mask) {
        if (Dependent *mask = dependentOf.lookup(node.mask.getDefiningOp()))
          mask->users.push_back(expression);
        continue;
      }
      work.emplace_back(node.left, expression);
      work.emplace_back(node.right, expression);
    }
  }
  unsigned component = 0;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it, component++)
    for (Dependent *dependent : *it)
      dependent->component = component;
}

void Guards::guard(Operation *op) {
  Location loc = op->getLoc();
  if (auto named = dyn_cast<NameLoc>(loc)) // what the text does not have takes no name from it
    loc = named.getChildLoc();
  unsigned component = dependentOf[op]->component;
  Id where = masks.forget(wantedOf(op), component, [&](Value mask) {
    Dependent *dependent = dependentOf.lookup(mask.getDefiningOp());
    return dependent && dependent->component == component;
  });
  if (where == MaskExpressions::always)
    return;
  Fallible place = *mayFail(op, facts);
  Value checked = op->getOperand(place.operand);
  auto type = cast<TensorType>(checked.getType());
  Value harmless = core.constant(loc, Scalar{type.getElementType(), 0, place.harmless});
  Value mask;
  bool negated = false;
  if (where == MaskExpressions::never) {
    mask = core.constant(loc, Scalar{core.b.getI1Type(), 0, 0});
  } else {
    auto over = isElementwise(op) ? cast<TensorType>(op->getResult(0).getType()) : type;
    std::tie(mask, negated) = masks.emit(core, loc, where, over.getRank());
  }
  OperandGuard own = guardOf(op, place.operand, facts);
  if (own.mask == mask && own.counts != negated)
    return; // the text guards it already
  SmallVector<Value, 3> operands{mask, negated ? harmless : checked, negated ? checked : harmless};
  op->setOperand(place.operand, core.create(loc, "nova.where", operands));
}

// What an operation reads comes before it, and otherwise the order stays.
void Guards::sortOperations() {
  Block &block = graph.getBlock();
  DenseSet<Operation *> placed;
  SmallVector<Operation *> order, work;
  for (Operation &op : block) {
    work.push_back(&op);
    while (!work.empty()) {
      Operation *next = work.back();
      size_t before = work.size();
      if (!placed.contains(next))
        for (Value operand : llvm::reverse(next->getOperands()))
          if (Operation *def = operand.getDefiningOp(); def && !placed.contains(def))
            work.push_back(def);
      if (work.size() != before)
        continue;
      work.pop_back();
      if (placed.insert(next).second)
        order.push_back(next);
    }
  }
  for (Operation *op : order)
    op->moveBefore(&block, block.end());
}

void Guards::run() {
  findFallible();
  if (fallible.empty())
    return;
  for (Value value : graph.getReturn().getValues())
    want(value, MaskExpressions::always);
  for (Operation &op : llvm::reverse(graph.getBlock().without_terminator()))
    if (fromFallible.contains(&op))
      flow(&op);
  llvm::erase_if(fallible, [&](Operation *op) { return !wanted.count(op->getResult(0)); }); // unused
  findComponents();
  OpBuilder::InsertionGuard insertion(core.b);
  core.b.setInsertionPoint(graph.getReturn());
  for (Operation *op : fallible)
    guard(op);
  sortOperations();
}

void guardOperands(GraphOp graph, CoreBuilder &core) { Guards(graph, core).run(); }
} // namespace nova
