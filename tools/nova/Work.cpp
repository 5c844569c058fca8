#include "tools/nova/Work.h"
#include "tools/nova/Execution.h"

using namespace llvm;

namespace nova::tool {
Expected<std::optional<double>> countOperations(Workspace &workspace, const Bindings &sizes) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = makeCoreForm(workspace);
  if (!module)
    return module.takeError();
  std::optional<double> operations;
  for (mlir::Operation &op : coreGraph(**module).getBlock()) {
    auto reduction = mlir::dyn_cast<ReductionOp>(op);
    auto product = mlir::dyn_cast<MatmulOp>(op);
    if ((reduction && reduction.getHidden()) || (product && op.getNumOperands() > 2))
      return std::nullopt;
    if (!product)
      continue;
    // One multiplication and one addition for every entry of the result and every term.
    auto left = mlir::cast<TensorType>(op.getOperand(0).getType());
    std::optional<int64_t> terms = evaluateDim(left.getDims().back(), sizes);
    double count = 2.0 * double(terms.value_or(0));
    for (DimAttr dim : mlir::cast<TensorType>(op.getResult(0).getType()).getDims())
      count *= double(evaluateDim(dim, sizes).value_or(0));
    operations = operations.value_or(0) + count;
  }
  return operations;
}
} // namespace nova::tool
