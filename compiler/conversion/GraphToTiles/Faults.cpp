#include "compiler/conversion/GraphToTiles/Faults.h"
#include "compiler/analysis/FallibleOps.h"
#include "dialects/graph/Places.h"

using namespace mlir;

namespace nova {
Faults::Faults(const TileInput &input) : rows(input.rows), past(input.past) { collect(input.graph, {}); }

void Faults::collect(GraphOp graph, ArrayRef<unsigned> around) {
  Facts facts = factsOf(graph);
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (auto scan = dyn_cast<ScanOp>(op)) {
      SmallVector<unsigned> inside(around);
      inside.push_back(scans.size());
      DimAttr before = rowsBefore(facts.normalize(scan.getCount()));
      scans.push_back({scanText(scan), before ? before : constantDim(graph.getContext(), 0)});
      collect(scan.getBody(), inside);
    } else if (mayFail(&op, facts)) {
      numbers.try_emplace(&op, operations.size());
      operations.push_back({placeText(&op), std::vector<unsigned>(around.begin(), around.end())});
    }
  }
}

DimAttr Faults::rowsBefore(DimAttr size) const {
  return rows && asSymbol(size) == rows ? symbolDim(size.getContext(), past.getValue()) : DimAttr();
}

// The axes of the entry that is looked at: of a quotient, of an index.
static ArrayRef<DimAttr> dimsOfEntry(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  Value entries = gather ? Value(gather.getIndices()) : op->getResult(0);
  return cast<TensorType>(entries.getType()).getDims();
}

void KernelFaults::note(Operation *op, Operation *target, ArrayRef<AxisPlace> places, int64_t batch, int64_t own,
                        std::optional<unsigned> absolute) {
  std::optional<unsigned> number = all.find(op);
  if (!number)
    return;
  MLIRContext *context = op->getContext();
  StepFault fault{*number, unsigned(places.size()), std::vector<StepFault::Along>(batch)};
  SmallVector<AffineExpr> at;
  SmallVector<Attribute> starts;
  for (auto [k, place, dim] : llvm::enumerate(places, dimsOfEntry(op))) {
    AffineExpr each = getAffineConstantExpr(0, context);
    if (place.axis >= batch)
      each = getAffineDimExpr(place.axis - batch, context) * place.step;
    else if (place.axis >= 0)
      fault.batch[place.axis] = {int64_t(k), place.step};
    DimAttr start = place.start ? place.start : constantDim(context, 0);
    if (DimAttr before = all.rowsBefore(dim); before && absolute != k)
      start = addDims(start, before); // both are at most the size of the axis
    if (constantValue(start) != 0) {
      each = each + getAffineSymbolExpr(starts.size(), context);
      starts.push_back(start);
    }
    at.push_back(each);
  }
  auto map = AffineMapAttr::get(AffineMap::get(own, starts.size(), at, context));
  target->setAttr(tile::faultName, tile::FaultAttr::get(context, faults.size(), map, ArrayAttr::get(context, starts)));
  faults.push_back(std::move(fault));
}

std::vector<StepFault> KernelFaults::finish(tile::KernelOp kernel) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, faults.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(faults[a].operation, a) < std::pair(faults[b].operation, b);
  });
  std::vector<StepFault> sorted;
  std::vector<int64_t> numbers(order.size());
  for (unsigned i : order) {
    numbers[i] = sorted.size();
    sorted.push_back(std::move(faults[i]));
  }
  kernel.walk([&](Operation *op) {
    if (tile::FaultAttr fault = tile::faultOf(op))
      op->setAttr(tile::faultName,
                  tile::FaultAttr::get(op->getContext(), numbers[fault.getNumber()], fault.getAt(), fault.getStarts()));
  });
  return sorted;
}
} // namespace nova
