#include "tools/nova-lsp-server/Places.h"
#include "tools/nova-lsp-server/Finding.h"

using namespace llvm;

namespace nova::lsp {
size_t toOffset(StringRef text, mlir::lsp::Position position) {
  size_t begin = offsetOf(text, std::max(0, position.line) + 1, 1);
  size_t end = std::min(text.find('\n', begin), text.size());
  return std::min(end, begin + std::max(0, position.character));
}

mlir::lsp::Position toPosition(StringRef text, size_t offset) {
  auto [line, column] = lineAndColumn(text, offset);
  return mlir::lsp::Position(line - 1, column - 1);
}

std::optional<tool::SourceToken> tokenAt(StringRef text, size_t offset) {
  // No token goes over a line's end.
  size_t begin = text.take_front(offset).rfind('\n') + 1, end = std::min(text.find('\n', offset), text.size());
  std::optional<tool::SourceToken> found;
  for (const tool::SourceToken &token : tool::tokenizeSource(text.slice(begin, end))) {
    size_t at = token.begin(text);
    bool touches = at <= offset && offset <= at + token.text.size();
    if (touches && (!found || found->kind == tool::SourceToken::Sign))
      found = token;
  }
  return found;
}

mlir::lsp::Range tokenRange(StringRef text, size_t offset) {
  std::optional<tool::SourceToken> token = tokenAt(text, offset);
  bool endsLine = offset == text.size() || text[offset] == '\n' || text[offset] == '\r';
  if (!token || (token->begin(text) + token->text.size() == offset && !endsLine))
    return mlir::lsp::Range(toPosition(text, offset), toPosition(text, std::min(text.size(), offset + 1)));
  size_t begin = token->begin(text);
  return mlir::lsp::Range(toPosition(text, begin), toPosition(text, begin + token->text.size()));
}
} // namespace nova::lsp
