#include "tools/source/Layout.h"
#include "tools/source/SourceTokens.h"
#include "tools/source/Statement.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nova::tool {
static constexpr size_t maxColumns = 120, bodyIndent = 2, moreIndent = 4, widestAligned = 20;

namespace {
// A line of a graph's body: an operation with its comments, or a comment alone.
struct BodyLine {
  ArrayRef<SourceToken> tokens;
  bool blankBefore;
};

class Formatter {
public:
  explicit Formatter(ArrayRef<SourceToken> tokens) : rest(tokens) {}

  std::string run() {
    while (!rest.empty()) {
      if (rest.front().kind == SourceToken::Comment)
        topLevelComment();
      else
        graph();
    }
    endLine();
    return std::move(out);
  }

private:
  size_t column() const { return out.size() - lineStart; }
  bool atLineStart() const { return column() == lineIndent; }
  void endLine() {
    if (!out.empty() && out.back() != '\n')
      out += '\n';
  }
  void newLine(size_t indent, bool blankBefore = false) {
    endLine();
    if (blankBefore && !out.empty())
      out += '\n';
    lineStart = out.size();
    lineIndent = indent;
    out.append(indent, ' ');
  }
  void trailing(const SourceToken &comment) { (out += "  ") += comment.text; }

  void topLevelComment() {
    const SourceToken &comment = rest.front();
    rest = rest.drop_front();
    if (afterGraph && comment.lineBreaks == 0 && !comment.text.starts_with("///"))
      return trailing(comment);
    newLine(0, std::exchange(afterGraph, false) || comment.lineBreaks > 1);
    out += comment.text;
  }

  // Takes tokens up to and including the next `sign` outside brackets.
  ArrayRef<SourceToken> takeThrough(StringRef sign) {
    size_t depth = 0, i = 0;
    for (; i < rest.size(); i++) {
      if (depth == 0 && i && rest[i].is(sign))
        break;
      depth += opensBracket(rest[i]);
      depth -= depth && closesBracket(rest[i]);
    }
    ArrayRef<SourceToken> taken = rest.take_front(i + 1);
    rest = rest.drop_front(taken.size());
    return taken;
  }

  void graph() {
    newLine(0, afterGraph || rest.front().lineBreaks > 1);
    statement(makeHeader(takeThrough("{")), moreIndent);
    if (!rest.empty() && rest.front().kind == SourceToken::Comment && rest.front().lineBreaks == 0) {
      trailing(rest.front());
      rest = rest.drop_front();
    }
    // The body with its closing brace.
    ArrayRef<SourceToken> inside = rest;
    size_t depth = 1, end = 0;
    for (; end < inside.size(); end++) {
      depth += inside[end].is("{");
      depth -= inside[end].is("}");
      if (depth == 0)
        break;
    }
    inside = inside.take_front(end);
    body(inside);
    newLine(0);
    out += '}';
    rest = rest.drop_front(std::min(end + 1, rest.size()));
    afterGraph = true;
  }

  void body(ArrayRef<SourceToken> tokens) {
    std::vector<BodyLine> lines;
    std::vector<Statement> statements;
    size_t begin = 0;
    auto finish = [&](size_t end) {
      // Comments on lines of their own after an operation are lines of their own.
      while (begin < end) {
        size_t last = begin + 1;
        if (tokens[begin].kind != SourceToken::Comment) {
          last = end;
          while (tokens[last - 1].kind == SourceToken::Comment)
            last--;
        }
        if (last < end && tokens[last].kind == SourceToken::Comment && tokens[last].lineBreaks == 0)
          last++;
        lines.push_back({tokens.slice(begin, last - begin), !lines.empty() && tokens[begin].lineBreaks > 1});
        begin = last;
      }
    };
    for (size_t start : statementStarts(tokens))
      finish(start);
    finish(tokens.size());

    for (const BodyLine &line : lines)
      statements.push_back(makeStatement(line.tokens));
    align(lines, statements);
    for (auto [line, pieces] : zip_equal(lines, statements)) {
      newLine(bodyIndent, line.blankBefore);
      statement(pieces, bodyIndent + moreIndent);
    }
  }

  // Pads the `=` of each neighbourhood to one column.
  static void align(ArrayRef<BodyLine> lines, MutableArrayRef<Statement> statements) {
    for (size_t begin = 0, end; begin < lines.size(); begin = end) {
      end = begin + 1;
      while (end < lines.size() && !lines[end].blankBefore)
        end++;
      MutableArrayRef<Statement> near = statements.slice(begin, end - begin);
      size_t widest = 0;
      for (const Statement &each : near)
        if (each.leftWidth <= widestAligned)
          widest = std::max(widest, each.leftWidth);
      for (Statement &each : near)
        if (each.leftWidth && each.leftWidth <= widestAligned)
          each.pieces[each.equals].padding = widest - each.leftWidth;
    }
  }

  void statement(const Statement &statement, size_t indent) {
    ArrayRef<Piece> left = statement.pieces;
    while (!left.empty()) {
      ArrayRef<Piece> run = left.take_until([](const Piece &piece) { return piece.isComment(); });
      left = left.drop_front(run.size());
      lay(run, indent);
      if (left.empty())
        return;
      const SourceToken &comment = *left.front().token;
      left = left.drop_front();
      if (comment.lineBreaks == 0 && !atLineStart()) {
        trailing(comment);
      } else {
        if (!atLineStart())
          newLine(indent);
        out += comment.text;
      }
      if (!left.empty())
        newLine(indent);
    }
  }

  void put(const Piece &piece) {
    if (!atLineStart())
      out.append(piece.padding + piece.space, ' ');
    out += piece.token->text;
  }

  // In this line where it fits; else broken at the outermost places, as few lines as they need.
  void lay(ArrayRef<Piece> pieces, size_t indent) {
    if (pieces.empty())
      return;
    unsigned outermost = noBreak;
    for (const Piece &piece : pieces.drop_front())
      outermost = std::min(outermost, piece.breakRank);
    if (outermost == noBreak || fits(pieces)) {
      for (const Piece &piece : pieces)
        put(piece);
      return;
    }
    for (bool first = true; !pieces.empty(); first = false) {
      size_t count = 1;
      while (count < pieces.size() && pieces[count].breakRank != outermost)
        count++;
      ArrayRef<Piece> part = pieces.take_front(count);
      pieces = pieces.drop_front(count);
      if (!first && (part.front().beginsRow || !fits(part)))
        newLine(indent);
      lay(part, indent);
    }
  }

  bool fits(ArrayRef<Piece> pieces) const {
    // What begins a line needs no space before it.
    size_t end = column() - (atLineStart() ? pieces.front().width() - pieces.front().token->text.size() : 0);
    for (const Piece &piece : pieces) {
      end += piece.width();
      if (end > maxColumns)
        return false;
    }
    return true;
  }

  ArrayRef<SourceToken> rest;
  std::string out;
  size_t lineStart = 0, lineIndent = 0;
  bool afterGraph = false; // nothing but the graph's end and its comment stand before
};
} // namespace

std::string formatSource(StringRef source) { return Formatter(tokenizeSource(source)).run(); }
} // namespace nova::tool
