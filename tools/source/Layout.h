// The canonical layout of graph files.
#ifndef NOVA_TOOLS_SOURCE_LAYOUT_H
#define NOVA_TOOLS_SOURCE_LAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nova::tool {
/// `source`, the text of a graph file that has been parsed, in its canonical layout:
///  - a graph's first line at the margin, its lines indented by two spaces, the `=` of neighbouring lines below each
///    other; a blank line ends a neighbourhood, names beyond 20 characters stand apart;
///  - one space or none between tokens, by what they are; lines of at most 120 characters where there is a place to
///    break: before `->`, `where` and `:`, else after a comma, of the outermost brackets first; what goes on is
///    indented by four more;
///  - one blank line between graphs, elsewhere at most one, and none at the beginning or the end of a graph;
///  - comments stay where they are: behind the token that they follow in a line, or on a line of their own. Only a
///    `///` behind a graph's end moves to its own line: it describes the next graph.
/// The tokens and their order stay, so a text means what it meant; formatting twice changes nothing more. Of a text
/// that is no graph file the result is unspecified but safe.
std::string formatSource(llvm::StringRef source);
} // namespace nova::tool

#endif
