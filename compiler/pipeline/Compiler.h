// The whole way from a graph to a module: the only part of the compiler that sees all the others.
#ifndef NOVA_COMPILER_PIPELINE_COMPILER_H
#define NOVA_COMPILER_PIPELINE_COMPILER_H

#include "compiler/identity/Tokens.h"
#include "compiler/pipeline/Program.h"
#include "compiler/transforms/BindStorage.h"
#include "compiler/transforms/CoreForm.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace nova {
struct CompileOptions {
  /// Element type per type parameter, `f32` or `f64` by name; the others take their defaults.
  std::map<std::string, std::string> types;
  /// Arguments and results (probes too) of f32 that are kept in `bf16` or `f16`.
  StorageBindings storage;
  /// Named targets whose code the module holds; empty: all known CPU targets.
  std::vector<std::string> targets;
  /// Values of the entry graph that become extra results.
  std::vector<std::string> probes;
  /// The sequence symbol; empty: the leading axis of the first result.
  std::string along;
  /// Sums in any order, for a benchmark of what the canonical one costs. The results are not those of
  /// docs/arithmetic.md, and such a module's hash is none that the command line can make.
  bool freeOrder = false;
};

/// What each `--emit` prints.
enum class Stage { Stored, Core, Extend, Plan, Tiles, Vector, LLVM, Asm, Module };

struct CompiledModule {
  std::vector<char> bytes; // the ELF object
  std::string manifest;    // JSON
  std::string versionHash; // hex
};

/// The version hash of (graph, options), without compiling. On failure a diagnostic was emitted.
mlir::FailureOr<std::string> versionHash(GraphOp graph, const CompileOptions &options);
/// The same, and where the store keeps the module: that depends on this build of the compiler, and on the places in the
/// source that errors of a run name.
struct ModuleIdentity {
  std::string versionHash; // hex
  Hash storeKey;
};
mlir::FailureOr<ModuleIdentity> identifyModule(GraphOp graph, const CompileOptions &options);
/// The core form that the graph is compiled from: that of its stored form. So what runs first does not depend on how
/// the text was written, and of several operations that fail all backends tell the same one. On failure a diagnostic
/// was emitted.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> compiledCoreForm(GraphOp graph, const CompileOptions &options);
/// Compiles in process. On failure a diagnostic was emitted; `machineFailed` tells whether the machine failed (no linker,
/// a full disk) rather than the graph.
mlir::FailureOr<CompiledModule> compileGraph(GraphOp graph, const CompileOptions &options,
                                             bool *machineFailed = nullptr);
/// Prints one stage of the way. Fails likewise.
mlir::LogicalResult emitStage(GraphOp graph, const CompileOptions &options, Stage stage, llvm::raw_ostream &os,
                              bool *machineFailed = nullptr);
} // namespace nova

#endif
