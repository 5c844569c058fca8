// What a row sees in words: `i - w + 1 <= j <= i`.
#include "compiler/analysis/VisibleColumns.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::DynamicAPInt;

namespace nova {
namespace {
// An affine expression as a text of graphs: `2 * i - w + 1`, `16 * floor(i / 16)`.
class ExpressionText {
public:
  explicit ExpressionText(ArrayRef<DimAttr> sizes) : sizes(sizes) {}
  std::string operator()(AffineExpr expression) {
    text.clear();
    add(expression, DynamicAPInt(1));
    return text.empty() ? "0" : text;
  }

private:
  void add(AffineExpr expression, const DynamicAPInt &factor);
  void term(const std::string &name, const DynamicAPInt &factor);

  ArrayRef<DimAttr> sizes;
  std::string text;
};
} // namespace

void ExpressionText::term(const std::string &name, const DynamicAPInt &factor) {
  bool isNumber = name.empty();
  if (factor == 0)
    return;
  llvm::raw_string_ostream os(text);
  os << (text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + "));
  if (isNumber || abs(factor) != 1)
    os << abs(factor) << (isNumber ? "" : " * ");
  os << name;
}

void ExpressionText::add(AffineExpr expression, const DynamicAPInt &factor) {
  if (isa<AffineDimExpr>(expression))
    return term("i", factor);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return term(toString(sizes[symbol.getPosition()]), factor);
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return term("", factor * constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() == AffineExprKind::Add) {
    add(binary.getLHS(), factor);
    return add(binary.getRHS(), factor);
  }
  // Factors of sums stay outside: what is inside is one term, or a sum in brackets.
  if (binary.getKind() == AffineExprKind::Mul && constant) {
    auto inner = dyn_cast<AffineBinaryOpExpr>(binary.getLHS());
    if (!inner || inner.getKind() == AffineExprKind::FloorDiv)
      return add(binary.getLHS(), factor * constant.getValue());
    return term("(" + ExpressionText(sizes)(binary.getLHS()) + ")", factor * constant.getValue());
  }
  std::string a = ExpressionText(sizes)(binary.getLHS()), b = ExpressionText(sizes)(binary.getRHS());
  bool isSum = StringRef(a).contains(" + ") || StringRef(a).contains(" - ");
  return term("floor(" + (isSum ? "(" + a + ")" : a) + " / " + b + ")", factor);
}

// `max(a, b)`, or the bound alone.
static std::string joined(StringRef word, ArrayRef<std::string> bounds) {
  return bounds.size() == 1 ? bounds.front() : word.str() + "(" + llvm::join(bounds, ", ") + ")";
}

std::string pieceText(const VisibleColumns &visible, const VisibleColumns::Piece &piece) {
  ExpressionText textOf(visible.sizes);
  SmallVector<std::string> lows, highs, guards;
  for (AffineExpr low : piece.low.getResults())
    lows.push_back(textOf(low));
  for (AffineExpr high : piece.high.getResults())
    highs.push_back(textOf(high - 1));
  for (AffineExpr guard : piece.guard.getResults())
    guards.push_back(textOf(guard) + " >= 0");
  std::string text;
  if (lows.empty() && highs.empty())
    text = "every j";
  else if (lows.empty())
    text = "j <= " + joined("min", highs);
  else if (highs.empty())
    text = "j >= " + joined("max", lows);
  else if (lows == highs)
    text = "j = " + joined("max", lows);
  else
    text = joined("max", lows) + " <= j <= " + joined("min", highs);
  return guards.empty() ? text : text + " where " + llvm::join(guards, ", ");
}
} // namespace nova
