#include "compiler/transforms/BindStorage.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
namespace {
class Binder {
public:
  Binder(GraphOp core, const StorageBindings &storage) : core(core), storage(storage), b(core.getContext()) {}
  LogicalResult run(ArrayRef<std::string> resultNames);

private:
  /// The type that is asked for under this name, null for none.
  FailureOr<TensorType> typeFor(StringRef name, StringRef what, TensorType type);
  Value cast(Value value, TensorType type, StringRef name);
  LogicalResult bindArguments(SmallVectorImpl<Type> &types);
  LogicalResult bindResults(ArrayRef<std::string> resultNames, SmallVectorImpl<Type> &types);

  GraphOp core;
  const StorageBindings &storage;
  OpBuilder b;
  std::map<std::string, bool> used;
};
} // namespace

FailureOr<TensorType> Binder::typeFor(StringRef name, StringRef what, TensorType type) {
  auto wanted = storage.find(name.str());
  if (wanted == storage.end())
    return TensorType();
  used[wanted->first] = true;
  Type element = wanted->second == "bf16" ? Type(b.getBF16Type()) : wanted->second == "f16" ? b.getF16Type() : Type();
  if (!element)
    return core.emitError("storage type ") << wanted->second << " of " << name << " is neither bf16 nor f16";
  if (!type.getElementType().isF32())
    return core.emitError("only f32 can be kept in ")
           << wanted->second << "; " << what << " " << name << " is " << toString(Type(type));
  return type.withElementType(element);
}

Value Binder::cast(Value value, TensorType type, StringRef name) {
  Location loc = NameLoc::get(b.getStringAttr(name + "." + elementText(type.getElementType())), value.getLoc());
  return b.create<CastOp>(loc, type, value, TypeAttr::get(type.getElementType()));
}

LogicalResult Binder::bindArguments(SmallVectorImpl<Type> &types) {
  b.setInsertionPointToStart(&core.getBlock());
  for (BlockArgument argument : core.getBlock().getArguments()) {
    unsigned i = argument.getArgNumber();
    TensorType own = core.getArgumentType(i);
    FailureOr<TensorType> type = typeFor(core.getArgName(i), "argument", own);
    if (failed(type))
      return failure();
    types.push_back(*type ? *type : own);
    if (!*type || argument.use_empty()) {
      argument.setType(types.back());
      continue;
    }
    argument.setType(*type);
    Value wide = cast(argument, own, core.getArgName(i));
    argument.replaceAllUsesExcept(wide, wide.getDefiningOp());
  }
  return success();
}

LogicalResult Binder::bindResults(ArrayRef<std::string> resultNames, SmallVectorImpl<Type> &types) {
  ReturnOp ret = core.getReturn();
  b.setInsertionPoint(ret);
  for (unsigned i = 0; i < ret.getNumOperands(); i++) {
    auto own = llvm::cast<TensorType>(ret.getValues()[i].getType());
    StringRef name = i < resultNames.size() ? StringRef(resultNames[i]) : "";
    FailureOr<TensorType> type = typeFor(name, "result", own);
    if (failed(type))
      return failure();
    types.push_back(*type ? *type : own);
    if (*type)
      ret->setOperand(i, cast(ret.getValues()[i], *type, name));
  }
  return success();
}

LogicalResult Binder::run(ArrayRef<std::string> resultNames) {
  SmallVector<Type> inputs, results;
  if (failed(bindArguments(inputs)) || failed(bindResults(resultNames, results)))
    return failure();
  for (auto &[name, element] : storage)
    if (!used.count(name))
      return core.emitError("graph @") << core.getSymName() << " has no argument and no result " << name;
  core.setFunctionTypeAttr(TypeAttr::get(b.getFunctionType(inputs, results)));
  return success();
}

LogicalResult bindStorage(GraphOp core, ArrayRef<std::string> resultNames, const StorageBindings &storage) {
  return storage.empty() ? success() : Binder(core, storage).run(resultNames);
}
} // namespace nova
