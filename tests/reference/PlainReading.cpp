//===- PlainReading.cpp - Graphs read without masks --------------------------===//
#include "tests/reference/PlainReading.h"

#include "compiler/reference/Arguments.h"
#include "compiler/reference/Kernels.h"

#include <algorithm>

using namespace mlir;

namespace nova::reference {
namespace {

/// Weak whole numbers are kept as i64, other weak scalars as f64.
Element elementForStored(Type type) {
  if (isa<WeakIntType>(type))
    return Element::I64;
  return isa<WeakFloatType>(type) ? Element::F64 : *elementOf(type);
}

Shape broadcastShape(llvm::ArrayRef<const Tensor *> operands) {
  Shape shape;
  for (const Tensor *x : operands) {
    if (x->shape.size() > shape.size())
      shape.insert(shape.begin(), x->shape.size() - shape.size(), 1);
    for (size_t i = 0, added = shape.size() - x->shape.size(); i < x->shape.size(); ++i)
      if (x->shape[i] != 1)
        shape[added + i] = x->shape[i];
  }
  return shape;
}

template <class T> bool holds(const Tensor &x, bool (*test)(T)) {
  return std::any_of(x.data<T>(), x.data<T>() + x.size(), test);
}
bool holdsNaN(const Tensor &x) {
  return (x.element == Element::F64 && holds<double>(x, [](double v) { return v != v; })) ||
         (x.element == Element::F32 && holds<float>(x, [](float v) { return v != v; }));
}
bool holdsZero(const Tensor &x) {
  return (x.element == Element::I64 && holds<int64_t>(x, [](int64_t v) { return v == 0; })) ||
         (x.element == Element::I32 && holds<int32_t>(x, [](int32_t v) { return v == 0; })) ||
         (x.element == Element::F64 && holds<double>(x, [](double v) { return v == 0; })) ||
         (x.element == Element::F32 && holds<float>(x, [](float v) { return v == 0; }));
}

class Reader {
public:
  PlainReading reading;

  void define(Value value, Tensor x) {
    reading.sawNaN |= holdsNaN(x);
    values[value] = std::move(x);
  }
  const Tensor &get(Value value) const { return values.find(value)->second; }

  Tensor execute(Operation *op) {
    Type type = llvm::cast<nova::TensorType>(op->getResult(0).getType()).getElementType();
    if (auto constant = dyn_cast<ConstantOp>(op))
      return literal(llvm::cast<DenseElementsAttr>(constant.getValue()), elementForStored(type));
    if (auto size = dyn_cast<SizeOp>(op)) {
      Tensor result(Element::I64, {});
      *result.data<int64_t>() = get(size.getOperand()).shape[size.getAxis()];
      return result;
    }
    if (auto iota = dyn_cast<IotaOp>(op)) {
      // The tests' iotas run along an axis of the first argument; other axes have size 1.
      Shape shape(iota.getDims().size(), 1);
      shape[iota.getAxis()] = sequence;
      return reference::iota(shape, iota.getAxis(), 0);
    }
    if (auto move = dyn_cast<TransposeOp>(op))
      return transpose(get(move.getOperand()), move.getPermutation().vec());
    if (auto select = dyn_cast<WhereOp>(op)) {
      Tensor yes = met(select.getOnTrue(), type), no = met(select.getOnFalse(), type);
      const Tensor &condition = get(select.getCondition());
      return reference::select(condition, yes, no, broadcastShape({&condition, &yes, &no}));
    }
    if (auto product = dyn_cast<MatmulOp>(op)) {
      Tensor left = met(product.getLhs(), type), right = met(product.getRhs(), type);
      return matmul(left, right, nullptr, nullptr, {left.shape[0], right.shape[1]});
    }
    if (isa<nova::ReductionOp>(op))
      return reduction(op);
    return elementwiseOf(op, type);
  }

  int64_t sequence = 0;
  int32_t poison = 0;

private:
  static Tensor literal(DenseElementsAttr value, Element element) {
    Type held = value.getElementType();
    Tensor x(*elementOf(held), Shape(value.getType().getShape().begin(), value.getType().getShape().end()));
    if (held.isF64())
      llvm::copy(value.getValues<double>(), x.data<double>());
    else if (held.isInteger(64))
      llvm::copy(value.getValues<int64_t>(), x.data<int64_t>());
    else
      llvm::copy(value.getValues<bool>(), x.data<uint8_t>());
    return x.element == element ? x : reference::cast(x, element);
  }

  /// The operand at the type where the operands of an operation meet.
  Tensor met(Value operand, Type type) const {
    const Tensor &x = get(operand);
    Element element = elementForStored(type);
    return x.element == element ? x : reference::cast(x, element);
  }

  Tensor reduction(Operation *op) const {
    const Tensor &x = get(op->getOperand(0));
    auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
    Shape shape = x.shape;
    shape[axis] = 1;
    if (op->hasAttr("drop"))
      shape.erase(shape.begin() + axis);
    Reduction kind = isa<ReduceSumOp>(op) ? Reduction::Sum : isa<ReduceMaxOp>(op) ? Reduction::Max : Reduction::Min;
    return reduce(kind, x, nullptr, axis, shape);
  }

  Tensor elementwiseOf(Operation *op, Type type) {
    if (nova::isComparison(op)) // the operands meet at the typed one
      for (Value operand : op->getOperands())
        if (auto own = llvm::cast<nova::TensorType>(operand.getType()); !own.isWeak())
          type = own.getElementType();
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands())
      operands.push_back(met(operand, type));
    std::vector<const Tensor *> pointers;
    for (const Tensor &operand : operands)
      pointers.push_back(&operand);
    Shape shape = broadcastShape(pointers);
    if (isa<DivideOp>(op)) {
      reading.sawZeroDivisor |= holdsZero(operands[1]);
      if (operands[1].element == Element::I64)
        return divided<int64_t>(operands[0], operands[1], shape);
      if (operands[1].element == Element::I32)
        return divided<int32_t>(operands[0], operands[1], shape);
    }
    return *elementwise(op->getName().stripDialect(), pointers, shape);
  }

  template <class T> Tensor divided(const Tensor &a, Tensor b, const Shape &shape) const {
    Tensor zero(b.element, {}), other(b.element, {});
    *zero.data<T>() = 0;
    *other.data<T>() = poison;
    Tensor bad = *elementwise("equal", {&b, &zero}, b.shape), some = *elementwise("not_equal", {&a, &zero}, a.shape);
    std::replace(b.data<T>(), b.data<T>() + b.size(), T(0), T(1));
    Tensor quotient = *elementwise("divide", {&a, &b}, shape);
    return select(bad, select(some, other, zero, some.shape), quotient, shape);
  }

  llvm::DenseMap<Value, Tensor> values;
};

} // namespace

PlainReading readPlainly(GraphOp stored, const std::vector<Tensor> &arguments, int32_t poison) {
  Reader reader;
  reader.poison = poison;
  reader.sequence = arguments[0].shape[0];
  for (auto [value, tensor] : llvm::zip_equal(stored.getBlock().getArguments(), arguments))
    reader.define(value, tensor);
  for (Operation &op : stored.getBlock().without_terminator())
    reader.define(op.getResult(0), reader.execute(&op));
  for (Value value : stored.getReturn().getValues())
    reader.reading.results.push_back(reader.get(value));
  return std::move(reader.reading);
}

} // namespace nova::reference
