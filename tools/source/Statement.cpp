#include "tools/source/Statement.h"
#include <algorithm>

using namespace llvm;

namespace nova::tool {
static bool isOneOf(const SourceToken &token, StringRef signs) {
  return token.kind == SourceToken::Sign && token.text.size() == 1 && signs.contains(token.text[0]);
}
bool opensBracket(const SourceToken &token) { return isOneOf(token, "([{"); }
bool closesBracket(const SourceToken &token) { return isOneOf(token, ")]}"); }

namespace {
// Goes through the tokens and keeps what decides about the place before each.
class PieceMaker {
public:
  explicit PieceMaker(bool header) : header(header) {}

  Statement run(ArrayRef<SourceToken> tokens) {
    for (const SourceToken &token : tokens)
      add(token);
    if (result.equals && !any_of(ArrayRef(result.pieces).take_front(result.equals),
                                 [](const Piece &piece) { return piece.isComment(); }))
      for (size_t i = 0; i < result.equals; i++)
        result.leftWidth += result.pieces[i].width();
    return std::move(result);
  }

private:
  // What part of the line the next token stands in.
  enum Part {
    Front,   // a header up to its clauses; in a body the names before `=`
    Rest,    // what follows `=`
    Types,   // what follows `:` there
    Clauses, // what follows `where` in a header
  };

  void add(const SourceToken &token) {
    Piece piece{&token};
    if (token.kind == SourceToken::Comment) {
      result.pieces.push_back(piece);
      return;
    }
    if (header && token.is("where") && previous && isOneOf(*previous, "])")) {
      part = Clauses;
      piece.breakRank = 0;
    }
    bool closes = closesBracket(token) || closesParameters(token);
    depth -= depth && closes;
    bool unary = isUnary(token);
    piece.space = previous && spaceBefore(token);
    if (piece.space || (previous && previous->is(",")))
      rankBreak(piece, token, unary);
    depth += opensBracket(token) || opensParameters(token);
    if (!header && depth == 0 && part == Front && token.is("=")) {
      part = Rest;
      result.equals = result.pieces.size();
    } else if (part == Rest && depth == 0 && token.is(":")) {
      part = Types;
    }
    afterUnary = unary;
    afterOperation = previous && part == Rest && previous->is("=") && token.kind == SourceToken::Word;
    previous = &token;
    result.pieces.push_back(piece);
  }

  // `<` and `>` around type parameters; among clauses they compare.
  bool opensParameters(const SourceToken &token) const { return header && part == Front && token.is("<"); }
  bool closesParameters(const SourceToken &token) const { return header && part == Front && token.is(">"); }

  bool isUnary(const SourceToken &token) const {
    if (!isOneOf(token, "+-"))
      return false;
    return !previous || afterOperation || previous->is("where") ||
           (previous->kind == SourceToken::Sign && !closesBracket(*previous));
  }

  bool spaceBefore(const SourceToken &token) const {
    if (token.is(",") || closesBracket(token) || closesParameters(token))
      return token.is("}");
    if (afterUnary || isOneOf(*previous, "([") || opensParameters(*previous))
      return false;
    if (token.is(":"))
      return !header && depth == 0 && part != Front;
    if (token.is("("))
      return afterOperation || previous->is("->") || isOneOf(*previous, ",=:+-*");
    if (token.is("["))
      return previous->kind != SourceToken::Word || afterOperation || !(header || depth || part == Types);
    if (opensParameters(token))
      return false;
    if (part == Clauses && token.is("="))
      return !isOneOf(*previous, "<>=");
    return header || part != Front || !previous->is(":"); // `%a:2`
  }

  void rankBreak(Piece &piece, const SourceToken &token, bool unary) {
    // Sums break last of all.
    constexpr unsigned sums = 1 << 16;
    if (previous->is(",")) {
      piece.breakRank = 1 + depth;
      piece.beginsRow = depth && token.is("[");
    } else if (header ? part == Front && depth == 0 && token.is("->") : part == Rest && depth == 0 && token.is(":")) {
      piece.breakRank = 0;
    } else if (isOneOf(token, "+-") && !unary) {
      piece.breakRank = sums + depth;
    }
  }

  const bool header;
  Part part = Front;
  unsigned depth = 0;
  bool afterUnary = false;     // the token before is a sign of what comes
  bool afterOperation = false; // the token before is the operation's name
  const SourceToken *previous = nullptr;
  Statement result;
};
} // namespace

Statement makeHeader(ArrayRef<SourceToken> tokens) { return PieceMaker(/*header=*/true).run(tokens); }
Statement makeStatement(ArrayRef<SourceToken> tokens) { return PieceMaker(/*header=*/false).run(tokens); }

// Where the names before an `=` begin: `%a`, `%a, %b` or `%a:2`. `words` are the tokens before it, without comments.
static const SourceToken *firstName(ArrayRef<const SourceToken *> words) {
  const SourceToken *first = nullptr;
  while (!words.empty()) {
    if (words.size() > 2 && words.back()->kind == SourceToken::Number && words[words.size() - 2]->is(":"))
      words = words.drop_back(2);
    if (words.back()->kind != SourceToken::Value)
      break;
    first = words.back();
    words = words.drop_back();
    if (words.empty() || !words.back()->is(","))
      break;
    words = words.drop_back();
  }
  return first;
}

std::vector<size_t> statementStarts(ArrayRef<SourceToken> body) {
  std::vector<size_t> starts;
  std::vector<const SourceToken *> words;
  unsigned depth = 0;
  for (const SourceToken &token : body) {
    if (token.kind == SourceToken::Comment)
      continue;
    const SourceToken *start = nullptr;
    if (depth == 0 && token.is("="))
      start = firstName(words);
    else if (depth == 0 && token.is("return") && (words.empty() || !words.back()->is("=")))
      start = &token;
    if (start)
      starts.push_back(start - body.data());
    depth += opensBracket(token);
    depth -= depth && closesBracket(token);
    words.push_back(&token);
  }
  return starts;
}
} // namespace nova::tool
