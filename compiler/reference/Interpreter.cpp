//===- Interpreter.cpp - What a graph means, executed ------------------------===//
#include "compiler/reference/Interpreter.h"

#include "compiler/reference/Kernels.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/TypeSwitch.h"

#include <new>
#include <stdexcept>

using namespace mlir;
using namespace nova::reference;

namespace nova {
namespace {

using Result = llvm::Expected<Tensor>;

/// "%S: message", or the operation's name where the value has none.
llvm::Error failAt(Operation *op, const llvm::Twine &message) {
  std::string name = op->getNumResults() == 1 ? valueName(op->getResult(0)) : "";
  if (name.empty())
    name = op->getName().stripDialect().str();
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), name + ": " + message);
}

std::string indexText(const Shape &index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

class Run {
public:
  Run(GraphOp graph, Bindings bindings) : graph(graph), bindings(std::move(bindings)) {}

  llvm::Expected<std::vector<Tensor>> operator()(ArrayRef<Tensor> arguments) {
    for (auto [value, tensor] : llvm::zip_equal(graph.getBlock().getArguments(), arguments)) {
      if (value.use_empty())
        continue;
      Tensor copy = tensor;
      canonicalize(copy);
      define(value, std::move(copy));
    }
    for (Operation &op : graph.getBlock().without_terminator()) {
      if (op.use_empty())
        continue;
      Result result = execute(&op);
      if (!result)
        return result.takeError();
      define(op.getResult(0), std::move(*result));
      for (Value operand : op.getOperands())
        release(operand);
    }
    std::vector<Tensor> results;
    for (Value value : graph.getReturn().getValues()) {
      results.push_back(get(value));
      release(value);
    }
    return results;
  }

private:
  struct Slot {
    Tensor tensor;
    int64_t uses; ///< that are still to come
  };

  void define(Value value, Tensor tensor) {
    slots.try_emplace(value, Slot{std::move(tensor), std::distance(value.use_begin(), value.use_end())});
  }
  void release(Value value) {
    auto slot = slots.find(value);
    if (--slot->second.uses == 0)
      slots.erase(slot);
  }
  const Tensor &get(Value value) const { return slots.find(value)->second.tensor; }
  const Tensor *getIfPresent(Value value) const { return value ? &get(value) : nullptr; }

  llvm::Expected<Shape> shapeOf(Operation *op, ArrayRef<DimAttr> dims) const {
    Shape shape;
    for (DimAttr dim : dims) {
      std::optional<int64_t> size = evaluateDim(dim, bindings);
      if (!size)
        return failAt(op, "size " + toString(dim) + " is more than 63 bits hold");
      if (*size < 0)
        return failAt(op, "size " + toString(dim) + " is " + llvm::Twine(*size));
      shape.push_back(*size);
    }
    return shape;
  }

  Result execute(Operation *op) {
    llvm::Expected<Shape> shape = shapeOf(op, cast<TensorType>(op->getResult(0).getType()).getDims());
    if (!shape)
      return shape.takeError();
    auto reduceOp = [&](Reduction kind, auto reduction) {
      return Result(
          reduce(kind, get(reduction.getOperand()), getIfPresent(reduction.getHidden()), reduction.getAxis(), *shape));
    };
    return llvm::TypeSwitch<Operation *, Result>(op)
        .Case([&](ConstantOp constant) { return execute(constant); })
        .Case([&](DimValueOp value) { return execute(value); })
        .Case([&](IotaOp iota) { return execute(iota, *shape); })
        .Case([&](CastOp cast) { return execute(cast); })
        .Case([&](DivideOp divide) { return execute(divide, *shape); })
        .Case([&](TransposeOp op) { return Result(transpose(get(op.getOperand()), op.getPermutation().vec())); })
        .Case([&](ConcatOp concat) { return execute(concat, *shape); })
        .Case([&](WhereOp op) {
          return Result(select(get(op.getCondition()), get(op.getOnTrue()), get(op.getOnFalse()), *shape));
        })
        .Case([&](MatmulOp op) {
          return Result(matmul(get(op.getLhs()), get(op.getRhs()), getIfPresent(op.getLhsHidden()),
                               getIfPresent(op.getRhsHidden())));
        })
        .Case([&](ReduceSumOp op) { return reduceOp(Reduction::Sum, op); })
        .Case([&](ReduceMaxOp op) { return reduceOp(Reduction::Max, op); })
        .Case([&](ReduceMinOp op) { return reduceOp(Reduction::Min, op); })
        .Default([&](Operation *op) { return executeElementwise(op, *shape); });
  }

  Result executeElementwise(Operation *op, const Shape &shape) {
    std::vector<const Tensor *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(&get(operand));
    llvm::StringRef name = op->getName().stripDialect();
    if (isElementwise(op))
      if (std::optional<Tensor> result = elementwise(name, operands, shape))
        return std::move(*result);
    return failAt(op, "core form has no operation " + name);
  }

  Result execute(ConstantOp constant) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    Shape shape(value.getType().getShape().begin(), value.getType().getShape().end());
    std::optional<Element> element = elementOf(constant.getType().getElementType());
    if (!element)
      return failAt(constant, "core form has no constant of type " + toString(Type(constant.getType())));
    // The attribute holds f64, i64 or i1; the declared type is reached by one rounding.
    Type held = value.getElementType();
    Tensor result(*elementOf(held), shape);
    if (held.isF64())
      llvm::copy(value.getValues<double>(), result.data<double>());
    else if (held.isInteger(64))
      llvm::copy(value.getValues<int64_t>(), result.data<int64_t>());
    else
      llvm::copy(value.getValues<bool>(), result.data<uint8_t>());
    return result.element == *element ? std::move(result) : reference::cast(result, *element);
  }

  Result execute(DimValueOp op) {
    std::optional<int64_t> value = evaluateDim(op.getDim(), bindings);
    if (!value)
      return failAt(op, toString(op.getDim()) + " is more than 63 bits hold");
    Tensor result(Element::I64, {});
    *result.data<int64_t>() = *value;
    return result;
  }

  Result execute(IotaOp op, const Shape &shape) {
    int64_t from = 0;
    if (DimAttr dim = op.getFromAttr()) {
      std::optional<int64_t> value = evaluateDim(dim, bindings);
      if (!value)
        return failAt(op, toString(dim) + " is more than 63 bits hold");
      from = *value;
    }
    return reference::iota(shape, op.getAxis(), from);
  }

  Result execute(CastOp op) {
    std::optional<Element> to = elementOf(op.getTo());
    if (!to || *to == Element::I1)
      return failAt(op, "core form has no cast to " + elementText(op.getTo()));
    return reference::cast(get(op.getOperand()), *to);
  }

  Result execute(DivideOp op, const Shape &shape) {
    const Tensor &divisor = get(op.getRhs());
    if (std::optional<Shape> index = zeroDivisor(divisor, shape))
      return failAt(op, "integer division by zero at " + indexText(*index));
    return executeElementwise(op, shape);
  }

  Result execute(ConcatOp op, const Shape &shape) {
    std::vector<const Tensor *> parts;
    for (Value operand : op.getOperands())
      parts.push_back(&get(operand));
    return concat(parts, op.getAxis(), shape);
  }

  GraphOp graph;
  Bindings bindings;
  llvm::DenseMap<Value, Slot> slots;
};

} // namespace

llvm::Expected<std::vector<Tensor>> interpret(GraphOp core, ArrayRef<Tensor> arguments, const Bindings &known) {
  std::vector<const Tensor *> pointers;
  for (const Tensor &argument : arguments)
    pointers.push_back(&argument);
  llvm::Expected<Bindings> bindings = bindArguments(core, pointers, known);
  if (!bindings)
    return bindings.takeError();
  try {
    return Run(core, std::move(*bindings))(arguments);
  } catch (const std::bad_alloc &) {
    return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory),
                                   "the interpreter keeps whole values and found not enough memory for them");
  } catch (const std::length_error &error) {
    return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), error.what());
  }
}

} // namespace nova
