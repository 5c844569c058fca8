#include "compiler/conversion/GraphToTiles/Windows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nova {
namespace {
/// At least position * `slope` + `rest`, for every position; `rest` null where nothing is known.
struct LowerBound {
  int64_t slope = 0;
  DimAttr rest = {};
};

class WindowAnalysis {
public:
  WindowAnalysis(TileProgram &program, StringAttr whole, StringAttr rows, StringAttr past)
      : program(program), past(past), growing{whole, rows, past} {}

  void run() {
    for (auto [i, buffer] : llvm::enumerate(program.plan.buffers)) {
      found = DimAttr();
      if (buffer.kind == BufferKind::State && readsSome(i, program.plan.steps))
        buffer.window = found;
    }
  }

private:
  /// Whether the state is read, and only within `found` rows before the row that reads it.
  bool readsSome(unsigned state, ArrayRef<PlanStep> steps) { return visit(state, steps) && found; }

  bool visit(unsigned state, ArrayRef<PlanStep> steps) {
    for (const PlanStep &step : steps) {
      if (step.isLoop()) {
        if (!visit(state, step.body))
          return false;
        continue;
      }
      auto kernel = program.module->lookupSymbol<tile::KernelOp>(step.kernel);
      bool countsRows = asSymbol(kernel.getPosition()) == past;
      for (auto [at, buffer] : llvm::enumerate(step.buffers))
        if (buffer.index == state)
          for (OpOperand &use : kernel.getBody().getArgument(at).getUses())
            if (!visitUse(use, countsRows))
              return false;
    }
    return true;
  }

  /// Takes the reader into account; false where it may read any row.
  bool visitUse(OpOperand &use, bool countsRows) {
    if (auto pack = dyn_cast<tile::PackOp>(use.getOwner()))
      return pack.getPacked() == use.get() && pack.getSource() != use.get();
    if (auto copy = dyn_cast<tile::CopyOp>(use.getOwner()))
      return copy.getTarget() == use.get() && copy.getSource() != use.get();
    auto contract = dyn_cast<tile::ContractOp>(use.getOwner());
    if (!contract || !countsRows || contract.getA() == use.get() || contract.getC() == use.get() ||
        contract.getMask() == use.get() || contract.getPlain() == use.get())
      return false;
    // The rows of a state are the columns of panels and the terms of pages.
    bool isTurned = cast<tile::BufferType>(use.get().getType()).getLayout() == tile::Layout::panels;
    tile::RangeAttr range = isTurned ? contract.getColumnsAttr() : contract.getTermsAttr();
    return range && llvm::all_of(range.getLows(), [&](AffineMap low) { return visitPiece(low, range.getSizes()); });
  }

  /// A piece begins at the greatest of its bounds, so any one of them will do.
  bool visitPiece(AffineMap low, ArrayRef<DimAttr> sizes) {
    for (AffineExpr expression : low.getResults()) {
      LowerBound bound = boundOf(expression, sizes);
      if (!bound.rest || bound.slope != 1)
        continue;
      DimAttr back = multiplyDims(bound.rest, constantDim(past.getContext(), -1));
      if (!back)
        continue;
      if (!found)
        found = back;
      if (back == found)
        return true;
      std::optional<int64_t> a = constantValue(back), b = constantValue(found);
      if (!a || !b)
        continue; // which one is farther is not known here
      found = *a > *b ? back : found;
      return true;
    }
    return false;
  }

  LowerBound boundOf(AffineExpr expression, ArrayRef<DimAttr> sizes) const {
    MLIRContext *context = past.getContext();
    if (isa<AffineDimExpr>(expression))
      return {1, constantDim(context, 0)};
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return {0, constantDim(context, constant.getValue())};
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
      DimAttr size = sizes[symbol.getPosition()];
      return {0, grows(size) ? DimAttr() : size};
    }
    auto binary = cast<AffineBinaryOpExpr>(expression);
    LowerBound a = boundOf(binary.getLHS(), sizes);
    if (binary.getKind() == AffineExprKind::Add) {
      LowerBound b = boundOf(binary.getRHS(), sizes);
      return {a.slope + b.slope, a.rest && b.rest ? addDims(a.rest, b.rest) : DimAttr()};
    }
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && factor ? times(binary.getLHS(), factor.getValue(), sizes)
                                                             : LowerBound();
  }

  LowerBound times(AffineExpr expression, int64_t factor, ArrayRef<DimAttr> sizes) const {
    MLIRContext *context = past.getContext();
    auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
    if (binary && binary.getKind() == AffineExprKind::Add) {
      LowerBound a = times(binary.getLHS(), factor, sizes), b = times(binary.getRHS(), factor, sizes);
      return {a.slope + b.slope, a.rest && b.rest ? addDims(a.rest, b.rest) : DimAttr()};
    }
    bool isExact = isa<AffineSymbolExpr, AffineConstantExpr>(expression);
    if (factor < 0 && !isExact)
      return {};
    // x floordiv k * k is at least x - (k - 1).
    if (binary && binary.getKind() == AffineExprKind::FloorDiv &&
        binary.getRHS() == getAffineConstantExpr(factor, context)) {
      LowerBound x = boundOf(binary.getLHS(), sizes);
      return {x.slope, x.rest ? addDims(x.rest, constantDim(context, 1 - factor)) : DimAttr()};
    }
    LowerBound a = boundOf(expression, sizes);
    return {a.slope * factor, a.rest ? multiplyDims(a.rest, constantDim(context, factor)) : DimAttr()};
  }

  /// Whether a size depends on how many rows there are.
  bool grows(DimAttr size) const {
    return llvm::any_of(growing, [&](StringAttr symbol) { return mentions(size, symbol); });
  }

  TileProgram &program;
  StringAttr past;
  std::array<StringAttr, 3> growing;
  DimAttr found;
};
} // namespace

void findWindows(TileProgram &program, StringAttr whole, StringAttr rows, StringAttr past) {
  WindowAnalysis(program, whole, rows, past).run();
}
} // namespace nova
