#include "tools/nova/Work.h"
#include "tools/nova/Execution.h"

using namespace llvm;

namespace nova::tool {
namespace {
/// Operations of the contractions of a graph and of those that its scans run.
class Count {
public:
  explicit Count(const Bindings &sizes) : sizes(sizes) {}

  void add(GraphOp graph, double runs) {
    for (mlir::Operation &op : graph.getBlock()) {
      auto reduction = mlir::dyn_cast<ReductionOp>(op);
      if (auto scan = mlir::dyn_cast<ScanOp>(op))
        add(scan.getBody(), runs * valueOf(scan.getCount()));
      masked |= reduction && reduction.getHidden();
      if (auto product = mlir::dyn_cast<MatmulOp>(op))
        add(product, runs);
    }
  }
  /// None where masks hide some of it, or where there are no contractions.
  std::optional<double> get() const { return masked ? std::nullopt : operations; }

private:
  double valueOf(DimAttr dim) const { return double(evaluateDim(dim, sizes).value_or(0)); }

  void add(MatmulOp product, double runs) {
    masked |= product->getNumOperands() > 2;
    // One multiplication and one addition for every entry of the result and every term.
    double count = 2 * runs * valueOf(mlir::cast<TensorType>(product.getLhs().getType()).getDims().back());
    for (DimAttr dim : product.getResult().getType().getDims())
      count *= valueOf(dim);
    operations = operations.value_or(0) + count;
  }

  const Bindings &sizes;
  bool masked = false;
  std::optional<double> operations;
};
} // namespace

Expected<std::optional<double>> countOperations(Workspace &workspace, const Bindings &sizes) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = makeCoreForm(workspace);
  if (!module)
    return module.takeError();
  Count count(sizes);
  count.add(coreGraph(**module), 1);
  return count.get();
}
} // namespace nova::tool
