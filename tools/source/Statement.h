// One line of a graph, or its first one, as pieces that know which space stands before them and where a line may break.
#ifndef NOVA_TOOLS_SOURCE_STATEMENT_H
#define NOVA_TOOLS_SOURCE_STATEMENT_H

#include "tools/source/SourceTokens.h"
#include "llvm/ADT/ArrayRef.h"
#include <limits>

namespace nova::tool {
/// The rank of a place where no line may break.
constexpr unsigned noBreak = std::numeric_limits<unsigned>::max();

struct Piece {
  const SourceToken *token;
  bool space = false;           // before it, unless it begins a line
  size_t padding = 0;           // more spaces there
  unsigned breakRank = noBreak; // of the place before it; lines break at the lowest first
  bool beginsRow = false;       // a list inside a list: a line of its own where lines break

  bool isComment() const { return token->kind == SourceToken::Comment; }
  size_t width() const { return padding + space + token->text.size(); }
};

struct Statement {
  std::vector<Piece> pieces;
  size_t equals = 0;    // the piece `=` after the names, 0 for none
  size_t leftWidth = 0; // of the names, 0 where they do not stand in one piece before `=`
};

/// From `graph` to `{`.
Statement makeHeader(llvm::ArrayRef<SourceToken> tokens);
/// A line of a body: an operation, `return`, or a comment alone.
Statement makeStatement(llvm::ArrayRef<SourceToken> tokens);
/// The indices of the tokens of a body at which its operations and `return` begin, in order. Line breaks do not count:
/// names before `=` begin an operation.
std::vector<size_t> statementStarts(llvm::ArrayRef<SourceToken> body);

bool opensBracket(const SourceToken &token);
bool closesBracket(const SourceToken &token);
} // namespace nova::tool

#endif
