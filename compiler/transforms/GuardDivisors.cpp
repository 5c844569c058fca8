#include "compiler/transforms/GuardDivisors.h"
#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/ZeroDivisors.h"
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

  void findDivisions();
  void want(Value value, Id where);
  void flow(Operation *op);
  void findComponents();
  void guard(DivideOp divide);
  void sortOperations();

  GraphOp graph;
  CoreBuilder &core;
  Facts facts;
  MaskExpressions masks;
  SmallVector<DivideOp> divisions;
  DenseSet<Operation *> fromQuotients; // the divisions and what is computed from them
  DenseMap<Value, Id> wanted;          // for results of those: at which entries; none: nowhere
  std::deque<Dependent> dependents;
  DenseMap<Operation *, Dependent *> dependentOf;
};
} // namespace

void Guards::findDivisions() {
  for (Operation &op : graph.getBlock()) {
    bool divides = mayDivideByZero(&op, facts);
    if (divides)
      divisions.push_back(cast<DivideOp>(op));
    if (divides || llvm::any_of(op.getOperands(), [&](Value x) { return fromQuotients.contains(x.getDefiningOp()); }))
      fromQuotients.insert(&op);
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
    if (!fromQuotients.contains(operand.getDefiningOp()))
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

// A mask can guard a quotient unless it waits for it: because it is computed from it, or from another quotient whose
// own guard waits for it. With an edge from the masks to the quotients that want them, these are the masks and
// quotients of one strongly connected component; the answer does not depend on the order of the operations.
void Guards::findComponents() {
  Dependent root;
  auto add = [&]() {
    root.users.push_back(&dependents.emplace_back());
    return root.users.back();
  };
  for (Operation &op : graph.getBlock())
    if (fromQuotients.contains(&op))
      dependentOf[&op] = add();
  for (auto [op, dependent] : dependentOf)
    for (Operation *user : op->getUsers())
      dependent->users.push_back(dependentOf.lookup(user));
  DenseMap<Id, Dependent *> expressions;
  for (DivideOp divide : divisions) {
    SmallVector<std::pair<Id, Dependent *>> work{{wanted.lookup(divide.getResult()), dependentOf[divide]}};
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

void Guards::guard(DivideOp divide) {
  Location loc = divide.getLoc();
  if (auto named = dyn_cast<NameLoc>(loc)) // what the text does not have takes no name from it
    loc = named.getChildLoc();
  unsigned component = dependentOf[divide]->component;
  Id where = masks.forget(wanted.lookup(divide.getResult()), component, [&](Value mask) {
    Dependent *dependent = dependentOf.lookup(mask.getDefiningOp());
    return dependent && dependent->component == component;
  });
  if (where == MaskExpressions::always)
    return;
  Value divisor = divide.getRhs();
  Value one = core.constant(loc, Scalar{cast<TensorType>(divisor.getType()).getElementType(), 0, 1});
  Value mask;
  bool negated = false;
  if (where == MaskExpressions::never)
    mask = core.constant(loc, Scalar{core.b.getI1Type(), 0, 0});
  else
    std::tie(mask, negated) = masks.emit(core, loc, where, cast<TensorType>(divide.getResult().getType()).getRank());
  DivisorGuard own = guardOf(divisor);
  if (own.mask == mask && own.counts != negated)
    return; // the text guards it already
  SmallVector<Value, 3> operands{mask, negated ? one : divisor, negated ? divisor : one};
  divide.getRhsMutable().assign(core.create(loc, "nova.where", operands));
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
  findDivisions();
  if (divisions.empty())
    return;
  for (Value value : graph.getReturn().getValues())
    want(value, MaskExpressions::always);
  for (Operation &op : llvm::reverse(graph.getBlock().without_terminator()))
    if (fromQuotients.contains(&op))
      flow(&op);
  llvm::erase_if(divisions, [&](DivideOp divide) { return !wanted.count(divide.getResult()); }); // unused
  findComponents();
  OpBuilder::InsertionGuard insertion(core.b);
  core.b.setInsertionPoint(graph.getReturn());
  for (DivideOp divide : divisions)
    guard(divide);
  sortOperations();
}

void guardDivisors(GraphOp graph, CoreBuilder &core) { Guards(graph, core).run(); }
} // namespace nova
