#include "compiler/transforms/MaskExpressions.h"

using namespace mlir;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

MaskExpressions::MaskExpressions(const Facts &facts) : facts(facts) {
  for (Id constant : {never, always})
    nodes.push_back({Kind::Constant, Value(), constant == always, {}, 0, 0});
}

MaskExpressions::Id MaskExpressions::intern(Node node) {
  auto key = std::make_tuple(node.kind, static_cast<const void *>(node.mask.getAsOpaquePointer()), node.negated,
                             std::vector<int>(node.axes.begin(), node.axes.end()), node.left, node.right);
  auto [it, fresh] = known.try_emplace(key, nodes.size());
  if (fresh)
    nodes.push_back(std::move(node));
  return it->second;
}

MaskExpressions::Id MaskExpressions::mask(Value value, bool negated) {
  int rank = typeOf(value).getRank();
  SmallVector<int, 4> axes;
  for (int k = 0; k < rank; k++)
    axes.push_back(rank - 1 - k);
  return mask(value, negated, axes);
}

MaskExpressions::Id MaskExpressions::mask(Value value, bool negated, SmallVector<int, 4> axes) {
  while (auto inner = value.getDefiningOp<NotOp>()) {
    value = inner.getOperand();
    negated = !negated;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto entries = dyn_cast<DenseElementsAttr>(constant.getValue()); entries && entries.isSplat())
      return entries.getSplatValue<bool>() != negated ? always : never;
  for (auto [axis, dim] : llvm::zip_equal(axes, typeOf(value).getDims()))
    if (facts.equal(dim, constantDim(dim.getContext(), 1)))
      axis = -1;
  return intern({Kind::Mask, value, negated, std::move(axes), 0, 0});
}

bool MaskExpressions::areOpposite(Id a, Id b) const {
  const Node &x = nodes[a], &y = nodes[b];
  return x.kind == Kind::Mask && y.kind == Kind::Mask && x.mask == y.mask && x.negated != y.negated && x.axes == y.axes;
}

MaskExpressions::Id MaskExpressions::conjunction(Id a, Id b) {
  if (a == never || b == never || areOpposite(a, b))
    return never;
  if (a == always || a == b)
    return b;
  if (b == always)
    return a;
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) // x and (x or z) is x
    if (nodes[y].kind == Kind::Or && (nodes[y].left == x || nodes[y].right == x))
      return x;
  return intern({Kind::And, Value(), false, {}, std::min(a, b), std::max(a, b)});
}

MaskExpressions::Id MaskExpressions::disjunction(Id a, Id b) {
  if (a == always || b == always || areOpposite(a, b))
    return always;
  if (a == never || a == b)
    return b;
  if (b == never)
    return a;
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) // x or (x and z) is x
    if (nodes[y].kind == Kind::And && (nodes[y].left == x || nodes[y].right == x))
      return x;
  // Both branches of a `where`: (x and z) or (x and not z) is x.
  const Node &left = nodes[a], &right = nodes[b];
  if (left.kind == Kind::And && right.kind == Kind::And)
    for (auto [x, z] : {std::pair(left.left, left.right), std::pair(left.right, left.left)})
      if ((right.left == x && areOpposite(right.right, z)) || (right.right == x && areOpposite(right.left, z)))
        return x;
  return intern({Kind::Or, Value(), false, {}, std::min(a, b), std::max(a, b)});
}

// A mask as an expression of the masks that it is made of; `always` for one that is made of something else.
MaskExpressions::Id MaskExpressions::expand(Id id) {
  Node node = nodes[id]; // a copy: nodes are added
  Operation *op = node.mask.getDefiningOp();
  if (!op)
    return always;
  auto part = [&](unsigned operand, bool negated) {
    Value value = op->getOperand(operand);
    ArrayRef<int> axes = ArrayRef<int>(node.axes).take_back(typeOf(value).getRank());
    return mask(value, negated, SmallVector<int, 4>(axes));
  };
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int, 4> axes(node.axes.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      axes[from] = node.axes[to];
    return mask(transpose.getOperand(), node.negated, axes);
  }
  if (isa<BroadcastOp>(op))
    return part(0, node.negated);
  if (isa<AndOp, OrOp>(op)) {
    Id a = part(0, node.negated), b = part(1, node.negated);
    return isa<AndOp>(op) != node.negated ? conjunction(a, b) : disjunction(a, b);
  }
  if (isa<WhereOp>(op))
    return disjunction(conjunction(part(0, false), part(1, node.negated)),
                       conjunction(part(0, true), part(2, node.negated)));
  return always;
}

// `root` with every mask replaced by what `atMask` gives; where it gives nothing the mask is expanded. All steps go
// from an expression to one that follows from it.
MaskExpressions::Id MaskExpressions::transform(Id root, Memo &done,
                                               function_ref<std::optional<Id>(const Node &)> atMask) {
  done.try_emplace(never, never);
  done.try_emplace(always, always);
  SmallVector<Id> work{root};
  while (!work.empty()) {
    Id id = work.back();
    if (done.count(id)) {
      work.pop_back();
      continue;
    }
    Node node = nodes[id];
    if (node.kind == Kind::Mask) {
      std::optional<Id> given = atMask(node);
      Id next = given ? *given : expand(id);
      if (given)
        done[id] = next;
      else if (auto it = done.find(next); it != done.end())
        done[id] = Id(it->second);
      else
        work.push_back(next);
      continue;
    }
    auto left = done.find(node.left), right = done.find(node.right);
    if (left == done.end() || right == done.end()) {
      if (left == done.end())
        work.push_back(node.left);
      if (right == done.end())
        work.push_back(node.right);
      continue;
    }
    Id a = left->second, b = right->second;
    done[id] = node.kind == Kind::And ? conjunction(a, b) : disjunction(a, b);
  }
  return done.lookup(root);
}

MaskExpressions::Id MaskExpressions::move(Id x, ArrayRef<int> axes) {
  auto stays = [](auto indexed) { return int(indexed.index()) == indexed.value(); };
  if (x == never || x == always || llvm::all_of(llvm::enumerate(axes), stays))
    return x;
  return transform(x, moved[{axes.begin(), axes.end()}], [&](const Node &node) -> std::optional<Id> {
    Node next = node;
    for (int &axis : next.axes) {
      if (axis < 0)
        continue;
      axis = axes[axis];
      if (axis < 0)
        return std::nullopt;
    }
    return intern(std::move(next));
  });
}

MaskExpressions::Id MaskExpressions::forget(Id x, unsigned key, function_ref<bool(Value)> forget) {
  return transform(x, forgotten[key], [&](const Node &node) -> std::optional<Id> {
    return forget(node.mask) ? std::nullopt : std::optional<Id>(intern(node));
  });
}

// The mask itself where its axes lie as those of a value of `rank` axes; else with its axes moved there.
Value MaskExpressions::emitMask(CoreBuilder &core, Location loc, const Node &node, unsigned rank) {
  OpBuilder &b = core.b;
  auto attribute = [&](StringRef name, Attribute value) { return b.getNamedAttr(name, value); };
  SmallVector<int, 4> axes = node.axes;
  Value value = node.mask;
  auto isPlaced = [&](auto indexed) {
    return indexed.value() < 0 || indexed.value() + int(indexed.index()) + 1 == int(axes.size());
  };
  if (!llvm::all_of(llvm::enumerate(axes), isPlaced)) {
    size_t most = std::max<size_t>(axes.size(), *llvm::max_element(axes) + 1);
    if (axes.size() < most) { // more axes: or with a false that has them
      auto no = DenseElementsAttr::get(RankedTensorType::get(SmallVector<int64_t>(most, 1), b.getI1Type()), false);
      Value widen = core.create(loc, "nova.constant", {},
                                {attribute("value", no), attribute("declared", TypeAttr::get(b.getI1Type()))});
      value = core.create(loc, "nova.or", {value, widen});
      axes.insert(axes.begin(), most - axes.size(), -1);
    }
    // What runs along no axis fills the places between.
    SmallVector<int64_t> permutation(most, -1);
    for (auto [k, axis] : llvm::enumerate(axes))
      if (axis >= 0)
        permutation[most - 1 - axis] = k;
    size_t next = 0;
    for (int64_t &from : permutation)
      if (from < 0) {
        while (axes[next] >= 0)
          next++;
        from = next++;
      }
    value = core.create(loc, "nova.transpose", value, attribute("permutation", b.getDenseI64ArrayAttr(permutation)));
  }
  if (typeOf(value).getRank() <= int64_t(rank))
    return value;
  // Leading axes, all of one entry, go by a reduction, which numbers have.
  Value zero = core.constant(loc, Scalar{b.getI64Type(), 0, 0}), one = core.constant(loc, Scalar{b.getI64Type(), 0, 1});
  Value number = core.create(loc, "nova.where", {value, one, zero});
  while (typeOf(number).getRank() > int64_t(rank))
    number = core.create(loc, "nova.reduce_max", number,
                         {attribute("axis", b.getI64IntegerAttr(0)), attribute("drop", b.getUnitAttr())});
  return core.create(loc, "nova.greater", {number, zero});
}

std::pair<Value, bool> MaskExpressions::emit(CoreBuilder &core, Location loc, Id root, unsigned rank) {
  SmallVector<Id> work{root};
  while (!work.empty()) {
    Id id = work.back();
    const Node &node = nodes[id];
    if (emitted.count({id, rank})) {
      work.pop_back();
      continue;
    }
    if (node.kind == Kind::Mask) {
      emitted[{id, rank}] = {emitMask(core, loc, node, rank), node.negated};
      continue;
    }
    auto left = emitted.find({node.left, rank}), right = emitted.find({node.right, rank});
    if (left == emitted.end() || right == emitted.end()) {
      if (left == emitted.end())
        work.push_back(node.left);
      if (right == emitted.end())
        work.push_back(node.right);
      continue;
    }
    auto [x, xNegated] = left->second;
    auto [y, yNegated] = right->second;
    bool both = xNegated && yNegated; // not x and not y is the opposite of x or y
    auto plain = [&](Value value, bool negated) {
      return negated && !both ? core.create(loc, "nova.not", value) : value;
    };
    StringRef name = (node.kind == Kind::And) != both ? "nova.and" : "nova.or";
    Value first = plain(x, xNegated), second = plain(y, yNegated);
    emitted[{id, rank}] = {core.create(loc, name, {first, second}), both};
  }
  return emitted[{root, rank}];
}
} // namespace nova
