#include "compiler/pipeline/SourceScan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"

using llvm::StringRef;
using llvm::Twine;

namespace nova {
namespace {
bool startsWord(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  SourceScan run() {
    if (checkEncoding())
      while (at < text.size() && !result.fault)
        step();
    return std::move(result);
  }

private:
  void fail(size_t offset, const Twine &message) { result.fault = SourceFault{offset, message.str()}; }

  bool checkEncoding() {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
    const auto *p = begin, *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
    if (!llvm::isLegalUTF8String(&p, end)) {
      fail(p - begin,
           "expected UTF-8 text, found the byte 0x" + llvm::toHex(StringRef(text.data() + (p - begin), 1), true));
      return false;
    }
    return true;
  }

  void step() {
    char c = text[at];
    bool newline = c == '\n' || (c == '\r' && !text.substr(at).starts_with("\r\n"));
    if (newline) {
      // A blank line parts a comment from the graph below it.
      if (lineIsBlank)
        doc.clear();
      lineIsBlank = true;
      at++;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      at++;
    } else if (text.substr(at).starts_with("//")) {
      comment();
    } else {
      lineIsBlank = false;
      if (c == '%' || c == '@')
        name();
      else if (startsWord(c))
        word();
      else if (llvm::isDigit(c))
        number();
      else
        punctuation(c);
      previous = c;
      doc.clear(); // only what stands right above a graph documents it
    }
  }

  void comment() {
    StringRef line = text.substr(at).take_until([](char c) { return c == '\n' || c == '\r'; });
    at += line.size();
    lineIsBlank = false;
    if (!line.starts_with("///")) {
      doc.clear();
      return;
    }
    if (!doc.empty())
      doc += '\n';
    StringRef words = line.drop_front(3).rtrim();
    words.consume_front(" ");
    doc += words;
  }

  // `%x` and `@a.b`: a name after the sign, whose words say nothing.
  void name() {
    at++;
    while (at < text.size() && continuesWord(text[at]))
      at++;
  }

  // MLIR reads `1.5e3` as a number; an `e` or `x` inside is no word.
  void number() {
    while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '.'))
      at++;
  }

  void word() {
    size_t start = at;
    while (at < text.size() && continuesWord(text[at]))
      at++;
    StringRef found = text.slice(start, at);
    if (braces == 0 && nesting == 0 && angles == 0 && !inHeader) {
      if (found != "graph")
        return fail(start, "expected graph, found '" + found + "'");
      inHeader = true;
      result.docs.push_back(doc);
      doc.clear();
    } else if (found == "where" && inHeader && (previous == ']' || previous == ')')) {
      inClauses = true;
    }
    if (found.contains('.'))
      fail(start, "unknown operation '" + found + "'");
  }

  void punctuation(char c) {
    size_t start = at++;
    switch (c) {
    case '{':
      if (braces++ == 0 && inHeader)
        inClauses = false;
      break;
    case '(':
    case '[':
      nesting++;
      break;
    case '<':
      // Among clauses it compares.
      angles += !inClauses;
      break;
    case '}':
      braces -= braces > 0;
      if (braces == 0)
        inHeader = false;
      break;
    case ')':
    case ']':
      nesting -= nesting > 0;
      break;
    case '>':
      angles -= angles > 0 && previous != '-' && !inClauses;
      break;
    case '=':
    case ',':
    case ':':
    case '+':
    case '-':
    case '*':
      break;
    default:
      return fail(start, unexpected(start));
    }
    if (braces + nesting + angles > maxNesting)
      return fail(start, "brackets are nested deeper than " + Twine(maxNesting));
    if (braces == 0 && !inHeader && c != '}')
      fail(start, "expected graph, found '" + Twine(c) + "'");
  }

  std::string unexpected(size_t start) const {
    unsigned char c = text[start];
    if (c < 0x20 || c == 0x7f)
      return "unexpected character 0x" + llvm::toHex(StringRef(text.data() + start, 1), true) + " in a graph";
    size_t length = std::max(1u, llvm::getNumBytesForUTF8(c));
    StringRef found = text.substr(start, length);
    if (found == "\xef\xbb\xbf")
      return "unexpected byte order mark";
    return ("unexpected character '" + found + "' in a graph").str();
  }

  StringRef text;
  size_t at = 0;
  unsigned braces = 0, nesting = 0, angles = 0;
  bool inHeader = false;  // from `graph` to the end of its body
  bool inClauses = false; // from `where` after a result to the body
  bool lineIsBlank = true;
  char previous = 0; // the last character that is neither space nor comment
  std::string doc;
  SourceScan result;
};
} // namespace

SourceScan scanSource(StringRef text) { return Scanner(text).run(); }
} // namespace nova
