#include "dialects/tile/TileDialect.h"
#include "dialects/graph/Text.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

namespace nova::tile {
void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

// `<f32[n, d], rows>`: the tensor as in the text of graphs.
mlir::Type BufferType::parse(mlir::AsmParser &parser) {
  if (parser.parseLess())
    return {};
  mlir::FailureOr<TensorType> tensor = parseTensorType(parser);
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (failed(tensor) || parser.parseComma() || parser.parseKeyword(&word))
    return {};
  std::optional<Layout> layout = symbolizeLayout(word);
  if (!layout) {
    parser.emitError(loc, "expected a layout: rows, panels or pages, found '") << word << "'";
    return {};
  }
  return parser.parseGreater() ? BufferType() : get(parser.getContext(), *tensor, *layout);
}

void BufferType::print(mlir::AsmPrinter &printer) const {
  printer << "<" << nova::toString(getTensor()) << ", " << stringifyLayout(getLayout()) << ">";
}

// A map of one position and `sizes` symbols.
static mlir::ParseResult parseBounds(mlir::AsmParser &parser, size_t sizes,
                                     llvm::SmallVectorImpl<mlir::AffineMap> &maps) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  mlir::AffineMap map;
  if (parser.parseAffineMap(map))
    return mlir::failure();
  if (map.getNumDims() != 1 || map.getNumSymbols() != sizes)
    return parser.emitError(loc, "expected a map of one position with a symbol for each size (")
           << sizes << "), found " << map.getNumDims() << " positions and " << map.getNumSymbols() << " symbols";
  maps.push_back(map);
  return mlir::success();
}

bool RangeAttr::mayBeginLater() const {
  return getLows().empty() || llvm::any_of(getLows(), [](mlir::AffineMap map) { return map.getNumResults() != 0; });
}

namespace {
/// How a bound changes with the position.
enum class Slope { none, up, down, unknown };
} // namespace

static Slope slopeOf(mlir::AffineExpr expression) {
  if (llvm::isa<mlir::AffineDimExpr>(expression))
    return Slope::up;
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
  if (!binary)
    return Slope::none;
  Slope a = slopeOf(binary.getLHS()), b = slopeOf(binary.getRHS());
  if (a == Slope::none && b == Slope::none)
    return Slope::none;
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Add:
    return a == Slope::none || a == b ? b : b == Slope::none ? a : Slope::unknown;
  case mlir::AffineExprKind::FloorDiv:
    return a;
  case mlir::AffineExprKind::Mul:
    if (auto factor = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS()); factor && factor.getValue() >= 0)
      return a;
    return a == Slope::up ? Slope::down : a == Slope::down ? Slope::up : Slope::unknown;
  default:
    return Slope::unknown;
  }
}

bool RangeAttr::isNested() const {
  return !mayBeginLater() && llvm::all_of(llvm::zip(getHighs(), getGuards()), [](auto piece) {
    auto [high, guard] = piece;
    return guard.getNumResults() == 0 && llvm::all_of(high.getResults(), [](mlir::AffineExpr expression) {
             Slope slope = slopeOf(expression);
             return slope == Slope::none || slope == Slope::up;
           });
  });
}

mlir::Attribute RangeAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  llvm::SmallVector<DimAttr> sizes;
  llvm::SmallVector<mlir::AffineMap> lows, highs, guards;
  if (parser.parseLess() || parseDims(parser, sizes))
    return {};
  if (succeeded(parser.parseOptionalGreater()))
    return get(parser.getContext(), lows, highs, guards, sizes, false);
  llvm::StringRef between;
  do {
    if (parseBounds(parser, sizes.size(), lows) || parser.parseKeyword("to") ||
        parseBounds(parser, sizes.size(), highs))
      return {};
    if (failed(parser.parseOptionalKeyword("if")))
      guards.push_back(mlir::AffineMap::get(1, sizes.size(), parser.getContext()));
    else if (parseBounds(parser, sizes.size(), guards))
      return {};
  } while (succeeded(parser.parseOptionalKeyword(
      &between, between.empty() ? llvm::ArrayRef<llvm::StringRef>{"or", "then"} : llvm::ArrayRef(between))));
  return parser.parseGreater() ? RangeAttr() : get(parser.getContext(), lows, highs, guards, sizes, between == "then");
}

void RangeAttr::print(mlir::AsmPrinter &printer) const {
  llvm::raw_ostream &os = printer.getStream();
  os << "<[";
  llvm::interleaveComma(getSizes(), os, [&](DimAttr size) { os << nova::toString(size); });
  os << "]";
  for (auto [i, bounds] : llvm::enumerate(llvm::zip(getLows(), getHighs(), getGuards()))) {
    auto [low, high, guard] = bounds;
    os << (i == 0 ? " " : getInOrder() ? " then " : " or ") << low << " to " << high;
    if (guard.getNumResults())
      os << " if " << guard;
  }
  os << ">";
}

llvm::SmallVector<ContractOp> sectionsOf(KernelOp kernel) {
  llvm::SmallVector<ContractOp> sections;
  for (mlir::Operation &op : kernel.getBody().front()) {
    auto contract = llvm::dyn_cast<ContractOp>(op);
    bool goesOn = llvm::isa<PassOp>(op) && !sections.empty() && !sections.back();
    if (contract || (llvm::isa<PassOp>(op) && !goesOn))
      sections.push_back(contract);
  }
  return sections;
}
} // namespace nova::tile
