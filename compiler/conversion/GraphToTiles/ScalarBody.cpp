#include "compiler/conversion/GraphToTiles/ScalarBody.h"
#include "dialects/tile/TileDialect.h"

using namespace mlir;

namespace nova {
TensorType scalarType(Type element) { return TensorType::get(element.getContext(), element, {}); }

Value scalarInteger(OpBuilder &b, Location loc, int64_t value) {
  auto attr = DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), ArrayRef<int64_t>(value));
  return b.create<ConstantOp>(loc, scalarType(b.getI64Type()), attr, TypeAttr::get(b.getI64Type()));
}

Value scalarDim(OpBuilder &b, Location loc, DimAttr dim) {
  if (std::optional<int64_t> known = constantValue(dim))
    return scalarInteger(b, loc, *known);
  return b.create<tile::DimOp>(loc, scalarType(b.getI64Type()), dim);
}

Value ScalarBody::clone(Operation *op) {
  Location loc = op->getLoc();
  Type element = tensorOf(op->getResult(0)).getElementType();
  if (auto dim = dyn_cast<DimValueOp>(op))
    return scalarDim(b, loc, dim.getDim());
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Value position = index(b, iota);
    if (!iota.getFromAttr())
      return position;
    return b.create<AddOp>(loc, scalarType(element), position, scalarDim(b, loc, iota.getFromAttr()));
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    auto scalar =
        DenseElementsAttr::get(RankedTensorType::get({}, value.getElementType()), value.getSplatValue<Attribute>());
    return b.create<ConstantOp>(loc, scalarType(element), scalar, TypeAttr::get(element));
  }
  OperationState state(loc, op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(known.lookup(operand));
  state.addTypes(Type(scalarType(element)));
  state.addAttributes(op->getAttrs());
  Operation *scalar = b.create(state);
  if (cloned)
    cloned(op, scalar);
  return scalar->getResult(0);
}

Value ScalarBody::get(Value value) {
  if (Value found = known.lookup(value))
    return found;
  // Depth-first without recursion: operands before ops.
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value v = work.back();
    if (known.count(v)) {
      work.pop_back();
      continue;
    }
    Operation *op = v.getDefiningOp();
    size_t before = work.size();
    if (isElementwise(op))
      for (Value operand : op->getOperands())
        if (!known.count(operand))
          work.push_back(operand);
    if (work.size() != before)
      continue;
    known[v] = clone(op);
    work.pop_back();
  }
  return known.lookup(value);
}
} // namespace nova
