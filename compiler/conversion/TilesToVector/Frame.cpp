#include "compiler/conversion/TilesToVector/Frame.h"
#include "compiler/conversion/TilesToVector/Check.h"
#include "compiler/conversion/TilesToVector/Elementwise.h"
#include "dialects/graph/NovaDialect.h"

using namespace mlir;

namespace nova::codegen {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Sizes::Sizes(Emit &e, ArrayAttr symbols, Value dims) {
  for (auto [i, symbol] : llvm::enumerate(symbols))
    values[symbol] = e.load(dims, e.b.getI64Type(), e.idx(i), 0);
}

Value Sizes::of(Emit &e, DimAttr dim) const {
  // Terms are flat: a coefficient, then an exponent for each atom.
  ArrayRef<Attribute> atoms = dim.getAtoms();
  ArrayRef<int64_t> terms = dim.getTerms();
  Value sum = e.idx(0);
  for (size_t i = 0; i < terms.size(); i += atoms.size() + 1) {
    Value product = e.idx(terms[i]);
    for (auto [k, atom] : llvm::enumerate(atoms))
      for (int64_t power = 0; power < terms[i + 1 + k]; ++power)
        product = e.mul(product, values.lookup(atom));
    sum = e.add(sum, product);
  }
  return sum;
}

LogicalResult checkSymbols(Operation *op, DimAttr dim, ArrayAttr symbols) {
  for (Attribute atom : dim.getAtoms())
    if (!llvm::is_contained(symbols, atom))
      return op->emitOpError("uses the symbol '") << cast<StringAttr>(atom).getValue() << "' of the dimension '"
                                                  << toString(dim) << "', which its 'symbols' do not list";
  return success();
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

namespace {
/// One tile of scratch memory; its row stride in elements is chosen so that rows do not fall on the same cache sets.
struct ScratchTile {
  Operation *owner;
  Type element;
  DimAttr width;
  bool isTotals;
  bool isTarget; // of a contraction, which stores whole panels

  Value stride(Emit &e, const Sizes &sizes) const {
    if (!isTotals && !isTarget && constantValue(width) == 1)
      return e.idx(isNibble(element) ? nibblesPerByte : 1);
    return e.add(e.ceilTo(sizes.of(e, width), 16), isTotals ? 0 : 16);
  }
  Value bytes(Emit &e, const Sizes &sizes, Value rows) const {
    return e.ceilTo(e.mul(e.mul(e.add(rows, spareRows), stride(e, sizes)), byteSize(element)), 64);
  }
};
} // namespace

static SmallVector<ScratchTile> scratchTiles(tile::KernelOp kernel) {
  SmallVector<ScratchTile> tiles;
  for (Operation &op : kernel.getBody().front()) {
    if (auto scratch = dyn_cast<tile::ScratchOp>(op)) {
      bool isTarget = llvm::any_of(scratch->getUsers(), [&](Operation *user) {
        auto contract = dyn_cast<tile::ContractOp>(user);
        return contract && contract.getC() == scratch;
      });
      tiles.push_back({&op, elementOfBuffer(scratch), dimsOfBuffer(scratch)[1], false, isTarget});
    } else if (auto contract = dyn_cast<tile::ContractOp>(op); contract && isGlobal(contract.getC()))
      tiles.push_back({&op, elementOfBuffer(contract.getC()), dimsOfBuffer(contract.getC())[1], true, false});
  }
  return tiles;
}

Value scratchBytes(Emit &e, tile::KernelOp kernel, const Sizes &sizes, Value rows) {
  Value total = e.idx(ScratchHeader::bytes);
  for (const ScratchTile &tile : scratchTiles(kernel))
    total = e.add(total, tile.bytes(e, sizes, rows));
  return total;
}

SmallVector<tile::ContractOp> libraryContractions(tile::KernelOp kernel) {
  SmallVector<tile::ContractOp> contractions;
  for (auto op : kernel.getBody().front().getOps<tile::ContractOp>())
    if (op.getPlain())
      contractions.push_back(op);
  return contractions;
}

void emitLibraryShapes(Emit &e, tile::KernelOp kernel, const Sizes &sizes, Value shapes) {
  SmallVector<ScratchTile> tiles = scratchTiles(kernel);
  auto stride = [&](Value buffer, tile::ContractOp totals) {
    Operation *owner = totals ? totals.getOperation() : buffer.getDefiningOp();
    for (const ScratchTile &tile : tiles)
      if (tile.owner == owner)
        return tile.stride(e, sizes);
    return sizes.of(e, dimsOfBuffer(buffer)[1]);
  };
  int64_t at = 0;
  for (tile::ContractOp op : libraryContractions(kernel)) {
    ArrayRef<DimAttr> dims = dimsOfBuffer(op.getPlain());
    Value terms = sizes.of(e, dims[0]), columns = sizes.of(e, dims[1]);
    for (Value value : {terms, columns, stride(op.getA(), {}), columns,
                        stride(op.getC(), isGlobal(op.getC()) ? op : tile::ContractOp())})
      e.store(value, shapes, e.idx(at++));
  }
}

Value bufferBytes(Emit &e, tile::BufferType type, const Sizes &sizes) {
  ArrayRef<DimAttr> dims = type.getTensor().getDims();
  Type element = type.getTensor().getElementType();
  if (type.getLayout() == tile::Layout::rows) {
    Value count = e.idx(1);
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      Value size = sizes.of(e, dim);
      count = e.mul(count, axis + 1 == dims.size() ? rowStride(e, element, size) : size);
    }
    return isNibble(element) ? e.over(e.ceilTo(count, nibblesPerByte), nibblesPerByte)
                             : e.mul(count, byteSize(element));
  }
  Value k = sizes.of(e, dims[0]), columns = e.ceilTo(sizes.of(e, dims[1]), panelWidth(element));
  if (type.getLayout() == tile::Layout::pages)
    k = e.ceilTo(k, chunk);
  return e.mul(e.mul(k, columns), byteSize(element));
}

//===----------------------------------------------------------------------===//
// Frame
//===----------------------------------------------------------------------===//

// Attributes of every function: features of the named target, and no rewriting of loops into calls of a C library.
static ArrayAttr functionAttributes(OpBuilder &b, const TargetInfo &target, bool isPublic) {
  auto pair = [&](StringRef key, StringRef value) -> Attribute {
    return b.getArrayAttr({b.getStringAttr(key), b.getStringAttr(value)});
  };
  SmallVector<Attribute> attributes{pair("target-cpu", target.cpu), b.getStringAttr("no-builtins"),
                                    b.getStringAttr("nounwind"),
                                    pair("prefer-vector-width", std::to_string(target.vectorBits))};
  if (!target.features.empty())
    attributes.push_back(pair("target-features", target.features));
  if (!isPublic)
    attributes.push_back(b.getStringAttr("noinline"));
  return b.getArrayAttr(attributes);
}

static func::FuncOp makeFunction(ModuleOp module, Location loc, const TargetInfo &target, StringRef name, bool isPublic,
                                 Type result) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto type = b.getFunctionType({pointer, pointer, i64, i64, pointer}, result ? TypeRange(result) : TypeRange());
  auto function = b.create<func::FuncOp>(loc, name, type);
  function->setAttr("passthrough", functionAttributes(b, target, isPublic));
  if (!isPublic) {
    function.setPrivate();
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  }
  function.addEntryBlock();
  return function;
}

Frame::Frame(ModuleOp module, tile::KernelOp kernel, const TargetInfo &target, StringRef name, bool isPublic,
             Type result)
    : function(makeFunction(module, kernel.getLoc(), target, name, isPublic, result)), e(function), target(target),
      kernel(kernel), sizes(e, kernel.getSymbols(), function.getArgument(1)), buffers(function.getArgument(0)),
      dims(function.getArgument(1)), row0(function.getArgument(2)), rows(function.getArgument(3)),
      scratch(function.getArgument(4)) {
  if (kernel.getFolds()) {
    positionStep = e.load(header(ScratchHeader::positionStep), e.b.getI64Type(), e.idx(0), 0);
    rowStep = e.load(header(ScratchHeader::rowStep), e.b.getI64Type(), e.idx(0), 0);
  }
  position = e.add(size(kernel.getPosition()), positionStep ? e.mul(row0, positionStep) : row0);
  placeBuffers();
  emitScalars();
}

void Frame::placeBuffers() {
  Type pointerType = scratch.getType();
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    pointers[buffer] = e.b.create<LLVM::LoadOp>(
        e.loc, pointerType,
        e.b.create<LLVM::GEPOp>(e.loc, pointerType, pointerType, buffers,
                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(buffer.getArgNumber())}),
        8);
    ArrayRef<DimAttr> shape = dimsOfBuffer(buffer);
    strides[buffer] = shape.size() == 2 ? rowStride(e, elementOfBuffer(buffer), size(shape[1])) : e.idx(0);
  }
  Value offset = e.idx(ScratchHeader::bytes);
  Value tiles = kernel.getSections() ? ofSection(Section::tiles, scratch.getType()) : scratch;
  for (const ScratchTile &tile : scratchTiles(kernel)) {
    Value place = e.atBytes(tiles, offset);
    if (tile.isTotals) {
      totalsOf[tile.owner] = place;
    } else {
      pointers[tile.owner->getResult(0)] = place;
      strides[tile.owner->getResult(0)] = tile.stride(e, sizes);
    }
    offset = e.add(offset, tile.bytes(e, sizes, rows));
  }
}

void Frame::emitScalars() {
  for (Operation &op : kernel.getBody().front()) {
    Value value;
    if (auto dim = dyn_cast<tile::DimOp>(op)) {
      value = size(dim.getDim());
    } else if (isa<ConstantOp>(op)) {
      value = emitConstant(e, &op);
    } else if (isElementwise(&op)) {
      Values operands;
      for (Value operand : op.getOperands())
        operands.push_back(scalar(operand));
      value = emitElementwise(e, &op, operands);
    }
    if (value)
      scalars[op.getResult(0)] = value;
  }
}

Value Frame::ofSection(int64_t byteOffset, Type type) {
  auto load = [&](Type what, Value from) -> Value { return e.b.create<LLVM::LoadOp>(e.loc, what, from, 8); };
  return load(type, e.atBytes(load(scratch.getType(), header(ScratchHeader::section)), e.idx(byteOffset)));
}

Value Frame::section() { return kernel.getSections() ? ofSection(Section::number, e.b.getI64Type()) : Value(); }

std::pair<Value, Value> Frame::columnsOf(Value all) {
  if (!kernel.getSections())
    return {e.idx(0), all};
  Type i64 = e.b.getI64Type();
  return {ofSection(Section::from, i64), e.min(ofSection(Section::to, i64), all)};
}

Value Frame::positionOf(Value row) { return e.add(position, positionStep ? e.mul(row, positionStep) : row); }

void Frame::fail(int32_t code, Operation *op, ValueRange indices, ValueRange values) {
  Type i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  tile::FaultAttr fault = tile::faultOf(op);
  Values position;
  for (AffineExpr result : fault ? fault.getAt().getValue().getResults() : ArrayRef<AffineExpr>()) {
    MapPlace place = *placeOf(result);
    Value at = place.axis < 0 ? e.idx(0) : e.mul(indices[place.axis], place.step);
    if (place.symbol >= 0)
      at = e.add(at, size(cast<DimAttr>(fault.getStarts()[place.symbol])));
    position.push_back(at);
  }
  auto slot = [&](size_t axis) { return header(ScratchHeader::position + 8 * static_cast<int64_t>(axis)); };
  Value before = e.integer(e.b.getI1Type(), 0); // whether the position is before the one that is noted
  for (size_t axis = position.size(); axis-- > 0;) {
    Value noted = e.load(slot(axis), i64, e.idx(0), 0);
    before = e.select(e.compare(IntPredicate::eq, position[axis], noted), before,
                      e.compare(IntPredicate::slt, position[axis], noted));
  }
  Value number = e.integer(i32, fault ? fault.getNumber() : 0);
  Value noted = e.load(header(ScratchHeader::fault), i32, e.idx(0), 0);
  before = e.select(e.compare(IntPredicate::eq, number, noted), before, e.compare(IntPredicate::slt, number, noted));
  Value none = e.compare(IntPredicate::eq, e.load(header(ScratchHeader::failed), i32, e.idx(0), 0), e.integer(i32, 0));
  e.when(e.op<arith::OrIOp>(none, before), [&] {
    e.store(e.integer(i32, code), header(ScratchHeader::failed), e.idx(0));
    e.store(number, header(ScratchHeader::fault), e.idx(0));
    for (auto [axis, at] : llvm::enumerate(position))
      e.store(at, slot(axis), e.idx(0));
    for (auto [i, value] : llvm::enumerate(values))
      e.store(value, header(ScratchHeader::badIndex + 8 * static_cast<int64_t>(i)), e.idx(0));
  });
}

Value Frame::rowStart(Value buffer, Value row) {
  ArrayRef<DimAttr> shape = dimsOfBuffer(buffer);
  if (shape.size() < 2 || constantValue(shape[0]) == 1)
    return e.idx(0);
  if (!isGlobal(buffer))
    return e.mul(row, stride(buffer));
  Value at = e.add(row0, row);
  return e.mul(rowStep ? e.mul(at, rowStep) : at, stride(buffer));
}

} // namespace nova::codegen
