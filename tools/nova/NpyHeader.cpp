#include "tools/nova/NpyHeader.h"
#include "tools/nova/DataFault.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace nova::tool {
namespace {
// Reads the text from the front; the first fault ends it.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  Expected<NpyHeader> run() {
    bool seen[3] = {};
    if (!take('{'))
      return fault("expected '{'");
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return fault("expected a key and ':'");
      int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0)
        return fault("expected the keys descr, fortran_order and shape, found '" + printable(key) + "'");
      if (seen[which])
        return fault("the key " + key + " is given twice");
      seen[which] = true;
      if (Error error = which == 0 ? type() : which == 1 ? order() : shape())
        return std::move(error);
      if (!take(',') && !peek('}'))
        return fault("expected ',' or '}'");
    }
    skip();
    if (!rest.empty())
      return fault("expected only spaces after '}'");
    if (!seen[0] || !seen[1] || !seen[2])
      return fault("expected the keys descr, fortran_order and shape");
    return header;
  }

private:
  static Error fault(const Twine &message) { return dataFault("wrong .npy header: " + message); }

  void skip() { rest = rest.ltrim(" \t\r\n"); }
  bool peek(char c) {
    skip();
    return rest.starts_with(StringRef(&c, 1));
  }
  bool take(char c) { return peek(c) && rest.consume_front(StringRef(&c, 1)); }
  bool takeWord(StringRef word) {
    skip();
    return rest.consume_front(word);
  }

  bool string(std::string &value) {
    skip();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  Error type() {
    if (peek('['))
      return dataFault("expected plain numbers, found records with fields");
    if (!string(header.type))
      return fault("expected a string for descr");
    return Error::success();
  }

  Error order() {
    if (takeWord("True"))
      header.fortranOrder = true;
    else if (!takeWord("False"))
      return fault("expected True or False for fortran_order");
    return Error::success();
  }

  Error shape() {
    if (!take('('))
      return fault("expected a tuple for shape");
    while (!take(')')) {
      skip();
      StringRef digits = rest.take_while([](char c) { return isDigit(c); });
      int64_t size;
      if (digits.empty())
        return fault("expected sizes of 0 or more in shape");
      if (digits.getAsInteger(10, size))
        return fault("size " + digits.take_front(40) + " is out of range");
      rest = rest.drop_front(digits.size());
      rest.consume_front("L"); // Python 2 wrote long integers so
      header.shape.push_back(size);
      if (header.shape.size() > 64)
        return fault("expected at most 64 axes");
      if (!take(',') && !peek(')'))
        return fault("expected ',' or ')' in shape");
    }
    return Error::success();
  }

  StringRef rest;
  NpyHeader header;
};
} // namespace

Expected<NpyHeader> parseNpyHeader(StringRef text) { return HeaderParser(text).run(); }
} // namespace nova::tool
