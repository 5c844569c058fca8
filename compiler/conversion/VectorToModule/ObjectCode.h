//===- ObjectCode.h - Vector code becomes a module ---------------------------===//
//
// MLIR -> LLVM IR -> object code -> one sealed ELF shared object, as docs/module-format.md has it. LLVM runs in this
// process; the linker (ld.lld-19) runs as a program on files in a private folder that is removed in every case.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_VECTORTOMODULE_OBJECTCODE_H
#define NOVA_COMPILER_CONVERSION_VECTORTOMODULE_OBJECTCODE_H

#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace nova {

/// What a module is made of. The MLIR modules are read only.
struct ModuleInput {
  /// Results of tilesToVector, each for its target; and the result of tilesToLayout, with the first target.
  std::vector<std::pair<TargetInfo, mlir::ModuleOp>> parts;
  /// The text of the section .nova.manifest.
  std::string manifestJson;
};

/// The form in which one part is printed.
enum class CodeForm { llvm, assembly };

/// One part as text: optimized LLVM IR, or the target's assembly.
std::string printCode(mlir::ModuleOp part, const TargetInfo &target, CodeForm form);

/// The bytes of the sealed module of at least one part. Equal inputs give equal bytes. Errors: no linker, or one that
/// fails or writes something else, no disk. Leaves no file behind. Thread-safe on different contexts.
llvm::Expected<std::vector<char>> buildModule(const ModuleInput &input);

} // namespace nova

#endif
