#include "tools/source/SourceTokens.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nova::tool {
static bool isDigitChar(char c) { return isDigit(c); }
static bool continuesWord(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '.'; }
// A value's name may hold what would be a sign elsewhere.
static bool continuesValue(char c) { return continuesWord(c) || c == '-'; }

// The length of a number as the language reads it: digits, a fraction, an exponent only where digits follow.
static size_t numberLength(StringRef text) {
  size_t end = text.take_while(isDigitChar).size();
  if (text.substr(end).starts_with("."))
    end += 1 + text.substr(end + 1).take_while(isDigitChar).size();
  StringRef rest = text.substr(end);
  if (rest.consume_front("e") || rest.consume_front("E")) {
    size_t sign = !rest.empty() && (rest[0] == '+' || rest[0] == '-');
    if (size_t digits = rest.substr(sign).take_while(isDigitChar).size())
      end += 1 + sign + digits;
  }
  return end;
}

static SourceToken cutFront(StringRef text) {
  char c = text[0];
  if (text.starts_with("//")) {
    StringRef line = text.take_until([](char c) { return c == '\n' || c == '\r'; });
    return {SourceToken::Comment, line.rtrim()};
  }
  if (c == '%') {
    StringRef name = text.substr(1);
    bool numbered = !name.empty() && isDigit(name[0]);
    return {SourceToken::Value, text.take_front(1 + name.take_while(numbered ? isDigitChar : continuesValue).size())};
  }
  if (c == '@')
    return {SourceToken::Symbol, text.take_front(1 + text.substr(1).take_while(continuesWord).size())};
  if (isAlpha(c) || c == '_')
    return {SourceToken::Word, text.take_while(continuesWord)};
  if (isDigit(c))
    return {SourceToken::Number, text.take_front(numberLength(text))};
  return {SourceToken::Sign, text.take_front(text.starts_with("->") ? 2 : 1)};
}

std::vector<SourceToken> tokenizeSource(StringRef source) {
  std::vector<SourceToken> tokens;
  unsigned lineBreaks = 0;
  for (StringRef rest = source; !rest.empty();) {
    if (rest.consume_front("\r\n") || rest.consume_front("\n") || rest.consume_front("\r")) {
      lineBreaks++;
    } else if (isSpace(rest[0])) {
      rest = rest.drop_front();
    } else {
      SourceToken token = cutFront(rest);
      token.lineBreaks = std::exchange(lineBreaks, 0);
      rest = rest.drop_front(token.text.size());
      tokens.push_back(token);
    }
  }
  return tokens;
}
} // namespace nova::tool
