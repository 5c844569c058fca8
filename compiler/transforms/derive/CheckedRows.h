// Operands at which an operation may fail, which an extend must look at exactly where the whole graph does.
#ifndef NOVA_COMPILER_TRANSFORMS_DERIVE_CHECKEDROWS_H
#define NOVA_COMPILER_TRANSFORMS_DERIVE_CHECKEDROWS_H

#include "compiler/transforms/derive/Versions.h"

namespace nova {
/// A 0 among the divisors of integers is an error of a whole run, and so is an index outside its axis. So that it is
/// one of some piece too, and of the same rows, every entry that counts must be computed by the extend, when its row
/// comes.
struct CheckedRows {
  /// The operands, with the entries that count and are computed with row i.
  llvm::SmallVector<KeptRows> rows;
  /// Set when it is not so: why, and where.
  std::string refusal;
  std::optional<mlir::Location> refusalLoc;
};
CheckedRows findCheckedRows(GraphOp core, const Dependence &dependence, const NeededVersions &needed,
                            const Facts &facts);
} // namespace nova

#endif
