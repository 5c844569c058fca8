//===- Interpreter.cpp - What a graph means, executed ------------------------===//
#include "compiler/reference/Interpreter.h"

#include "compiler/reference/Kernels.h"
#include "compiler/reference/Memory.h"
#include "dialects/graph/Places.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/TypeSwitch.h"

#include <new>

using namespace mlir;
using namespace nova::reference;

namespace nova {
namespace {

using Result = llvm::Expected<Tensor>;

/// "%S: message", or the operation's name where the value has none.
llvm::Error failAt(Operation *op, const llvm::Twine &message, std::errc code = std::errc::invalid_argument) {
  std::string name = op->getNumResults() == 1 ? valueName(op->getResult(0)) : "";
  if (name.empty())
    name = op->getName().stripDialect().str();
  return llvm::createStringError(std::make_error_code(code), name + ": " + message);
}

llvm::Error memoryError(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), message);
}

/// What a caller's numbers have brought about, with the place of the operation.
llvm::Error failAtEntry(Operation *op, const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), placeText(op) + ": " + message);
}

/// Says after an error of a run of a scan which one it was.
llvm::Error inRun(llvm::Error error, ScanOp scan, int64_t run) {
  return llvm::handleErrors(std::move(error), [&](const llvm::StringError &inner) {
    return llvm::createStringError(inner.convertToErrorCode(),
                                   inner.getMessage() + ", in run " + llvm::Twine(run) + " of " + scanText(scan));
  });
}

class Run {
public:
  Run(GraphOp graph, Bindings bindings, const NewRows &newRows)
      : graph(graph), bindings(std::move(bindings)), newRows(newRows) {}

  llvm::Expected<std::vector<Tensor>> operator()(ArrayRef<Tensor> arguments) {
    for (auto [value, tensor] : llvm::zip_equal(graph.getBlock().getArguments(), arguments))
      if (!value.use_empty())
        if (llvm::Error error = defineArgument(value, tensor))
          return std::move(error);
    for (Operation &op : graph.getBlock().without_terminator()) {
      if (op.use_empty())
        continue;
      auto scan = dyn_cast<ScanOp>(op);
      if (llvm::Error error = scan ? execute(scan) : execute(&op))
        return std::move(error);
      for (Value operand : op.getOperands())
        release(operand);
    }
    std::vector<Tensor> results;
    for (Value value : graph.getReturn().getValues())
      results.push_back(takeOrCopy(value));
    return results;
  }

private:
  struct Slot {
    Tensor tensor;
    int64_t uses; ///< that are still to come
  };

  void define(Value value, Tensor tensor) {
    if (value.use_empty())
      return;
    slots.try_emplace(value, Slot{std::move(tensor), std::distance(value.use_begin(), value.use_end())});
  }
  void release(Value value) {
    auto slot = slots.find(value);
    if (--slot->second.uses == 0)
      slots.erase(slot);
  }
  Tensor takeOrCopy(Value value) {
    auto slot = slots.find(value);
    if (--slot->second.uses > 0)
      return slot->second.tensor;
    Tensor tensor = std::move(slot->second.tensor);
    slots.erase(slot);
    return tensor;
  }

  llvm::Error defineArgument(BlockArgument value, const Tensor &tensor) {
    std::string place = ("argument " + graph.getArgName(value.getArgNumber()) + ": ").str();
    if (std::string problem = memoryProblem(tensor.element, tensor.shape); !problem.empty())
      return memoryError(place + problem);
    try {
      Tensor copy = tensor;
      canonicalize(copy);
      define(value, std::move(copy));
    } catch (const std::bad_alloc &) {
      return memoryError(place + allocationProblem(tensor.element, tensor.shape));
    }
    return llvm::Error::success();
  }
  /// The rows of a state before those that come along an axis of this size.
  int64_t rowsBefore(DimAttr size) const {
    return newRows.rows && asSymbol(size) == newRows.rows ? bindings.lookup(newRows.past.getValue()) : 0;
  }
  /// ` at [3, 1]`, or nothing for a scalar: an entry of `value`.
  std::string entryText(Value value, const Shape &index) const {
    std::string text;
    for (auto [axis, at] : llvm::enumerate(index))
      text +=
          (axis ? ", " : " at [") + std::to_string(at + rowsBefore(cast<TensorType>(value.getType()).getDims()[axis]));
    return text.empty() ? text : text + "]";
  }

  const Tensor &get(Value value) const { return slots.find(value)->second.tensor; }
  const Tensor *getIfPresent(Value value) const { return value ? &get(value) : nullptr; }

  llvm::Expected<Shape> shapeOf(Operation *op, ArrayRef<DimAttr> dims) const {
    Shape shape;
    for (DimAttr dim : dims) {
      std::optional<int64_t> size = evaluateDim(dim, bindings);
      if (!size)
        return failAt(op, "size " + toString(dim) + " is more than 63 bits hold", std::errc::not_enough_memory);
      if (*size < 0)
        return failAt(op, "size " + toString(dim) + " is " + llvm::Twine(*size));
      shape.push_back(*size);
    }
    return shape;
  }

  struct Extent {
    Element element;
    Shape shape;
  };

  /// What a result of `op` takes, which must fit into memory.
  llvm::Expected<Extent> extentOf(Operation *op, Value result) const {
    auto type = cast<TensorType>(result.getType());
    llvm::Expected<Shape> shape = shapeOf(op, type.getDims());
    if (!shape)
      return shape.takeError();
    std::optional<Element> element = elementOf(type.getElementType());
    if (!element)
      llvm::report_fatal_error("core form has no element type " + llvm::Twine(elementText(type.getElementType())));
    if (std::string problem = memoryProblem(*element, *shape); !problem.empty())
      return failAt(op, problem, std::errc::not_enough_memory);
    return Extent{*element, std::move(*shape)};
  }

  llvm::Error execute(Operation *op) {
    llvm::Expected<Extent> extent = extentOf(op, op->getResult(0));
    if (!extent)
      return extent.takeError();
    try {
      Result result = compute(op, extent->shape);
      if (!result)
        return result.takeError();
      define(op->getResult(0), std::move(*result));
    } catch (const std::bad_alloc &) {
      return failAt(op, allocationProblem(extent->element, extent->shape), std::errc::not_enough_memory);
    }
    return llvm::Error::success();
  }

  /// The runs of a graph one after the other: each gets its entries, and the carries of the run before it.
  llvm::Error execute(ScanOp scan) {
    GraphOp body = scan.getBody();
    std::optional<int64_t> count = evaluateDim(scan.getCount(), bindings);
    if (!count || *count < 0)
      return failAt(scan, "cannot run " + toString(scan.getCount()) + " times");
    unsigned entered = scan.getOver().size(), carried = scan.getCarry().size(), stacked = scan.getStacked().size();
    unsigned firstCarry = entered + scan.getWhole().size(), firstState = firstCarry + carried;
    try {
      std::vector<Tensor> arguments, results;
      for (auto [i, operand] : llvm::enumerate(scan.getOperands())) {
        bool entry = i < entered || i >= firstState;
        arguments.push_back(entry ? Tensor() : get(operand));
      }
      for (auto [i, result] : llvm::enumerate(scan.getResults())) {
        results.emplace_back();
        if (i >= stacked && i < stacked + carried)
          continue; // a carry is moved there
        llvm::Expected<Extent> extent = extentOf(scan, result);
        if (!extent)
          return extent.takeError();
        results.back() = Tensor(extent->element, std::move(extent->shape));
      }
      for (int64_t k = 0; k < *count; ++k) {
        for (auto [i, operand] : llvm::enumerate(scan.getOperands()))
          if (i < entered || i >= firstState)
            arguments[i] = entryOf(get(operand), k);
        llvm::Expected<std::vector<Tensor>> outputs = Run(body, bindings, newRows)(arguments);
        if (!outputs)
          return inRun(outputs.takeError(), scan, k + rowsBefore(scan.getCount()));
        for (auto [i, output] : llvm::enumerate(*outputs))
          if (i >= stacked && i < stacked + carried)
            arguments[firstCarry + i - stacked] = std::move(output);
          else
            setEntry(results[i], k, output);
      }
      for (unsigned i = 0; i < carried; ++i)
        results[stacked + i] = std::move(arguments[firstCarry + i]);
      for (auto [value, tensor] : llvm::zip_equal(scan.getResults(), results))
        define(value, std::move(tensor));
    } catch (const std::bad_alloc &) {
      return failAt(scan, "not enough memory", std::errc::not_enough_memory);
    }
    return llvm::Error::success();
  }

  Result compute(Operation *op, const Shape &shape) {
    auto reduceOp = [&](Reduction kind, auto reduction) {
      return Result(
          reduce(kind, get(reduction.getOperand()), getIfPresent(reduction.getHidden()), reduction.getAxis(), shape));
    };
    return llvm::TypeSwitch<Operation *, Result>(op)
        .Case([&](ConstantOp constant) { return compute(constant); })
        .Case([&](DimValueOp value) { return compute(value); })
        .Case([&](IotaOp iota) { return compute(iota, shape); })
        .Case([&](CastOp cast) { return compute(cast); })
        .Case([&](DivideOp divide) { return compute(divide, shape); })
        .Case([&](TransposeOp op) { return Result(transpose(get(op.getOperand()), op.getPermutation().vec())); })
        .Case([&](ReshapeOp op) { return Result(reshape(get(op.getOperand()), shape)); })
        .Case([&](BroadcastOp op) { return Result(broadcast(get(op.getOperand()), shape)); })
        .Case([&](SliceOp slice) { return compute(slice, shape); })
        .Case([&](GatherOp gather) { return compute(gather, shape); })
        .Case([&](ConcatOp concat) { return compute(concat, shape); })
        .Case([&](WhereOp op) {
          return Result(select(get(op.getCondition()), get(op.getOnTrue()), get(op.getOnFalse()), shape));
        })
        .Case([&](MatmulOp op) {
          return Result(matmul(get(op.getLhs()), get(op.getRhs()), getIfPresent(op.getLhsHidden()),
                               getIfPresent(op.getRhsHidden()), shape));
        })
        .Case([&](ReduceSumOp op) { return reduceOp(Reduction::Sum, op); })
        .Case([&](ReduceMaxOp op) { return reduceOp(Reduction::Max, op); })
        .Case([&](ReduceMinOp op) { return reduceOp(Reduction::Min, op); })
        .Case([&](ArgmaxOp op) {
          return Result(argmax(get(op.getOperand()), getIfPresent(op.getHidden()), op.getAxis(), shape));
        })
        .Case([&](CumulativeSumOp op) {
          return Result(cumulativeSum(get(op.getOperand()), getIfPresent(op.getHidden()), op.getAxis()));
        })
        .Default([&](Operation *op) { return computeElementwise(op, shape); });
  }

  Result computeElementwise(Operation *op, const Shape &shape) {
    std::vector<const Tensor *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(&get(operand));
    llvm::StringRef name = op->getName().stripDialect();
    if (isElementwise(op))
      if (std::optional<Tensor> result = elementwise(name, operands, shape))
        return std::move(*result);
    return failAt(op, "core form has no operation " + name);
  }

  Result compute(ConstantOp constant) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    Shape shape(value.getType().getShape().begin(), value.getType().getShape().end());
    std::optional<Element> element = elementOf(constant.getType().getElementType());
    if (!element)
      llvm::report_fatal_error("core form has no constant of type " + llvm::Twine(toString(Type(constant.getType()))));
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

  Result compute(DimValueOp op) {
    std::optional<int64_t> value = evaluateDim(op.getDim(), bindings);
    if (!value)
      return failAt(op, toString(op.getDim()) + " is more than 63 bits hold");
    Tensor result(Element::I64, {});
    *result.data<int64_t>() = *value;
    return result;
  }

  Result compute(IotaOp op, const Shape &shape) {
    int64_t from = 0;
    if (DimAttr dim = op.getFromAttr()) {
      std::optional<int64_t> value = evaluateDim(dim, bindings);
      if (!value)
        return failAt(op, toString(dim) + " is more than 63 bits hold");
      from = *value;
    }
    return reference::iota(shape, op.getAxis(), from);
  }

  Result compute(SliceOp op, const Shape &shape) {
    const Tensor &x = get(op.getOperand());
    std::optional<int64_t> from = evaluateDim(op.getFrom(), bindings);
    if (!from)
      return failAt(op, toString(op.getFrom()) + " is more than 63 bits hold");
    int64_t size = shape[op.getAxis()], step = op.stepOrOne();
    // Proved when the graph was read.
    assert(*from >= 0 && (size == 0 || *from + (size - 1) * step < x.shape[op.getAxis()]));
    return reference::slice(x, op.getAxis(), *from, size > 1 ? step : 1, shape);
  }

  Result compute(GatherOp op, const Shape &shape) {
    const Tensor &x = get(op.getOperand()), &indices = get(op.getIndices());
    int64_t size = x.shape[op.getAxis()];
    // Where the result has no entry no index is looked at.
    bool empty = llvm::is_contained(shape, 0);
    if (auto outside = empty ? std::nullopt : indexOutside(indices, size))
      return failAtEntry(op, "index " + llvm::Twine(outside->first) + entryText(op.getIndices(), outside->second) +
                                 " is outside an axis of size " + llvm::Twine(size));
    return gatherBatch(x, indices, op.getAxis(), shape, op.batchOrZero());
  }

  /// Each entry of the first axes has a table and indices of its own; one of size 1 is that of all.
  static Tensor gatherBatch(const Tensor &x, const Tensor &indices, size_t axis, const Shape &shape, int64_t batch) {
    if (batch == 0)
      return reference::gather(x, indices, axis, shape);
    Tensor result(x.element, shape);
    Shape inner(shape.begin() + 1, shape.end());
    for (int64_t k = 0; k < shape[0] && !result.bytes.empty(); ++k) {
      Tensor table = entryOf(x, x.shape[0] == 1 ? 0 : k), own = entryOf(indices, indices.shape[0] == 1 ? 0 : k);
      setEntry(result, k, gatherBatch(table, own, axis - 1, inner, batch - 1));
    }
    return result;
  }

  Result compute(CastOp op) {
    std::optional<Element> to = elementOf(op.getTo());
    if (!to || *to == Element::I1)
      llvm::report_fatal_error("core form has no cast to " + llvm::Twine(elementText(op.getTo())));
    return reference::cast(get(op.getOperand()), *to);
  }

  Result compute(DivideOp op, const Shape &shape) {
    const Tensor &divisor = get(op.getRhs());
    if (std::optional<Shape> index = zeroDivisor(divisor, shape))
      return failAtEntry(op, "integer division by zero" + entryText(op.getResult(), *index));
    return computeElementwise(op, shape);
  }

  Result compute(ConcatOp op, const Shape &shape) {
    std::vector<const Tensor *> parts;
    for (Value operand : op.getOperands())
      parts.push_back(&get(operand));
    return concat(parts, op.getAxis(), shape);
  }

  GraphOp graph;
  Bindings bindings;
  const NewRows &newRows;
  llvm::DenseMap<Value, Slot> slots;
};

} // namespace

llvm::Expected<std::vector<Tensor>> interpret(GraphOp core, ArrayRef<Tensor> arguments, const Bindings &known,
                                              const NewRows &newRows) {
  std::vector<const Tensor *> pointers;
  for (const Tensor &argument : arguments)
    pointers.push_back(&argument);
  llvm::Expected<Bindings> bindings = bindArguments(core, pointers, known);
  if (!bindings)
    return bindings.takeError();
  try {
    return Run(core, std::move(*bindings), newRows)(arguments);
  } catch (const std::bad_alloc &) {
    return memoryError("not enough memory for the results");
  }
}

} // namespace nova
