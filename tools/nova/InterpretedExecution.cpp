// Runs a graph on the reference interpreter: the core form whole, or the derived extend piece by piece.
#include "compiler/analysis/Dependence.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/transforms/CoreForm.h"
#include "tools/nova/Execution.h"
#include "tools/nova/Failure.h"
#include "tools/nova/HostTensor.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "tools/nova/Rows.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using nova::reference::Tensor;

namespace nova::tool {
namespace {
class InterpretedExecution : public Execution {
public:
  explicit InterpretedExecution(mlir::OwningOpRef<mlir::ModuleOp> module) : module(std::move(module)) {}

  Expected<Tensors> run(const Tensors &arguments) override { return interpret(coreGraph(*module), arguments); }
  Expected<Tensors> decode(const Tensors &arguments, ArrayRef<int64_t> chunks) override;
  json::Object describe() override { return json::Object{{"backend", "interpreter"}}; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

Expected<mlir::OwningOpRef<mlir::ModuleOp>> makeCoreForm(Workspace &workspace) {
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module =
      compiledCoreForm(workspace.getGraph(), compileOptions(workspace));
  if (failed(module))
    return reported();
  return std::move(*module);
}

Expected<ExtendGraph> makeExtend(GraphOp core) {
  mlir::StringAttr along;
  if (!options::along.empty())
    along = mlir::StringAttr::get(core.getContext(), options::along);
  ExtendGraph extend = deriveExtend(core, analyseDependence(core, along));
  if (!extend.module)
    return reported();
  return extend;
}

Expected<Execution::Tensors> InterpretedExecution::decode(const Tensors &arguments, ArrayRef<int64_t> chunks) {
  GraphOp core = coreGraph(*module);
  Expected<ExtendGraph> derived = makeExtend(core);
  if (!derived)
    return derived.takeError();
  const ExtendGraph &extend = *derived;
  GraphOp step = coreGraph(*derived->module);
  SmallVector<const Tensor *> pointers;
  for (const Tensor &argument : arguments)
    pointers.push_back(&argument);
  Expected<Bindings> sizes = bindArguments(core, pointers);
  if (!sizes)
    return sizes.takeError();

  // An empty state, and room for the results.
  Bindings start = *sizes;
  start[extend.past.getValue()] = 0;
  start[extend.rows.getValue()] = 0;
  auto shapeOf = [](TensorType type, const Bindings &bindings) {
    reference::Shape shape;
    for (DimAttr dim : type.getDims())
      shape.push_back(evaluateDim(dim, bindings).value_or(0));
    return shape;
  };
  Tensors states, results;
  auto addTensor = [&](Tensors &list, const Twine &what, TensorType type, const Bindings &bindings) -> Error {
    Expected<Tensor> tensor = makeTensor(what, *elementOf(type.getElementType()), shapeOf(type, bindings));
    if (!tensor)
      return tensor.takeError();
    list.push_back(std::move(*tensor));
    return Error::success();
  };
  for (unsigned i = arguments.size(); i < arguments.size() + extend.numStates; i++)
    if (Error error = addTensor(states, "state " + step.getArgName(i), step.getArgumentType(i), start))
      return std::move(error);
  for (unsigned i = 0; i < core.getNumGraphResults(); i++)
    if (Error error = addTensor(results, "result " + core.getResultName(i), core.getResultType(i), *sizes))
      return std::move(error);

  int64_t past = 0;
  Pieces pieces(sizes->lookup(extend.sequence.getValue()), chunks);
  while (std::optional<int64_t> piece = pieces.next()) {
    int64_t rows = *piece;
    Tensors inputs;
    for (auto [i, argument] : enumerate(arguments))
      inputs.push_back(extend.argumentAxis[i] ? takeRows(argument, *extend.argumentAxis[i], past, rows) : argument);
    for (Tensor &state : states)
      inputs.push_back(std::move(state));
    // Where no argument tells the rows or the past, the step is told.
    Bindings known;
    known[extend.rows.getValue()] = rows;
    known[extend.past.getValue()] = past;
    Expected<Tensors> outputs = interpret(step, inputs, known, {extend.rows, extend.past});
    if (!outputs)
      return outputs.takeError();
    for (auto [i, result] : enumerate(results)) {
      if (extend.resultAxis[i])
        putRows((*outputs)[i], result, *extend.resultAxis[i], past);
      else
        result = std::move((*outputs)[i]);
    }
    for (unsigned i = 0; i < extend.numStates; i++)
      states[i] = std::move((*outputs)[results.size() + i]);
    past += rows;
  }
  return results;
}

Expected<std::unique_ptr<Execution>> makeInterpretedExecution(Workspace &workspace) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = makeCoreForm(workspace);
  if (!module)
    return module.takeError();
  return std::make_unique<InterpretedExecution>(std::move(*module));
}
} // namespace nova::tool
