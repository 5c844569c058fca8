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
} // namespace nova::tile
