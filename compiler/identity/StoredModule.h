// The stored form as graphs again: for `--emit=stored`, for comparing two versions, and as what the compiler works on.
#ifndef NOVA_COMPILER_IDENTITY_STOREDMODULE_H
#define NOVA_COMPILER_IDENTITY_STOREDMODULE_H

#include "compiler/identity/GraphHash.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace nova {
enum class StoredNames {
  /// As in the source. Equal semantic hashes and equal interface names then give equal modules, locations apart; so
  /// whoever
  /// compiles such a module gets the same bytes for the same version hash.
  Own,
  /// `@g` and 16 digits of the semantic hash, `%a0`, `%0`, `s0`, `T0`; no locations. The text of two graphs is the same
  /// exactly
  /// when their semantic hashes are.
  Numbered,
};

/// A module with the stored forms of all graphs that `graph` reaches, callees first, `graph` last. `kept` are names of
/// values of `graph` (without %) that are to be found under that name in the result, whether a result needs them or
/// not; names that do not exist are ignored. Fails with a diagnostic where a semantic hash cannot be had.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
buildStoredModule(GraphHashes &hashes, GraphOp graph, StoredNames names, llvm::ArrayRef<std::string> kept = {});
/// The value of that name (without %) in the graph's block, an argument or a result of an operation, or null.
mlir::Value findValue(GraphOp graph, llvm::StringRef name);
/// The graphs of a module as text of a `.nova` file.
void printGraphs(mlir::ModuleOp module, llvm::raw_ostream &os);
} // namespace nova

#endif
