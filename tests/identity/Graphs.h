// Graphs from text, for the tests of identity.
#ifndef NOVA_TESTS_IDENTITY_GRAPHS_H
#define NOVA_TESTS_IDENTITY_GRAPHS_H

#include "compiler/identity/GraphHash.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace nova::test {
/// Graphs parsed from text; a test fails when the text is not valid.
class Graphs {
public:
  explicit Graphs(const std::string &text);
  /// The last graph of the text, or the named one.
  GraphOp graph(llvm::StringRef name = "");
  mlir::ModuleOp module() { return *owned; }
  Hash pin(llvm::StringRef name = "");
  Hash semantic(llvm::StringRef name = "");

private:
  mlir::OwningOpRef<mlir::ModuleOp> owned;
};

/// The context that all graphs of the tests share.
mlir::MLIRContext &context();
/// Both hashes of the last graph of a text, in hex.
std::string pinOf(const std::string &text);
std::string semanticOf(const std::string &text);
/// The numbered stored form of the last graph of a text.
std::string storedText(const std::string &text);
/// A file of the repository.
std::string readFile(const std::string &path);
} // namespace nova::test

#endif
