// Shape and type rules of the ops that move entries.
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/Shapes.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
using Result = FailureOr<TensorType>;

static LogicalResult outOfRange(const InferContext &c) { return c.error(-1) << "dimension is out of range"; }

Result TransposeOp::infer(const InferContext &c) {
  ArrayRef<int64_t> permutation = c.get<DenseI64ArrayAttr>("permutation").asArrayRef();
  int64_t rank = c.operands[0].getRank();
  SmallVector<bool> seen(rank, false);
  SmallVector<DimAttr> dims;
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= rank || seen[axis])
      break;
    seen[axis] = true;
    dims.push_back(c.operands[0].getDims()[axis]);
  }
  if (int64_t(dims.size()) != rank || int64_t(permutation.size()) != rank)
    return c.error(-1) << "expected a permutation of the " << rank << " axes of " << c.typed(0);
  return c.operands[0].withDims(dims);
}

// The shape that `reshape` and `broadcast` write: for operands that have an element type of their own.
static FailureOr<SmallVector<DimAttr>> writtenDims(const InferContext &c) {
  if (c.operands[0].isWeak())
    return c.error(0) << "expected a value with an element type, found the weak scalar " << c.name(0);
  SmallVector<DimAttr> dims;
  for (Attribute attribute : c.get<ArrayAttr>("dims")) {
    dims.push_back(cast<DimAttr>(attribute));
    auto begin = [&](InFlightDiagnostic &d) { d << "size " << toString(dims.back()) << " must be 0 or more"; };
    if (failed(c.prove(dims.back(), 0, begin)))
      return failure();
  }
  return dims;
}

// The number of entries; null out of range.
static DimAttr countEntries(MLIRContext *context, ArrayRef<DimAttr> dims) {
  DimAttr count = constantDim(context, 1);
  for (DimAttr dim : dims)
    if (count)
      count = multiplyDims(count, dim);
  return count;
}

Result ReshapeOp::infer(const InferContext &c) {
  FailureOr<SmallVector<DimAttr>> dims = writtenDims(c);
  if (failed(dims))
    return failure();
  DimAttr have = countEntries(c.context, c.operands[0].getDims()), want = countEntries(c.context, *dims);
  if (!have || !want)
    return outOfRange(c);
  if (!c.facts.equal(have, want)) {
    auto diagnostic = c.error(-1);
    diagnostic << "cannot reshape " << c.typed(0) << " to " << toString(*dims) << ": they have " << toString(have)
               << " and " << toString(want) << " entries";
    addCounterexample(diagnostic, c.facts, have, want);
    return failure();
  }
  return c.operands[0].withDims(*dims);
}

Result BroadcastOp::infer(const InferContext &c) {
  FailureOr<SmallVector<DimAttr>> dims = writtenDims(c);
  if (failed(dims))
    return failure();
  ArrayRef<DimAttr> own = c.operands[0].getDims();
  if (own.size() > dims->size())
    return c.error(-1) << "cannot broadcast " << c.typed(0) << " to the " << dims->size() << " axes of "
                       << toString(*dims);
  for (auto [k, dim] : llvm::enumerate(own)) {
    size_t axis = dims->size() - own.size() + k;
    if (c.facts.equal(dim, constantDim(c.context, 1)) || c.facts.equal(dim, (*dims)[axis]))
      continue;
    auto diagnostic = c.error(-1);
    diagnostic << "cannot broadcast " << c.typed(0) << " to " << toString(*dims) << ": axis " << axis << " is "
               << toString(dim) << " and " << toString((*dims)[axis]);
    addCounterexample(diagnostic, c.facts, dim, (*dims)[axis]);
    return failure();
  }
  return c.operands[0].withDims(*dims);
}

Result ConcatOp::infer(const InferContext &c) {
  if (c.operands.empty())
    return c.error(-1) << "expected at least one operand";
  FailureOr<unsigned> axis = c.axis();
  if (failed(axis))
    return failure();
  SmallVector<DimAttr> dims(c.operands[0].getDims());
  for (unsigned i = 1; i < c.operands.size(); i++) {
    if (c.operands[i].getElementType() != c.operands[0].getElementType() ||
        c.operands[i].getRank() != int64_t(dims.size()))
      return c.error(i) << "cannot join " << c.typed(0) << " and " << c.typed(i);
    for (auto [k, dim] : llvm::enumerate(c.operands[i].getDims())) {
      if (k == *axis) {
        dims[k] = addDims(dims[k], dim);
        if (!dims[k])
          return c.error(i) << "dimension is out of range";
      } else if (!c.facts.equal(dims[k], dim)) {
        auto diagnostic = c.error(i);
        diagnostic << "cannot join " << c.typed(0) << " and " << c.typed(i) << ": axis " << k << " is "
                   << toString(dims[k]) << " and " << toString(dim);
        addCounterexample(diagnostic, c.facts, dims[k], dim);
        return failure();
      }
    }
  }
  return c.operands[0].withDims(dims);
}

Result SliceOp::infer(const InferContext &c) {
  FailureOr<unsigned> axis = c.axis();
  if (failed(axis))
    return failure();
  auto from = c.get<DimAttr>("from"), size = c.get<DimAttr>("size");
  auto stepAttr = c.get<IntegerAttr>("step");
  int64_t step = stepAttr ? stepAttr.getInt() : 1;
  if (step < 1)
    return c.error(-1) << "expected a step of 1 or more, found " << step;
  DimAttr dim = c.operands[0].getDims()[*axis], one = constantDim(c.context, 1);
  // One beyond the last entry; of no entries not further than that.
  DimAttr end = subtractDims(size, one);
  end = end ? multiplyDims(end, constantDim(c.context, step)) : end;
  end = end ? addDims(end, from) : end;
  end = end ? addDims(end, one) : end;
  DimAttr room = end ? subtractDims(dim, end) : end;
  if (!room)
    return outOfRange(c);
  auto begins = [&](InFlightDiagnostic &d) {
    d << "a slice of " << c.typed(0) << " must begin at 0 or later, here at " << toString(from);
  };
  auto counts = [&](InFlightDiagnostic &d) {
    d << "a slice of " << c.typed(0) << " must have 0 entries or more, here " << toString(size);
  };
  auto ends = [&](InFlightDiagnostic &d) {
    d << "a slice of " << c.typed(0) << " must end within axis " << *axis << ": " << toString(end)
      << " must not be above " << toString(dim);
  };
  if (failed(c.prove(from, 0, begins)) || failed(c.prove(size, 0, counts)) || failed(c.prove(room, 0, ends)))
    return failure();
  SmallVector<DimAttr> dims(c.operands[0].getDims());
  dims[*axis] = size;
  return c.operands[0].withDims(dims);
}

Result GatherOp::infer(const InferContext &c) {
  FailureOr<unsigned> axis = c.axis();
  if (failed(axis))
    return failure();
  Type index = c.operands[1].getElementType();
  if (!index.isInteger(64) && !index.isInteger(32) && !isa<WeakIntType, ParamType>(index))
    return c.error(1) << "expected indices of element type i64 or i32, found " << c.typed(1);
  ArrayRef<DimAttr> own = c.operands[0].getDims(), indices = c.operands[1].getDims();
  if (!c.facts.atLeast(own[*axis], 1))
    return c.error(-1) << "axis " << *axis << " of " << c.typed(0)
                       << " may have no entry that an index could name; a clause can promise one: where "
                       << toString(own[*axis]) << " >= 1";
  int64_t batch = 0;
  if (auto attribute = c.get<IntegerAttr>("batch"))
    batch = attribute.getInt();
  if (batch < 0 || batch > int64_t(*axis) || batch > int64_t(indices.size()))
    return c.error(-1) << "a batch of " << batch << " axes does not stand before axis " << *axis << " of " << c.typed(0)
                       << " and in " << c.typed(1);
  SmallVector<DimAttr> dims;
  for (int64_t k = 0; k < batch; k++) {
    if (!c.facts.equal(own[k], indices[k]) && constantValue(own[k]) != 1 && constantValue(indices[k]) != 1)
      return c.error(1) << "axis " << k << " of the batch is " << toString(own[k]) << " and " << toString(indices[k]);
    dims.push_back(constantValue(own[k]) == 1 ? indices[k] : own[k]);
  }
  llvm::append_range(dims, own.slice(batch, *axis - batch));
  llvm::append_range(dims, indices.drop_front(batch));
  llvm::append_range(dims, own.drop_front(*axis + 1));
  if (dims.size() > maxRank)
    return c.error(-1) << "a tensor has at most " << maxRank << " axes, here " << dims.size();
  return c.operands[0].withDims(dims);
}

Result PadOp::infer(const InferContext &c) {
  FailureOr<unsigned> axis = c.axis();
  if (failed(axis))
    return failure();
  if (c.operands[1].getRank() != 0)
    return c.error(1) << "expected a scalar to pad with, found " << c.typed(1);
  if (failed(commonElement(c, {0, 1})))
    return failure();
  SmallVector<DimAttr> dims(c.operands[0].getDims());
  for (StringRef side : {"low", "high"}) {
    auto count = c.get<DimAttr>(side);
    auto begin = [&](InFlightDiagnostic &d) {
      d << "padding of " << c.typed(0) << " must be 0 entries or more, here " << side << " " << toString(count);
    };
    if (failed(c.prove(count, 0, begin)))
      return failure();
    dims[*axis] = addDims(dims[*axis], count);
    if (!dims[*axis])
      return outOfRange(c);
  }
  return c.operands[0].withDims(dims);
}
} // namespace nova
