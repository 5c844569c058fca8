// The protocol: messages in, replies out.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_SERVER_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_SERVER_H

#include "compiler/pipeline/Program.h"
#include <cstdio>

namespace nova::lsp {
/// Serves one client until it says `exit` or goes away. 0 when it has said `shutdown` before, else 1. Called graphs are
/// looked up as `options` says.
int serve(std::FILE *in, llvm::raw_ostream &out, const SourceOptions &options);
} // namespace nova::lsp

#endif
