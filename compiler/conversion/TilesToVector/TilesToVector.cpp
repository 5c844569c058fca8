#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include "compiler/conversion/TilesToVector/Check.h"
#include "compiler/conversion/TilesToVector/Parts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova {
using namespace codegen;

ArrayRef<TargetInfo> knownTargets() {
  static const TargetInfo targets[] = {
      {"x86-64-v3", "_v3", 256, "x86-64-v3", ""},
      {"x86-64-v4", "_v4", 512, "x86-64-v4", "-prefer-256-bit"},
  };
  return targets;
}

const TargetInfo *findTarget(StringRef name) {
  for (const TargetInfo &target : knownTargets())
    if (name == target.name)
      return &target;
  return nullptr;
}

void registerVectorDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect>();
}

static OwningOpRef<ModuleOp> makeModule(ModuleOp like) {
  like.getContext()
      ->loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  return ModuleOp::create(like.getLoc());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Emits the parts of one kernel and the calls of them.
class KernelParts {
public:
  KernelParts(ModuleOp module, tile::KernelOp kernel, const TargetInfo &target)
      : module(module), kernel(kernel), target(target), prefix((kernel.getSymName() + target.suffix).str()),
        entry(module, kernel, target, prefix, /*isPublic=*/true, IntegerType::get(kernel.getContext(), 32)),
        e(entry.e) {}

  void emit() {
    enter();
    Block &block = kernel.getBody().front();
    bool inPasses = false;
    for (auto it = block.begin(); it != block.end(); ++it) {
      if (auto first = dyn_cast<tile::PassOp>(*it)) {
        SmallVector<tile::PassOp> passes{first};
        // A function of any number of loops would make LLVM's time grow faster than it.
        constexpr size_t maxPasses = 16;
        while (auto next = nextPass(std::next(it), block.end())) {
          if (passes.size() == maxPasses)
            break;
          passes.push_back(next);
          it = Block::iterator(next);
        }
        sections += !inPasses;
        inPasses = true;
        func::FuncOp rows = part("rows", [&](Frame &f) { emitPasses(f, passes); });
        inSection([&] { call(rows); });
        continue;
      }
      llvm::TypeSwitch<Operation &>(*it)
          .Case([&](tile::ContractOp op) {
            ++sections;
            inPasses = false;
            contract(op);
          })
          .Case([&](tile::PackOp op) { call(part("pack", [&](Frame &f) { emitPack(f, op); })); })
          .Case([&](tile::CopyOp op) { call(part("copy", [&](Frame &f) { emitCopy(f, op); })); })
          .Case([&](tile::MapOp op) { call(part("map", [&](Frame &f) { emitMap(f, op); })); })
          .Case([&](tile::ReduceOp op) { call(part("reduce", [&](Frame &f) { emitReduce(f, op); })); })
          .Case([&](tile::GatherOp op) { call(part("gather", [&](Frame &f) { emitGather(f, op); })); })
          .Case([&](tile::AccumulateOp op) { call(part("accumulate", [&](Frame &f) { emitAccumulate(f, op); })); });
    }
    leave();
  }

private:
  // The next step if it is a pass. Scalars between steps are computed by every part that uses them.
  static tile::PassOp nextPass(Block::iterator it, Block::iterator end) {
    while (it != end && (isElementwise(&*it) || isa<ConstantOp, tile::DimOp, tile::ScratchOp>(*it)))
      ++it;
    return it == end ? tile::PassOp() : dyn_cast<tile::PassOp>(*it);
  }

  // What belongs to the section that was begun last (tile::sectionsOf).
  void inSection(llvm::function_ref<void()> body) {
    Value wanted = entry.section();
    if (!wanted)
      return body();
    Value all = e.compare(IntPredicate::slt, wanted, e.idx(0));
    e.when(e.op<arith::OrIOp>(all, e.compare(IntPredicate::eq, wanted, e.idx(sections - 1))), body);
  }

  // One or two rows do not fill a register tile, and those of a block fill a small one better at times.
  void contract(tile::ContractOp op) {
    int64_t most = registerRows(target), small = smallRegisterRows(target);
    func::FuncOp many = part("contract", [&](Frame &f) { emitContractMany(f, op, most); });
    func::FuncOp some = part("contract_some", [&](Frame &f) { emitContractMany(f, op, small); });
    func::FuncOp few = part("contract_few", [&](Frame &f) { emitContractFew(f, op); });
    auto filled = [&](int64_t rows) { // by groups of so many
      Value groups = e.op<arith::DivUIOp>(e.add(entry.rows, rows - 1), e.idx(rows));
      return e.mul(groups, rows);
    };
    auto generated = [&] {
      Value isFew = e.compare(IntPredicate::sle, entry.rows, e.idx(2));
      auto tiled = [&] {
        e.when(e.compare(IntPredicate::slt, filled(small), filled(most)), [&] { call(some); }, [&] { call(many); });
      };
      e.when(isFew, [&] { call(few); }, tiled);
    };
    func::FuncOp copyOut =
        isGlobal(op.getC()) ? part("copy_out", [&](Frame &f) { emitCopyOut(f, op); }) : func::FuncOp();
    inSection([&] {
      if (op.getPlain()) {
        Value done = call(libraryPart(op)).getResult(0);
        e.when(e.compare(IntPredicate::eq, done, e.integer(done.getType(), 0)), generated);
      } else {
        generated();
      }
      if (copyOut)
        call(copyOut);
    });
  }

  func::FuncOp libraryPart(tile::ContractOp op) {
    Frame f(module, kernel, target, nameOfPart("contract_library"), /*isPublic=*/false, e.b.getI32Type());
    f.finish(emitContractLibrary(f, op, libraryTiles++));
    return f.function;
  }

  std::string nameOfPart(StringRef what) { return prefix + "_" + std::to_string(parts++) + "_" + what.str(); }

  func::FuncOp part(StringRef what, llvm::function_ref<void(Frame &)> emitBody) {
    Frame f(module, kernel, target, nameOfPart(what), /*isPublic=*/false);
    emitBody(f);
    f.finish();
    return f.function;
  }

  func::CallOp call(func::FuncOp function) {
    return e.b.create<func::CallOp>(e.loc, function, entry.function.getArguments());
  }

  void control(StringRef intrinsic, int64_t place) {
    e.b.create<LLVM::CallIntrinsicOp>(e.loc, TypeRange(), e.b.getStringAttr(intrinsic), ValueRange{entry.header(place)},
                                      LLVM::FastmathFlagsAttr());
  }

  // Every tile runs with the default floating-point control: rounding to nearest, subnormals kept, nothing trapped.
  void enter() {
    Type i32 = e.b.getI32Type();
    control("llvm.x86.sse.stmxcsr", ScratchHeader::savedControl);
    e.store(e.integer(i32, 0x1F80), entry.header(ScratchHeader::newControl), e.idx(0));
    control("llvm.x86.sse.ldmxcsr", ScratchHeader::newControl);
    e.store(e.integer(i32, 0), entry.header(ScratchHeader::failed), e.idx(0));
  }

  void leave() {
    control("llvm.x86.sse.ldmxcsr", ScratchHeader::savedControl);
    entry.finish(e.load(entry.header(ScratchHeader::failed), e.b.getI32Type(), e.idx(0), 0));
  }

  ModuleOp module;
  tile::KernelOp kernel;
  const TargetInfo &target;
  std::string prefix;
  Frame entry;
  Emit &e;
  int parts = 0;
  int64_t sections = 0; // that have begun
  int64_t libraryTiles = 0;
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>> tilesToVector(ModuleOp tiles, const TargetInfo &target) {
  OwningOpRef<ModuleOp> module = makeModule(tiles);
  for (auto kernel : tiles.getOps<tile::KernelOp>()) {
    if (failed(checkKernel(kernel)))
      return failure();
    KernelParts(*module, kernel, target).emit();
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

// int64_t name(const int64_t *dims), with `rows` as a second parameter for scratch memory.
static void layoutFunction(ModuleOp module, Location loc, const Twine &name, ArrayAttr symbols, bool withRows,
                           llvm::function_ref<Value(Emit &, const Sizes &, Value)> bytes) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> inputs{LLVM::LLVMPointerType::get(b.getContext())};
  if (withRows)
    inputs.push_back(b.getI64Type());
  auto function = b.create<func::FuncOp>(loc, name.str(), b.getFunctionType(inputs, b.getI64Type()));
  function.addEntryBlock();
  Emit e(function);
  Sizes sizes(e, symbols, function.getArgument(0));
  Value result = e.checked([&] { return bytes(e, sizes, withRows ? function.getArgument(1) : Value()); });
  e.b.create<func::ReturnOp>(loc, result);
}

// void nova_library_<kernel>(const int64_t *dims, int64_t *shapes)
static void shapesFunction(ModuleOp module, tile::KernelOp kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = b.create<func::FuncOp>(kernel.getLoc(), ("nova_library_" + kernel.getSymName()).str(),
                                         b.getFunctionType({pointer, pointer}, {}));
  function.addEntryBlock();
  Emit e(function);
  emitLibraryShapes(e, kernel, Sizes(e, kernel.getSymbols(), function.getArgument(0)), function.getArgument(1));
  e.b.create<func::ReturnOp>(e.loc);
}

// The elements of a constant as they lie in memory.
static DenseElementsAttr storedElements(tile::DataOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  Type element = cast<tile::BufferType>(op.getType()).getTensor().getElementType(), stored = storageType(element);
  if (!values || (isa<FloatType>(values.getElementType()) && !isa<FloatType>(element)))
    return {};
  SmallVector<Attribute> entries;
  OpBuilder b(op.getContext());
  for (Attribute value : values.getValues<Attribute>()) {
    if (auto floating = dyn_cast<FloatType>(element)) {
      APFloat x(floating.getFloatSemantics());
      if (auto real = dyn_cast<FloatAttr>(value)) {
        bool inexact;
        x = real.getValue();
        x.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
      } else {
        x.convertFromAPInt(cast<IntegerAttr>(value).getValue(), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
      }
      if (x.isNaN())
        x = APFloat::getNaN(floating.getFloatSemantics());
      entries.push_back(isa<FloatType>(stored) ? Attribute(FloatAttr::get(element, x))
                                               : Attribute(b.getIntegerAttr(stored, x.bitcastToAPInt())));
    } else {
      APInt x = cast<IntegerAttr>(value).getValue();
      entries.push_back(b.getIntegerAttr(stored, x.getBitWidth() == 1 ? x.getZExtValue() : x.getSExtValue()));
    }
  }
  return DenseElementsAttr::get(RankedTensorType::get({values.getNumElements()}, stored), entries);
}

static LogicalResult emitData(ModuleOp module, tile::DataOp op) {
  DenseElementsAttr stored = storedElements(op);
  if (!stored)
    return op.emitOpError("holds elements that cannot be those of its type");
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(stored.getElementType(), stored.getNumElements());
  b.create<LLVM::GlobalOp>(op.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::External, op.getSymName(), stored,
                           /*alignment=*/64);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> tilesToLayout(ModuleOp tiles) {
  OwningOpRef<ModuleOp> module = makeModule(tiles);
  for (Operation &op : *tiles.getBody()) {
    if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
      if (failed(checkKernel(kernel)))
        return failure();
      layoutFunction(*module, op.getLoc(), "nova_scratch_" + kernel.getSymName(), kernel.getSymbols(), true,
                     [&](Emit &e, const Sizes &sizes, Value rows) { return scratchBytes(e, kernel, sizes, rows); });
      if (!libraryContractions(kernel).empty())
        shapesFunction(*module, kernel);
    } else if (auto storage = dyn_cast<tile::StorageOp>(op)) {
      auto type = cast<tile::BufferType>(storage.getType());
      for (DimAttr dim : type.getTensor().getDims())
        if (failed(checkSymbols(storage, dim, storage.getSymbols())))
          return failure();
      layoutFunction(*module, op.getLoc(), "nova_bytes_" + storage.getSymName(), storage.getSymbols(), false,
                     [&](Emit &e, const Sizes &sizes, Value) { return bufferBytes(e, type, sizes); });
    } else if (auto data = dyn_cast<tile::DataOp>(op)) {
      if (failed(emitData(*module, data)))
        return failure();
    }
  }
  return module;
}

} // namespace nova
