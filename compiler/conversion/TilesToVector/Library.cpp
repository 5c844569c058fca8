//===- Library.cpp - Contractions that a library tile carries ----------------===//
//
// The runtime may hand over, in the header of the scratch memory, a table with a tile for each contraction of the
// kernel that has a plain factor (docs/module-format.md). A tile begins with the address of its function.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/Parts.h"

using namespace mlir;

namespace nova::codegen {

/// Rows of a library tile.
static constexpr int64_t tileRows = 64;

Value emitContractLibrary(Frame &f, tile::ContractOp op, int64_t index) {
  Emit &e = f.e;
  Type pointer = f.scratch.getType(), i32 = e.b.getI32Type();
  auto loadPointer = [&](Value from) -> Value { return e.b.create<LLVM::LoadOp>(e.loc, pointer, from, 8); };
  auto isThere = [&](Value address) {
    Value number = e.b.create<LLVM::PtrToIntOp>(e.loc, e.b.getI64Type(), address);
    return e.compare(IntPredicate::ne, number, e.idx(0));
  };
  auto nothing = [&] { return Values{e.integer(i32, 0)}; };
  auto first = [&](Value buffer) { return e.at(f.pointer(buffer), e.b.getF32Type(), f.rowStart(buffer, e.idx(0))); };
  Value isFull = e.compare(IntPredicate::eq, f.rows, e.idx(tileRows));
  Value table = loadPointer(f.header(ScratchHeader::libraryTiles));
  return e.choose(
      e.both(isFull, isThere(table)),
      [&] {
        Value tile = loadPointer(e.atBytes(table, e.idx(8 * index)));
        return e.choose(
            isThere(tile),
            [&] {
              Value c = isGlobal(op.getC()) ? f.totals(op) : f.pointer(op.getC());
              Values operands{loadPointer(tile), tile, first(op.getA()), f.pointer(op.getPlain()), c};
              auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer, pointer});
              return Values{e.b.create<LLVM::CallOp>(e.loc, type, operands).getResult()};
            },
            nothing);
      },
      nothing)[0];
}

} // namespace nova::codegen
