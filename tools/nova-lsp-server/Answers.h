// The server's replies about one text.
#ifndef NOVA_TOOLS_NOVA_LSP_SERVER_ANSWERS_H
#define NOVA_TOOLS_NOVA_LSP_SERVER_ANSWERS_H

#include "mlir/Tools/lsp-server-support/Protocol.h"
#include "tools/nova-lsp-server/Analysis.h"

namespace nova::lsp {
/// Faults and warnings, with their notes.
std::vector<mlir::lsp::Diagnostic> diagnosticsOf(const Analysis &analysis);
/// The type of a value and how results depend on it; the first line of a graph and its description.
std::optional<mlir::lsp::Hover> hoverAt(Analysis &analysis, mlir::lsp::Position position, const SourceOptions &options);
/// Where the value or graph is defined, also in another file.
std::vector<mlir::lsp::Location> definitionAt(Analysis &analysis, const mlir::lsp::URIForFile &uri,
                                              mlir::lsp::Position position, const SourceOptions &options);
/// Values after %, graphs after @, operations after =, element types after :.
mlir::lsp::CompletionList completionAt(Analysis &analysis, mlir::lsp::Position position, const SourceOptions &options);
/// Graphs, in them arguments and values.
std::vector<mlir::lsp::DocumentSymbol> symbolsOf(Analysis &analysis);
/// The edit that gives the text its canonical layout; none where it has it or does not parse.
std::vector<mlir::lsp::TextEdit> formattingOf(const Analysis &analysis);
} // namespace nova::lsp

#endif
