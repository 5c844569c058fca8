// Text of the ops that move entries.
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/OpText.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
ParseResult parseTranspose(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  if (parseScopedOperand(parser, parsed))
    return failure();
  SmallVector<int64_t> permutation;
  if (succeeded(parser.parseOptionalComma())) {
    auto axis = [&] { return parser.parseInteger(permutation.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, axis))
      return failure();
  } else {
    for (int64_t i = parsed.types[0].getRank() - 1; i >= 0; i--)
      permutation.push_back(i);
  }
  state.addAttribute("permutation", parser.getBuilder().getDenseI64ArrayAttr(permutation));
  return success();
}
void printTranspose(Operation *op, OpAsmPrinter &p) {
  p << " " << op->getOperand(0);
  ArrayRef<int64_t> permutation = cast<TransposeOp>(op).getPermutation();
  bool reversed = true;
  for (size_t i = 0; i < permutation.size(); i++)
    reversed &= permutation[i] == int64_t(permutation.size() - 1 - i);
  if (!reversed)
    p << ", [" << permutation << "]";
}

ParseResult parseShape(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  return failure(parseScopedOperand(parser, parsed) || parser.parseColon() || parseDimsAttr(parser, state));
}
void printShape(Operation *op, OpAsmPrinter &p) {
  p << " " << op->getOperand(0) << " : " << toString(cast<TensorType>(op->getResult(0).getType()).getDims());
}

ParseResult parseConcat(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  do {
    if (parseScopedOperand(parser, parsed) || parser.parseComma())
      return failure();
  } while (*parser.getCurrentLocation().getPointer() == '%');
  return parseAxisAttr(parser, state);
}

// `word` and a number of 1 or more, or nothing: null.
static FailureOr<IntegerAttr> parseCount(OpAsmParser &parser, StringRef word, const char *what) {
  if (failed(parser.parseOptionalKeyword(word)))
    return IntegerAttr();
  int64_t count;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(count))
    return failure();
  if (count >= 1)
    return parser.getBuilder().getI64IntegerAttr(count);
  errorAt(parser, loc) << "expected " << what << " or more, found " << count;
  return failure();
}

ParseResult parseGather(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  if (parseScopedOperand(parser, parsed) || parser.parseComma() || parseAxis(parser, state, parsed))
    return failure();
  FailureOr<IntegerAttr> batch = parseCount(parser, "batch", "a batch of 1 axis");
  if (failed(batch))
    return failure();
  if (*batch)
    state.addAttribute("batch", *batch);
  return success();
}
void printGather(Operation *op, OpAsmPrinter &p) {
  printAxis(op, p);
  if (auto gather = cast<GatherOp>(op); gather.getBatch())
    p << " batch " << *gather.getBatch();
}

ParseResult parseSlice(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  if (parseAxis(parser, state, parsed) || parser.parseKeyword("from") || parseDimAttr(parser, state, "from") ||
      parser.parseKeyword("size") || parseDimAttr(parser, state, "size"))
    return failure();
  FailureOr<IntegerAttr> step = parseCount(parser, "step", "a step of 1");
  if (failed(step))
    return failure();
  if (*step && step->getInt() > 1) // a step of 1 is none: it is one text and one hash
    state.addAttribute("step", *step);
  return success();
}
void printSlice(Operation *op, OpAsmPrinter &p) {
  auto slice = cast<SliceOp>(op);
  printAxis(op, p);
  p << " from " << toString(slice.getFrom()) << " size " << toString(slice.getSize());
  if (slice.getStep())
    p << " step " << *slice.getStep();
}

ParseResult parsePad(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  return failure(parseAxis(parser, state, parsed) || parser.parseKeyword("low") || parseDimAttr(parser, state, "low") ||
                 parser.parseKeyword("high") || parseDimAttr(parser, state, "high") || parser.parseComma() ||
                 parseScopedOperand(parser, parsed));
}
void printPad(Operation *op, OpAsmPrinter &p) {
  auto pad = cast<PadOp>(op);
  p << " " << pad.getOperand() << ", " << pad.getAxis() << " low " << toString(pad.getLow()) << " high "
    << toString(pad.getHigh()) << ", " << pad.getValue();
}
} // namespace nova
