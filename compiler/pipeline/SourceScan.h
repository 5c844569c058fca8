// A look at a file's text before MLIR's parser sees it: what that parser could not survive, and the doc comments.
#ifndef NOVA_COMPILER_PIPELINE_SOURCESCAN_H
#define NOVA_COMPILER_PIPELINE_SOURCESCAN_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace nova {
/// Brackets may nest this deep; MLIR's parser recurses once per level and would overflow its stack.
constexpr unsigned maxNesting = 256;

/// A fault of the text and where it is, as an offset into it.
struct SourceFault {
  size_t offset;
  std::string message;
};

struct SourceScan {
  /// The `///` comment above each top-level `graph`, in order; lines joined by newlines, "" where there is none.
  std::vector<std::string> docs;
  /// The first fault: bytes that are not UTF-8, a character that no graph contains outside comments, brackets nested
  /// too deep, a top-level word other than `graph`, the name of another dialect's operation. The last three keep every
  /// construct of MLIR away from the parser that the language does not have.
  std::optional<SourceFault> fault;
};

/// Scans `text` once from start to end. Pure; any bytes are allowed.
SourceScan scanSource(llvm::StringRef text);
} // namespace nova

#endif
