// The graphs, lines and names of a text that may still be in the making.
#ifndef NOVA_TOOLS_SOURCE_SOURCEOUTLINE_H
#define NOVA_TOOLS_SOURCE_SOURCEOUTLINE_H

#include "tools/source/SourceTokens.h"

namespace nova::tool {
/// `%a, %b = call @f(%x) : f64[n], f64[n]`, or what is there of it. Offsets are into the text.
struct OutlineLine {
  size_t begin, end; // of its tokens
  bool isReturn;
  std::vector<llvm::StringRef> defines; // with %
  std::vector<llvm::StringRef> uses;
};

struct OutlineGraph {
  size_t begin = 0;                       // of the word `graph`
  llvm::StringRef name;                   // without @, a part of the text
  std::vector<llvm::StringRef> arguments; // with %, parts of the text
  size_t body = 0;                        // behind `{`, or `end` where there is none
  size_t end = 0;                         // behind `}`; where it is missing, where the next graph begins
  bool closed = false;
  std::vector<OutlineLine> lines;

  bool hasBody() const { return body < end || closed; }
  /// The line that has the place, or the last one before it; null before the first.
  const OutlineLine *lineAt(size_t offset) const;
};

/// A graph begins at the word `graph` and a name: the first of a text, or first in a line, also where the one before
/// has no end. Names before `=`, `return` and whatever begins a line that nothing announces begin a line of a body.
/// Names refer to `source`, which may be any bytes.
std::vector<OutlineGraph> outlineSource(llvm::StringRef source);
/// The graph that has the place, or null.
const OutlineGraph *graphAt(const std::vector<OutlineGraph> &graphs, size_t offset);
} // namespace nova::tool

#endif
