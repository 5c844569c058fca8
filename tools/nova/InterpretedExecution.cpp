// Runs a graph on the reference interpreter: the core form whole, or the derived extend piece by piece.
#include "compiler/analysis/Dependence.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/transforms/CoreForm.h"
#include "compiler/transforms/derive/Extend.h"
#include "tools/nova/Execution.h"
#include "tools/nova/Failure.h"
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
  Error derive();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  ExtendGraph extend;
};
} // namespace

Error InterpretedExecution::derive() {
  GraphOp core = coreGraph(*module);
  mlir::StringAttr along;
  if (!options::along.empty())
    along = mlir::StringAttr::get(core.getContext(), options::along);
  Dependence dependence = analyseDependence(core, along);
  if (!dependence.extendable()) {
    emitRefusal(core, dependence);
    return reported();
  }
  extend = deriveExtend(core, dependence);
  return extend.module ? Error::success() : reported();
}

Expected<Execution::Tensors> InterpretedExecution::decode(const Tensors &arguments, ArrayRef<int64_t> chunks) {
  if (Error error = derive())
    return std::move(error);
  GraphOp core = coreGraph(*module), step = coreGraph(*extend.module);
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
  for (unsigned i = 0; i < extend.numStates; i++) {
    TensorType type = step.getArgumentType(arguments.size() + i);
    states.emplace_back(*elementOf(type.getElementType()), shapeOf(type, start));
  }
  for (unsigned i = 0; i < core.getNumGraphResults(); i++)
    results.emplace_back(*elementOf(core.getResultType(i).getElementType()), shapeOf(core.getResultType(i), *sizes));

  SmallVector<int64_t> pieces = splitRows(sizes->lookup(extend.sequence.getValue()), chunks);
  if (pieces.empty())
    pieces.push_back(0); // results without the sequence are made by a step of no rows
  int64_t past = 0;
  for (int64_t rows : pieces) {
    Tensors inputs;
    for (auto [i, argument] : enumerate(arguments))
      inputs.push_back(extend.argumentAxis[i] ? takeRows(argument, *extend.argumentAxis[i], past, rows) : argument);
    for (Tensor &state : states)
      inputs.push_back(std::move(state));
    // Where no argument tells the rows or the past, the step is told.
    Bindings known;
    known[extend.rows.getValue()] = rows;
    known[extend.past.getValue()] = past;
    Expected<Tensors> outputs = interpret(step, inputs, known);
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
  std::vector<std::string> probes(options::probes.begin(), options::probes.end());
  mlir::OwningOpRef<mlir::ModuleOp> module = buildCoreForm(workspace.getGraph(), workspace.getTypeBindings(), probes);
  if (!module)
    return reported();
  return std::make_unique<InterpretedExecution>(std::move(module));
}
} // namespace nova::tool
