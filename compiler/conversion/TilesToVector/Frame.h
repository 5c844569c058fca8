//===- Frame.h - What the code of a kernel stands on -------------------------===//
//
// Every part of a kernel is a function of its own with the kernel's signature,
// (buffers, dims, row0, rows, scratch): no constant of one part then presses on the registers of another's loops. A
// Frame is the view of such a function on its arguments: sizes, positions, addresses, and where things lie in scratch
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_FRAME_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_FRAME_H

#include "compiler/conversion/TilesToVector/Emit.h"
#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include "dialects/tile/TileDialect.h"

namespace nova::codegen {

/// Chunks of contractions and sums, and lanes of sums (docs/arithmetic.md).
constexpr int64_t chunk = 256, sumLanes = 16;
/// Rows that scratch tiles have beyond the block's: register tiles write whole groups of rows.
constexpr int64_t spareRows = 12;

/// The start of every kernel's scratch memory.
struct ScratchHeader {
  static constexpr int64_t savedControl = 0, newControl = 4, failed = 8, fault = 12; // each an i32
  static constexpr int64_t badIndex = 16, axisSize = 24;                             // each an i64, where `failed` is 2
  static constexpr int64_t libraryTiles = 32;                                        // a pointer, from the runtime
  static constexpr int64_t positionStep = 40; // an i64, from the runtime: see positionOf
  static constexpr int64_t section = 48;      // a pointer to a Section, from the runtime, where the kernel has sections
  static constexpr int64_t rowStep = 56;      // an i64, from the runtime: see rowStart
  static constexpr int64_t position = 64;     // an i64 for each axis
  static constexpr int64_t mostAxes = 64;
  static constexpr int64_t tables = position + 8 * mostAxes; // two of ConstantTable
  static constexpr int64_t lines = tables + 2048;            // two chunks of f64, used inside one loop
  static constexpr int64_t bytes = lines + 2 * chunk * 8;
};

/// What the runtime tells a kernel with sections: where scratch tiles lie, as in a scratch memory of their own; which
/// section to run, below 0 for all; and of its contraction which columns to compute.
struct Section {
  static constexpr int64_t tiles = 0, number = 8, from = 16, to = 24; // a pointer, then an i64 each
};

/// Columns of a panel: those that 64 bytes of registers hold.
inline int64_t panelWidth(Type element) { return 64 / byteSize(registerType(element)); }
/// Elements from one row to the next where a row has `width`: an even number of halves of bytes.
inline Value rowStride(Emit &e, Type element, Value width) {
  return isNibble(element) ? e.ceilTo(width, nibblesPerByte) : width;
}
/// The element type of a buffer.
inline Type elementOfBuffer(Value buffer) {
  return mlir::cast<tile::BufferType>(buffer.getType()).getTensor().getElementType();
}
inline ArrayRef<DimAttr> dimsOfBuffer(Value buffer) {
  return mlir::cast<tile::BufferType>(buffer.getType()).getTensor().getDims();
}
inline tile::Layout layoutOf(Value buffer) { return mlir::cast<tile::BufferType>(buffer.getType()).getLayout(); }
inline bool isGlobal(Value buffer) { return mlir::isa<mlir::BlockArgument>(buffer); }

/// Sizes from the dims array, in the order of `symbols`.
class Sizes {
public:
  Sizes(Emit &e, mlir::ArrayAttr symbols, Value dims);
  /// The value of `dim`, an i64 at the current place. Every symbol must be known: see checkSymbols.
  Value of(Emit &e, DimAttr dim) const;

private:
  llvm::DenseMap<mlir::Attribute, Value> values;
};

/// Fails with a diagnostic when `dim` has a symbol that `symbols` lacks.
mlir::LogicalResult checkSymbols(mlir::Operation *op, DimAttr dim, mlir::ArrayAttr symbols);

/// Bytes of scratch memory of `kernel` for blocks of `rows`.
Value scratchBytes(Emit &e, tile::KernelOp kernel, const Sizes &sizes, Value rows);
/// The contractions of `kernel` that library tiles may carry, in order.
SmallVector<tile::ContractOp> libraryContractions(tile::KernelOp kernel);
/// Writes their shapes to `shapes`: five i64 each (docs/module-format.md).
void emitLibraryShapes(Emit &e, tile::KernelOp kernel, const Sizes &sizes, Value shapes);
/// Bytes of a buffer that the runtime allocates.
Value bufferBytes(Emit &e, tile::BufferType type, const Sizes &sizes);

class Frame {
public:
  /// Creates the function `name` in `module` with its entry block. A public one is an entry point of the module, others
  /// are internal and never inlined. `result` may be null.
  Frame(mlir::ModuleOp module, tile::KernelOp kernel, const TargetInfo &target, llvm::StringRef name, bool isPublic,
        Type result = {});

  mlir::func::FuncOp function;
  Emit e;
  const TargetInfo &target;
  tile::KernelOp kernel;
  Sizes sizes;
  Value buffers, dims, row0, rows, scratch;
  /// The absolute position of the block's first row.
  Value position;
  /// That of the block's row `row`: one more from row to row, but the same for all rows of a folded launch.
  Value positionOf(Value row);

  Value size(DimAttr dim) { return sizes.of(e, dim); }
  /// Lanes of the target's vectors.
  int64_t nativeLanes(Type element) const { return target.vectorBits / element.getIntOrFloatBitWidth(); }

  /// Address of the first element.
  Value pointer(Value buffer) const { return pointers.lookup(buffer); }
  /// Elements between two rows of a matrix in `rows` layout, global or scratch.
  Value stride(Value buffer) const { return strides.lookup(buffer); }
  /// Index of the first element of the block's row `row`: at the launch's row for global buffers; row 0 where the
  /// leading dim is the constant 1, or where there are fewer than two axes. In a folded launch of a ragged batch other
  /// sessions' rows lie between the launch's.
  Value rowStart(Value buffer, Value row);
  /// Totals of a contraction that ends in a global buffer: a tile in scratch memory, rows `totalsStride` apart.
  Value totals(tile::ContractOp op) const { return totalsOf.lookup(op); }
  Value totalsStride(tile::ContractOp op) { return e.ceilTo(size(dimsOfBuffer(op.getC())[1]), 16); }

  Value header(int64_t byteOffset) { return e.atBytes(scratch, e.idx(byteOffset)); }
  /// Notes that an operation with a FaultAttr fails at the entry with these indices of the kernel, unless one that
  /// comes before it is noted already. `code` is what the kernel will return; `values` go with it.
  void fail(int32_t code, mlir::Operation *op, ValueRange indices, ValueRange values = {});
  /// A scalar of the kernel's region; null for none. Every function computes those that it uses once, at its start.
  Value scalar(Value inRegion) const { return scalars.lookup(inRegion); }
  /// The section to run, below 0 for all; null where the kernel has none.
  Value section();
  /// The columns to compute of a contraction that has `all`.
  std::pair<Value, Value> columnsOf(Value all);

  /// Ends the function.
  void finish(ValueRange results = {}) { e.b.create<mlir::func::ReturnOp>(e.loc, results); }

private:
  Value positionStep, rowStep; // null for 1
  void placeBuffers();
  void emitScalars();
  Value ofSection(int64_t byteOffset, Type type);

  llvm::DenseMap<Value, Value> pointers, strides, scalars;
  llvm::DenseMap<mlir::Operation *, Value> totalsOf;
};

} // namespace nova::codegen

#endif
