//===- LowerToLLVM.h - Vector code becomes LLVM IR ---------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LOWERTOLLVM_H
#define NOVA_COMPILER_CONVERSION_VECTORTOMODULE_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace nova {

/// `part` as LLVM IR. Does not change `part`; diagnostics of a failure are part of the error.
llvm::Expected<std::unique_ptr<llvm::Module>> lowerToLLVM(mlir::ModuleOp part, llvm::LLVMContext &context);

} // namespace nova

#endif
