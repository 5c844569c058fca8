#include "compiler/conversion/TilesToVector/Check.h"
#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "compiler/conversion/TilesToVector/Frame.h"
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova::codegen {

static TensorType tensorOf(Value buffer) { return cast<tile::BufferType>(buffer.getType()).getTensor(); }

static LogicalResult checkElement(Operation *op, Type element) {
  if (element.isF32() || element.isF64() || element.isInteger(64) || element.isInteger(32) || element.isInteger(1) ||
      isStorage(element))
    return success();
  return op->emitOpError("has element type ") << element << "; expected " << elementTypeList();
}

static LogicalResult checkBuffer(Operation *op, Value buffer, ArrayAttr symbols) {
  TensorType tensor = tensorOf(buffer);
  for (DimAttr dim : tensor.getDims())
    if (failed(checkSymbols(op, dim, symbols)))
      return failure();
  if (layoutOf(buffer) != tile::Layout::rows && (tensor.getRank() != 2 || tensor.getElementType().isInteger(1)))
    return op->emitOpError("has a packed buffer of rank ") << tensor.getRank() << "; expected a matrix of numbers";
  return checkElement(op, tensor.getElementType());
}

std::optional<MapPlace> placeOf(AffineExpr result) {
  MapPlace place;
  auto sum = dyn_cast<AffineBinaryOpExpr>(result);
  AffineExpr axis = sum && sum.getKind() == AffineExprKind::Add ? sum.getLHS() : result;
  if (axis != result) {
    auto symbol = dyn_cast<AffineSymbolExpr>(sum.getRHS());
    if (!symbol)
      return std::nullopt;
    place.symbol = symbol.getPosition();
  }
  if (auto product = dyn_cast<AffineBinaryOpExpr>(axis)) {
    auto step = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (product.getKind() != AffineExprKind::Mul || !step || step.getValue() < 1)
      return std::nullopt;
    place.step = step.getValue();
    axis = product.getLHS();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(axis))
    place.axis = dim.getPosition();
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(axis); symbol && axis == result)
    place.symbol = symbol.getPosition();
  else if (axis != getAffineConstantExpr(0, result.getContext()) || axis != result)
    return std::nullopt;
  return place;
}

// What is told of an entry that fails, from `indices` of the kernel.
static LogicalResult checkFault(Operation *op, int64_t indices, ArrayAttr symbols) {
  tile::FaultAttr fault = tile::faultOf(op);
  if (!fault)
    return success();
  AffineMap at = fault.getAt().getValue();
  if (at.getNumDims() != indices || at.getNumSymbols() > fault.getStarts().size())
    return op->emitOpError("has a fault of ")
           << at.getNumDims() << " indices and " << at.getNumSymbols() << " symbols; expected " << indices
           << " indices and at most as many symbols as starts, " << fault.getStarts().size();
  if (at.getNumResults() > ScratchHeader::mostAxes ||
      !llvm::all_of(at.getResults(), [](AffineExpr each) { return placeOf(each); }))
    return op->emitOpError("has a fault whose position is not made of at most ")
           << ScratchHeader::mostAxes << " axes, each an index, a step and a start";
  for (Attribute start : fault.getStarts())
    if (!isa<DimAttr>(start) || failed(checkSymbols(op, cast<DimAttr>(start), symbols)))
      return isa<DimAttr>(start) ? failure() : LogicalResult(op->emitOpError("has a fault whose starts are no sizes"));
  return success();
}

// Element arithmetic: known ops on scalars.
static LogicalResult checkRegion(Block &block, size_t yields, int64_t indices, ArrayAttr symbols) {
  for (Operation &op : block.without_terminator()) {
    if (failed(checkFault(&op, indices, symbols)))
      return failure();
    if (!isElementwise(&op) && !isa<ConstantOp, tile::DimOp>(op))
      return op.emitOpError("is no elementwise operation that tile code knows");
    auto type = dyn_cast<TensorType>(op.getResult(0).getType());
    if (!type || type.getRank() != 0)
      return op.emitOpError("computes a ") << op.getResult(0).getType() << "; expected a scalar";
    if (failed(checkElement(&op, type.getElementType())))
      return failure();
  }
  if (block.empty() || !isa<tile::YieldOp>(block.back()) || block.back().getNumOperands() != yields)
    return block.getParentOp()->emitOpError("must end in a yield of ") << yields << " values";
  return success();
}

static LogicalResult checkArguments(Operation *op, Block &block, ValueRange inputs, size_t indices) {
  if (block.getNumArguments() != inputs.size() + indices)
    return op->emitOpError("has ") << block.getNumArguments() << " block arguments; expected "
                                   << inputs.size() + indices << ": one per input, then " << indices << " indices";
  for (auto [input, argument] : llvm::zip(inputs, block.getArguments()))
    if (tensorOf(input).withDims({}) != argument.getType())
      return op->emitOpError("has an input of ")
             << tensorOf(input).getElementType() << " for a block argument of type " << argument.getType();
  return success();
}

// What a library tile gets to see.
static LogicalResult checkPlain(tile::ContractOp op) {
  TensorType plain = tensorOf(op.getPlain());
  if (!isGlobal(op.getPlain()) || layoutOf(op.getPlain()) != tile::Layout::rows || plain != tensorOf(op.getB()) ||
      !plain.getElementType().isF32())
    return op.emitOpError(
        "needs the plain factor to be a global f32 buffer of layout 'rows' with the dims of the packed one");
  if (op.getMask() || op.getBMask() || op.getTerms() || op.getColumns())
    return op.emitOpError("has a plain factor and hidden terms");
  if (tensorOf(op.getA()).getDims()[0] != op->getParentOfType<tile::KernelOp>().getRows())
    return op.emitOpError("has a plain factor and a first factor without a row for every row of the kernel");
  return success();
}

static bool isBound(AffineExpr expression) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return true;
  if (binary.getKind() == AffineExprKind::Add)
    return isBound(binary.getLHS()) && isBound(binary.getRHS());
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return constant && isBound(binary.getLHS()) &&
         (binary.getKind() == AffineExprKind::Mul ||
          (binary.getKind() == AffineExprKind::FloorDiv && constant.getValue() > 0));
}

static LogicalResult checkRange(Operation *op, tile::RangeAttr range) {
  if (!range)
    return success();
  for (DimAttr size : range.getSizes())
    if (failed(checkSymbols(op, size, op->getParentOfType<tile::KernelOp>().getSymbols())))
      return failure();
  for (ArrayRef<AffineMap> maps : {range.getLows(), range.getHighs(), range.getGuards()})
    for (AffineMap map : maps)
      if (!llvm::all_of(map.getResults(), isBound))
        return op->emitOpError("has a range with a bound that is no sum of products by, and quotients by, constants");
  return success();
}

static LogicalResult checkContract(tile::ContractOp op) {
  if (failed(checkRange(op, op.getTermsAttr())) || failed(checkRange(op, op.getColumnsAttr())))
    return failure();

  TensorType a = tensorOf(op.getA()), b = tensorOf(op.getB()), c = tensorOf(op.getC());
  if (layoutOf(op.getA()) != tile::Layout::rows || layoutOf(op.getC()) != tile::Layout::rows || a.getRank() != 2 ||
      c.getRank() != 2)
    return op.emitOpError("needs matrices of layout 'rows' on the left and as the result");
  if (layoutOf(op.getB()) == tile::Layout::rows || !isGlobal(op.getB()))
    return op.emitOpError("needs a packed global buffer on the right");
  if (a.getElementType() != registerType(b.getElementType()) || a.getElementType() != c.getElementType() ||
      a.getElementType().isInteger(1))
    return op.emitOpError("multiplies ") << a.getElementType() << " by " << b.getElementType() << " into "
                                         << c.getElementType() << "; expected one type of numbers";
  if (op.getMask() && (tensorOf(op.getMask()).getRank() != 2 || !tensorOf(op.getMask()).getElementType().isInteger(1) ||
                       layoutOf(op.getMask()) != tile::Layout::rows))
    return op.emitOpError("needs a mask [rows or 1, k] of i1");
  return op.getPlain() ? checkPlain(op) : success();
}

static LogicalResult checkPass(tile::PassOp op, ArrayAttr symbols) {
  if (failed(checkRange(op, op.getColumnsAttr())))
    return failure();
  size_t reductions = op.getReductions().size();
  if (op.getKinds().size() != reductions || op.getHide().size() != reductions)
    return op.emitOpError("has ") << reductions << " reductions, " << op.getKinds().size() << " kinds and "
                                  << op.getHide().size() << " hide flags; expected as many of each";
  for (auto kind : op.getKinds().getAsRange<tile::ReduceKindAttr>())
    if (kind.getValue() == tile::ReduceKind::argmax)
      return op.emitOpError("cannot find the position of the greatest column");
  size_t yields = op.getStores().size() + reductions + llvm::count(op.getHide(), 1);
  for (Value buffer : op.getOperands())
    if (tensorOf(buffer).getRank() > 2 || layoutOf(buffer) != tile::Layout::rows)
      return op.emitOpError("works on matrices of layout 'rows'");
  for (ValueRange written : {ValueRange(op.getStores()), ValueRange(op.getReductions())})
    for (Value buffer : written)
      if (tensorOf(buffer).getRank() != 2)
        return op.emitOpError("writes a buffer of rank ") << tensorOf(buffer).getRank() << "; expected a matrix";
  if (failed(checkArguments(op, op.getBody().front(), op.getInputs(), 2)))
    return failure();
  return checkRegion(op.getBody().front(), yields, 2, symbols);
}

static LogicalResult checkDims(tile::MapOp op, std::optional<ArrayAttr> dims, StringRef what, ArrayAttr symbols,
                               std::optional<int64_t> count) {
  if (!dims)
    return success();
  if (count && int64_t(dims->size()) != *count)
    return op.emitOpError("has ") << dims->size() << " sizes in '" << what << "'; expected " << *count;
  for (Attribute dim : *dims)
    if (failed(checkSymbols(op, cast<DimAttr>(dim), symbols)))
      return failure();
  return success();
}

static LogicalResult checkMap(tile::MapOp op, ArrayAttr symbols) {
  int64_t rank = tensorOf(op.getOutput()).getRank();
  if (op.getMaps().size() != op.getInputs().size())
    return op.emitOpError("has ") << op.getInputs().size() << " inputs and " << op.getMaps().size() << " maps";
  for (auto [input, map] : llvm::zip(op.getInputs(), op.getMaps().getAsValueRange<AffineMapAttr>())) {
    if (map.getNumSymbols() > (op.getStarts() ? op.getStarts()->size() : 0))
      return op.emitOpError("has a map with ") << map.getNumSymbols() << " symbols, more than 'starts'";
    if (map.getNumDims() != rank || map.getNumResults() != tensorOf(input).getRank())
      return op.emitOpError("has a map from ")
             << map.getNumDims() << " to " << map.getNumResults() << " axes; expected from " << rank << " to "
             << tensorOf(input).getRank();
    for (AffineExpr result : map.getResults())
      if (!placeOf(result))
        return op.emitOpError("has a map with a result that is neither 0 nor made of an axis, a step and a start");
  }
  if (failed(checkDims(op, op.getStarts(), "starts", symbols, {})) ||
      failed(checkDims(op, op.getPart(), "part", symbols, rank)) ||
      failed(checkDims(op, op.getAt(), "at", symbols, rank)) ||
      failed(checkArguments(op, op.getBody().front(), op.getInputs(), rank)))
    return failure();
  return checkRegion(op.getBody().front(), 1, rank, symbols);
}

// tile.reduce or tile.accumulate
template <typename Op> static LogicalResult checkAlongAxis(Op op) {
  TensorType input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  int64_t axis = op.getAxis();
  if (axis < 0 || axis >= input.getRank() || output.getRank() != input.getRank())
    return op.emitOpError("reduces axis ") << axis << " of rank " << input.getRank() << " to rank " << output.getRank()
                                           << "; expected an axis, kept with size 1";
  if (op.getHidden() && tensorOf(op.getHidden()).getRank() > input.getRank())
    return op.emitOpError("has a mask of more axes than the operand");
  return success();
}

static LogicalResult checkGather(tile::GatherOp op, ArrayAttr symbols) {
  TensorType input = tensorOf(op.getInput()), indices = tensorOf(op.getIndices()), output = tensorOf(op.getOutput());
  int64_t axis = op.getAxis();
  if (axis < 0 || axis >= input.getRank() || output.getRank() != input.getRank() - 1 + indices.getRank())
    return op.emitOpError("picks along axis ") << axis << " of rank " << input.getRank() << " by indices of rank "
                                               << indices.getRank() << " into rank " << output.getRank();
  if (!indices.getElementType().isInteger(64) && !indices.getElementType().isInteger(32))
    return op.emitOpError("has indices of ") << indices.getElementType() << "; expected i64 or i32";
  return checkFault(op, indices.getRank(), symbols);
}

LogicalResult checkKernel(tile::KernelOp kernel) {
  ArrayAttr symbols = kernel.getSymbols();
  if (failed(checkSymbols(kernel, kernel.getRows(), symbols)) ||
      failed(checkSymbols(kernel, kernel.getPosition(), symbols)))
    return failure();
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    if (!isa<tile::BufferType>(buffer.getType()))
      return kernel.emitOpError("has an argument of type ") << buffer.getType() << "; expected a buffer";
    if (failed(checkBuffer(kernel, buffer, symbols)))
      return failure();
  }
  for (Operation &op : kernel.getBody().front()) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](tile::ScratchOp scratch) -> LogicalResult {
              if (tensorOf(scratch).getRank() != 2 || layoutOf(scratch) != tile::Layout::rows)
                return scratch.emitOpError("must be a matrix of layout 'rows'");
              return checkBuffer(scratch, scratch, symbols);
            })
            .Case([&](tile::DimOp dim) { return checkSymbols(dim, dim.getDim(), symbols); })
            .Case([&](tile::ContractOp contract) { return checkContract(contract); })
            .Case([&](tile::PassOp pass) -> LogicalResult {
              return failed(checkSymbols(pass, pass.getWidth(), symbols)) ? failure() : checkPass(pass, symbols);
            })
            .Case([&](tile::MapOp map) { return checkMap(map, symbols); })
            .Case<tile::ReduceOp, tile::AccumulateOp>([&](auto op) { return checkAlongAxis(op); })
            .Case([&](tile::GatherOp gather) { return checkGather(gather, symbols); })
            .Case([&](tile::PackOp pack) -> LogicalResult {
              if (tensorOf(pack.getSource()).getRank() != 2 || layoutOf(pack.getSource()) != tile::Layout::rows ||
                  layoutOf(pack.getPacked()) == tile::Layout::rows)
                return pack.emitOpError("packs a matrix of layout 'rows' into a packed one");
              if (pack.getTransposed() && layoutOf(pack.getPacked()) != tile::Layout::panels)
                return pack.emitOpError("transposes into panels only");
              return success();
            })
            .Case([&](tile::CopyOp copy) -> LogicalResult {
              if (layoutOf(copy.getSource()) != tile::Layout::rows ||
                  layoutOf(copy.getTarget()) != tile::Layout::rows || tensorOf(copy.getSource()).getRank() == 0)
                return copy.emitOpError("copies rows between buffers of layout 'rows'");
              return success();
            })
            .Default([&](Operation *other) -> LogicalResult {
              if (isElementwise(other) || isa<ConstantOp>(other))
                return success();
              return other->emitOpError("is no step of a kernel");
            });
    if (failed(result))
      return failure();
  }
  return success();
}

} // namespace nova::codegen
