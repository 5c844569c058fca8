//===- TilesToVector.h - Kernels over row blocks become vector code ----------===//
//
// Lowers the dialect `tile` to functions in scf, arith, math, vector and LLVM pointers, for one named target. What
// every op becomes is described in README.md; the kernels' interface is the one of docs/module-format.md.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_TILESTOVECTOR_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_TILESTOVECTOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir {
class DialectRegistry;
}

namespace nova {

/// A named target. Its features are those of the name, never the host's.
struct TargetInfo {
  std::string name;     ///< as in manifests: "x86-64-v3"
  std::string suffix;   ///< of its functions: "_v3"
  unsigned vectorBits;  ///< width of its vectors
  std::string cpu;      ///< LLVM's -mcpu
  std::string features; ///< LLVM's -mattr, for tuning
  /// Sums go on over chunks in whatever is at hand. For measuring what the canonical order costs, and for nothing else:
  /// the results are not those of docs/arithmetic.md.
  bool freeOrder = false;
};

/// The targets that code can be generated for, the least demanding first.
llvm::ArrayRef<TargetInfo> knownTargets();

/// The target of this name, or null.
const TargetInfo *findTarget(llvm::StringRef name);

/// Registers the dialects that the functions below create.
void registerVectorDialects(mlir::DialectRegistry &registry);

/// The kernels of `tiles`, lowered for `target`: a module with one public function per `tile.kernel`, named after it
/// with the target's suffix, and internal functions for its parts. Fails with a diagnostic at an op that breaks the
/// contract of TileOps.td. Does not change `tiles`; thread-safe on different contexts.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> tilesToVector(mlir::ModuleOp tiles, const TargetInfo &target);

/// What all targets of a module share: `nova_scratch_<kernel>` for every kernel, `nova_bytes_<name>` for every
/// `tile.storage`, a constant for every `tile.data`. Compile it once per module, for the first of its targets.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> tilesToLayout(mlir::ModuleOp tiles);

} // namespace nova

#endif
