#include "dialects/graph/Text.h"
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/ParseScope.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <charconv>
#include <cmath>
#include <limits>

using namespace mlir;

namespace nova {
// Where the lexer stands; the token's text can be read from there since buffers end in a zero byte.
static const char *at(AsmParser &parser) { return parser.getCurrentLocation().getPointer(); }

InFlightDiagnostic errorAt(AsmParser &parser, SMLoc loc) { return mlir::emitError(parser.getEncodedSourceLoc(loc)); }

// A minus sign whose number follows: MLIR's integer parser reads both.
static bool atNegativeNumber(AsmParser &parser) {
  const char *p = at(parser);
  if (*p++ != '-')
    return false;
  while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
    p++;
  return *p >= '0' && *p <= '9';
}

bool parseOptionalMinus(AsmParser &parser) {
  const char *p = at(parser);
  if (*p != '-' || p[1] == '>' || atNegativeNumber(parser))
    return false;
  // parseOptionalInteger consumes the sign before it asks for digits; its complaint about what follows is dropped.
  ScopedDiagnosticHandler quiet(parser.getContext(), [](Diagnostic &) { return success(); });
  int64_t ignored;
  (void)parser.parseOptionalInteger(ignored);
  return at(parser) != p;
}

// One factor: a symbol or a number; `negative` comes back true when the number's sign was read with it.
static FailureOr<DimAttr> parseFactor(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return symbolDim(parser.getContext(), word);
  const char *digits = at(parser);
  if ((*digits < '0' || *digits > '9') && *digits != '-')
    return errorAt(parser, loc) << "expected a dimension: a symbol, a number, or a sum of products of them";
  APInt value(64, 0);
  OptionalParseResult result = parser.parseOptionalInteger(value);
  if (!result.has_value() || failed(*result))
    return errorAt(parser, loc) << "expected a dimension: a symbol, a number, or a sum of products of them";
  if (!value.isSignedIntN(64))
    return errorAt(parser, loc) << "number in a dimension is out of range";
  return constantDim(parser.getContext(), value.sextOrTrunc(64).getSExtValue());
}

static FailureOr<DimAttr> parseTerm(AsmParser &parser) {
  FailureOr<DimAttr> term = parseFactor(parser);
  while (succeeded(term) && succeeded(parser.parseOptionalStar())) {
    SMLoc loc = parser.getCurrentLocation();
    FailureOr<DimAttr> factor = parseFactor(parser);
    if (failed(factor))
      return failure();
    DimAttr product = multiplyDims(*term, *factor);
    if (!product)
      return errorAt(parser, loc) << "dimension is out of range";
    term = product;
  }
  return term;
}

FailureOr<DimAttr> parseDim(AsmParser &parser) {
  DimAttr zero = constantDim(parser.getContext(), 0);
  auto combine = [&](DimAttr sum, FailureOr<DimAttr> term, bool minus, SMLoc loc) -> FailureOr<DimAttr> {
    if (failed(term))
      return failure();
    DimAttr next = minus ? subtractDims(sum, *term) : addDims(sum, *term);
    if (!next)
      return errorAt(parser, loc) << "dimension is out of range";
    // Each step makes a new attribute, so long sums would cost the square of their length.
    constexpr size_t maxTerms = 128;
    if (next.getTerms().size() / (1 + next.getAtoms().size()) > maxTerms)
      return errorAt(parser, loc) << "dimension has more than " << maxTerms << " terms";
    return next;
  };
  SMLoc loc = parser.getCurrentLocation();
  bool minus = parseOptionalMinus(parser);
  FailureOr<DimAttr> sum = combine(zero, parseTerm(parser), minus, loc);
  while (succeeded(sum)) {
    loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalPlus()))
      sum = combine(*sum, parseTerm(parser), false, loc);
    else if (parseOptionalMinus(parser))
      sum = combine(*sum, parseTerm(parser), true, loc);
    else if (atNegativeNumber(parser))
      sum = combine(*sum, parseTerm(parser), false, loc); // `n - 1`: the sign goes with the number
    else
      break;
  }
  return sum;
}

ParseResult parseDims(AsmParser &parser, SmallVectorImpl<DimAttr> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (dims.size() == maxRank)
      return errorAt(parser, parser.getCurrentLocation()) << "a tensor has at most " << maxRank << " axes";
    FailureOr<DimAttr> dim = parseDim(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    return success();
  });
}

StringRef elementTypeList() { return "f64, f32, i64, i32, i1, bf16, f16, i8, i4"; }

FailureOr<Type> parseElementType(AsmParser &parser, bool allowWeak) {
  MLIRContext *context = parser.getContext();
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return errorAt(parser, loc) << "expected an element type: " << elementTypeList() << " or a type parameter";
  Builder b(context);
  Type known = llvm::StringSwitch<Type>(word)
                   .Case("f64", b.getF64Type())
                   .Case("f32", b.getF32Type())
                   .Case("i64", b.getI64Type())
                   .Case("i32", b.getI32Type())
                   .Case("i1", b.getI1Type())
                   .Case("bf16", b.getBF16Type())
                   .Case("f16", b.getF16Type())
                   .Case("i8", b.getI8Type())
                   .Case("i4", b.getIntegerType(4))
                   .Default(Type());
  if (known)
    return known;
  auto unknown = [&] {
    return errorAt(parser, loc) << "element type " << word << " is not one of " << elementTypeList();
  };
  if (word == "weak_int" || word == "weak_float") {
    if (!allowWeak)
      return unknown();
    return word == "weak_int" ? Type(WeakIntType::get(context)) : Type(WeakFloatType::get(context));
  }
  for (StringRef other : {"f8E5M2", "f8E4M3", "tf32", "f80", "f128", "i16", "index", "none"})
    if (word == other)
      return unknown();
  if (ParseScope *scope = ParseScope::current(); scope && scope->checksSymbols && !scope->typeParams.contains(word))
    return errorAt(parser, loc) << "element type " << word << " is neither one of " << elementTypeList()
                                << " nor a type parameter";
  return Type(ParamType::get(context, b.getStringAttr(word)));
}

FailureOr<TensorType> parseTensorType(AsmParser &parser, bool allowWeak) {
  FailureOr<Type> element = parseElementType(parser, allowWeak);
  SmallVector<DimAttr> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(element) || parseDims(parser, dims))
    return failure();
  for (DimAttr dim : dims)
    if (constantValue(dim).value_or(0) < 0)
      return errorAt(parser, loc) << "size " << toString(dim) << " is below 0";
  return TensorType::get(parser.getContext(), *element, dims);
}

FailureOr<ClauseAttr> parseClause(AsmParser &parser) {
  FailureOr<DimAttr> lhs = parseDim(parser);
  if (failed(lhs))
    return failure();
  std::string relation;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalGreater()))
    relation = ">";
  else if (succeeded(parser.parseOptionalLess()))
    relation = "<";
  if (succeeded(parser.parseOptionalEqual())) {
    if (relation.empty() && failed(parser.parseOptionalEqual()))
      return errorAt(parser, loc) << "expected one of ==, >=, <=, >, <";
    relation += relation.empty() ? "==" : "=";
  }
  if (relation.empty())
    return errorAt(parser, loc) << "expected one of ==, >=, <=, >, <";
  FailureOr<DimAttr> rhs = parseDim(parser);
  if (failed(rhs))
    return failure();
  return ClauseAttr::get(parser.getContext(), *lhs, StringAttr::get(parser.getContext(), relation), *rhs);
}

// Numbers are read from the buffer itself: MLIR's tokens split `1e5` and turn 1.0e400 into infinity. `end` is where it
// ends.
static StringRef numberText(const char *p, bool &isFloat) {
  const char *q = p + (*p == '-');
  auto digits = [&] {
    const char *start = q;
    while (*q >= '0' && *q <= '9')
      q++;
    return q != start;
  };
  isFloat = false;
  if (!digits())
    return {};
  if (*q == '.') {
    isFloat = true;
    q++;
    digits();
  }
  if (*q == 'e' || *q == 'E') {
    const char *save = q++;
    if (*q == '+' || *q == '-')
      q++;
    if (digits())
      isFloat = true;
    else
      q = save;
  }
  return StringRef(p, q - p);
}

// Lets MLIR's lexer pass the number's tokens.
static ParseResult skipTo(AsmParser &parser, const char *end) {
  while (at(parser) < end) {
    const char *before = at(parser);
    StringRef word;
    if (*before == '-' || (*before >= '0' && *before <= '9')) {
      bool isFloat;
      StringRef text = numberText(before, isFloat);
      if (text.contains('.')) {
        double ignored;
        if (parser.parseFloat(ignored))
          return failure();
      } else {
        APInt ignored;
        OptionalParseResult r = parser.parseOptionalInteger(ignored);
        if (r.has_value() && failed(*r))
          return failure();
      }
    } else if (failed(parser.parseOptionalKeyword(&word))) {
      (void)parser.parseOptionalPlus();
    }
    if (at(parser) == before)
      return errorAt(parser, parser.getCurrentLocation()) << "expected a number";
  }
  return success();
}

// inf, nan, true, false; a sign was read before.
static FailureOr<Literal> wordLiteral(AsmParser &parser, SMLoc loc, StringRef word, bool minus) {
  double inf = std::numeric_limits<double>::infinity();
  if (word == "inf")
    return Literal{Literal::Float, 0, minus ? -inf : inf, loc};
  if (word == "nan" && !minus)
    return Literal{Literal::Float, 0, std::numeric_limits<double>::quiet_NaN(), loc};
  if ((word == "true" || word == "false") && !minus)
    return Literal{Literal::Bool, word == "true", 0, loc};
  return errorAt(parser, loc) << "expected a number, inf, -inf, nan, true or false, found '" << word << "'";
}

static FailureOr<Literal> integerLiteral(AsmParser &parser, SMLoc loc, StringRef text) {
  int64_t value;
  if (*text.end() == 'x' || *text.end() == 'X') // MLIR's lexer would take 0x10 as one number
    return errorAt(parser, loc) << "expected a decimal number";
  if (text.getAsInteger(10, value))
    return errorAt(parser, loc) << "integer " << text << " is out of the range of i64";
  return Literal{Literal::Int, value, 0, loc};
}

static FailureOr<Literal> floatLiteral(AsmParser &parser, SMLoc loc, StringRef text) {
  APFloat value(APFloat::IEEEdouble());
  auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return errorAt(parser, loc) << "expected a number";
  }
  if (*status & APFloat::opOverflow)
    return errorAt(parser, loc) << "number " << text << " is out of the range of f64; write inf for infinity";
  if (value.isZero() && *status != APFloat::opOK)
    return errorAt(parser, loc) << "number " << text << " is too small for f64; write 0.0 for zero";
  return Literal{Literal::Float, 0, value.convertToDouble(), loc};
}

FailureOr<Literal> parseLiteral(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  bool minus = parseOptionalMinus(parser);
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return wordLiteral(parser, loc, word, minus);
  bool isFloat = false;
  // The sign of a number is part of its text: one that was read before belongs to none.
  StringRef text = minus ? "" : numberText(at(parser), isFloat);
  if (text.empty())
    return errorAt(parser, loc) << "expected a number, inf, -inf, nan, true or false";
  FailureOr<Literal> literal = isFloat ? floatLiteral(parser, loc, text) : integerLiteral(parser, loc, text);
  if (failed(literal) || skipTo(parser, text.end()))
    return failure();
  return literal;
}

std::string rangeProblem(int64_t number, Type element) {
  bool fits =
      !isa<IntegerType>(element) || element.isInteger(1) || llvm::isIntN(element.getIntOrFloatBitWidth(), number);
  return fits ? "" : "integer " + std::to_string(number) + " is out of the range of " + elementText(element);
}

std::string rangeProblem(double number, Type element) {
  auto floating = dyn_cast<FloatType>(element);
  if (!floating || !std::isfinite(number))
    return "";
  APFloat rounded(number);
  bool inexact;
  rounded.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  std::string text = "number " + literalText(number) + " is ";
  if (rounded.isInfinity())
    return text + "out of the range of " + elementText(element) + "; write inf for infinity";
  if (rounded.isZero() && number != 0)
    return text + "too small for " + elementText(element) + "; write 0.0 for zero";
  return "";
}

std::string literalText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end);
  size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string elementText(Type element) {
  if (auto param = dyn_cast<ParamType>(element))
    return param.getName().str();
  if (isa<WeakIntType>(element))
    return "weak_int";
  if (isa<WeakFloatType>(element))
    return "weak_float";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::string toString(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type))
    return elementText(tensor.getElementType()) + toString(tensor.getDims());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===--- the generic forms of types and attributes ---===//

Type TensorType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  FailureOr<TensorType> type = parseTensorType(parser, /*allowWeak=*/true);
  if (failed(type) || parser.parseGreater())
    return {};
  return *type;
}
void TensorType::print(AsmPrinter &printer) const { printer << "<" << nova::toString(Type(*this)) << ">"; }
bool TensorType::isWeak() const { return llvm::isa<WeakIntType, WeakFloatType>(getElementType()); }

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DimAttr> dim = parseDim(parser);
  if (failed(dim) || parser.parseGreater())
    return {};
  return *dim;
}
void DimAttr::print(AsmPrinter &printer) const { printer << "<" << nova::toString(*this) << ">"; }

// In words, since MLIR wants < and > balanced in there.
static constexpr std::pair<const char *, const char *> relationWords[] = {
    {">=", "ge"}, {"<=", "le"}, {"==", "eq"}, {">", "gt"}, {"<", "lt"}};

Attribute ClauseAttr::parse(AsmParser &parser, Type) {
  StringRef word;
  if (parser.parseLess())
    return {};
  FailureOr<DimAttr> lhs = parseDim(parser);
  if (failed(lhs) || parser.parseKeyword(&word))
    return {};
  FailureOr<DimAttr> rhs = parseDim(parser);
  if (failed(rhs) || parser.parseGreater())
    return {};
  for (auto [sign, name] : relationWords)
    if (word == name)
      return get(parser.getContext(), *lhs, StringAttr::get(parser.getContext(), sign), *rhs);
  errorAt(parser, parser.getNameLoc()) << "expected one of ge, le, eq, gt, lt";
  return {};
}
void ClauseAttr::print(AsmPrinter &printer) const {
  printer << "<" << nova::toString(getLhs());
  for (auto [sign, name] : relationWords)
    if (getRelation().getValue() == sign)
      printer << " " << name << " ";
  printer << nova::toString(getRhs()) << ">";
}
} // namespace nova
