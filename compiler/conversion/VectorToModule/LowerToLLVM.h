//===- LowerToLLVM.h - Vector code becomes LLVM IR ---------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LOWERTOLLVM_H
#define NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace nova {

/// `part` as LLVM IR. Does not change `part`. Code that cannot be lowered is a fault of Nova and ends the program, with
/// its diagnostics.
std::unique_ptr<llvm::Module> lowerToLLVM(mlir::ModuleOp part, llvm::LLVMContext &context);

} // namespace nova

#endif
