// Places of the protocol (lines and columns from 0) in a text, and the tokens there. Columns count bytes: only
// comments, which end their lines, may hold other characters.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_PLACES_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_PLACES_H

#include "mlir/Tools/lsp-server-support/Protocol.h"
#include "tools/source/SourceTokens.h"
#include <optional>

namespace nova::lsp {
size_t toOffset(llvm::StringRef text, mlir::lsp::Position position);
mlir::lsp::Position toPosition(llvm::StringRef text, size_t offset);
/// The token that has the place; of two that touch there a name.
std::optional<tool::SourceToken> tokenAt(llvm::StringRef text, size_t offset);
/// Where the token at this place is, at a line's end the one before; one character where there is none.
mlir::lsp::Range tokenRange(llvm::StringRef text, size_t offset);
} // namespace nova::lsp

#endif
