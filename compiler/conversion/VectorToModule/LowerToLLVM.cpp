#include "compiler/conversion/VectorToModule/LowerToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace nova {

std::unique_ptr<llvm::Module> lowerToLLVM(ModuleOp part, llvm::LLVMContext &context) {
  MLIRContext *mlirContext = part.getContext();
  registerBuiltinDialectTranslation(*mlirContext);
  registerLLVMDialectTranslation(*mlirContext);

  std::string messages;
  ScopedDiagnosticHandler handler(mlirContext, [&](Diagnostic &diagnostic) {
    messages += "; " + diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> clone = part.clone();
  PassManager passes(mlirContext);
  passes.addPass(createConvertSCFToCFPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  std::unique_ptr<llvm::Module> module;
  if (succeeded(passes.run(*clone)))
    module = translateModuleToLLVMIR(*clone, context, "nova");
  if (!module)
    llvm::report_fatal_error(llvm::Twine("vector code could not be lowered to LLVM IR") + messages);
  return module;
}

} // namespace nova
