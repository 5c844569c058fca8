#include "compiler/conversion/GraphToTiles/WidenNibbles.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace nova {
static TensorType typeOf(Value v) { return cast<TensorType>(v.getType()); }
static bool isNibbles(Value v) { return typeOf(v).getElementType().isInteger(4); }

static Value castTo(OpBuilder &b, Value v, unsigned bits) {
  Type element = b.getIntegerType(bits);
  return b.create<CastOp>(v.getLoc(), typeOf(v).withElementType(element), v, TypeAttr::get(element));
}

static void widenIn(GraphOp graph, unsigned numArguments, unsigned numResults) {
  OpBuilder b(graph.getContext());
  Block &block = graph.getBlock();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  auto setWide = [&](Value v) { v.setType(typeOf(v).withElementType(b.getI8Type())); };
  auto castUses = [&](Value v) {
    if (v.use_empty())
      return;
    Value wide = castTo(b, v, 8);
    v.replaceAllUsesExcept(wide, wide.getDefiningOp());
  };
  b.setInsertionPointToStart(&block);
  for (BlockArgument argument : block.getArguments())
    if (isNibbles(argument))
      argument.getArgNumber() < numArguments ? castUses(argument) : setWide(argument);
  for (Operation *op : ops) {
    b.setInsertionPointAfter(op);
    for (Value v : op->getResults())
      if (isNibbles(v))
        isa<CastOp>(op) ? castUses(v) : setWide(v);
    if (auto constant = dyn_cast<ConstantOp>(op);
        constant && constant.getDeclared() && constant.getDeclared()->isInteger(4))
      constant.setDeclaredAttr(TypeAttr::get(b.getI8Type()));
  }
  ReturnOp ret = graph.getReturn();
  b.setInsertionPoint(ret);
  for (unsigned i = 0; i < numResults; i++)
    if (graph.getResultType(i).getElementType().isInteger(4))
      ret->setOperand(i, castTo(b, ret->getOperand(i), 4));
  graph.setFunctionTypeAttr(TypeAttr::get(b.getFunctionType(block.getArgumentTypes(), ret->getOperandTypes())));
}

// The graphs of scans get and give entries of what the others have.
void widenNibbles(GraphOp graph, unsigned numArguments, unsigned numResults) {
  for (GraphOp each : graph->getParentOfType<ModuleOp>().getOps<GraphOp>())
    widenIn(each, each == graph ? numArguments : 0, each == graph ? numResults : 0);
}
} // namespace nova
