#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/Text.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/graph/NovaDialect.cpp.inc"
#include "dialects/graph/NovaInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/NovaAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/graph/NovaTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/NovaOps.cpp.inc"

using namespace mlir;

namespace nova {
void NovaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/graph/NovaAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/graph/NovaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/NovaOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

namespace {
// Files begin with a bare `graph`, which MLIR looks up as `builtin.graph`: an alias that parses as nova.graph.
class GraphAlias : public Op<GraphAlias, OpAsmOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "builtin.graph"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static StringRef getDefaultDialect() { return "nova"; }
  static ParseResult parse(OpAsmParser &parser, OperationState &state) {
    parser.getContext()->getOrLoadDialect<NovaDialect>();
    state.name = OperationName("nova.graph", parser.getContext());
    return GraphOp::parse(parser, state);
  }
};
} // namespace

void registerGraphDialect(DialectRegistry &registry) {
  registry.insert<NovaDialect>();
  registry.addExtension(
      +[](MLIRContext *, BuiltinDialect *dialect) { RegisteredOperationName::insert<GraphAlias>(*dialect); });
}
} // namespace nova
