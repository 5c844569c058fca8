// The text of a graph file as a list of tokens that loses nothing but spaces.
#ifndef NOVA_TOOLS_SOURCE_SOURCETOKENS_H
#define NOVA_TOOLS_SOURCE_SOURCETOKENS_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace nova::tool {
struct SourceToken {
  enum Kind {
    Word,    // `graph`, `f64`, `reduce_sum`, `n`
    Value,   // `%x`
    Symbol,  // `@std.nn.f`
    Number,  // `3`, `2.5e-3`; a sign in front is a token of its own
    Sign,    // `->` or one other character
    Comment, // `// ...` to the end of its line, without the spaces there
  };
  Kind kind;
  llvm::StringRef text;    // part of the text that was cut
  unsigned lineBreaks = 0; // between the token before, or the beginning, and this one

  size_t begin(llvm::StringRef source) const { return text.data() - source.data(); }
  bool is(llvm::StringRef word) const { return kind != Comment && text == word; }
};

/// Cuts `source` as MLIR's lexer does, and keeps the comments. Any bytes are allowed; what begins no token is a Sign.
/// The tokens refer to `source`.
std::vector<SourceToken> tokenizeSource(llvm::StringRef source);
} // namespace nova::tool

#endif
