#include "dialects/graph/OpText.h"
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/ParseScope.h"
#include "dialects/graph/Text.h"
#include <limits>

using namespace mlir;

namespace nova {
// One name is a NameLoc; the names of several results are the metadata of a FusedLoc.
Location namedLocation(Location loc, ArrayRef<StringAttr> names) {
  if (auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(loc))
    loc = fused.getLocations().front();
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  if (names.size() == 1)
    return names[0].empty() ? loc : Location(NameLoc::get(names[0], loc));
  SmallVector<Attribute> list(names.begin(), names.end());
  return FusedLoc::get({loc}, ArrayAttr::get(loc.getContext(), list), loc.getContext());
}

std::string valueName(Value value) {
  Location loc = value.getLoc();
  if (auto named = dyn_cast<NameLoc>(loc))
    return "%" + named.getName().str();
  auto result = dyn_cast<OpResult>(value);
  auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(loc);
  if (!result || !fused || result.getResultNumber() >= fused.getMetadata().size())
    return "";
  auto name = dyn_cast<StringAttr>(fused.getMetadata()[result.getResultNumber()]);
  return name && !name.empty() ? "%" + name.str() : "";
}

bool isNumbered(StringRef valueName) {
  return valueName.size() < 2 || isdigit(static_cast<unsigned char>(valueName[1]));
}

void setResultNames(Operation *op, OpAsmSetValueNameFn set) {
  // Each result gets a name, if an empty one: else the printer would write `%0:2`, which the text of graphs does not
  // have. Numbers it gives itself.
  for (OpResult result : op->getResults()) {
    std::string name = valueName(result);
    set(result, isNumbered(name) ? "" : StringRef(name).drop_front());
  }
}

ParseResult expectNames(OpAsmParser &parser, const OperationState &state) {
  if (!ParseScope::current() || parser.getNumResults() > 0)
    return success();
  return errorAt(parser, parser.getNameLoc())
         << "expected a name for the value, as in %y = " << state.name.stripDialect();
}

void defineResult(OpAsmParser &parser, OperationState &state, unsigned i, Type type) {
  ParseScope *scope = ParseScope::current();
  if (!scope || i >= parser.getNumResults())
    return;
  StringRef name = parser.getResultName(i).first;
  scope->define(("%" + name).str(), type);
  if (i)
    return;
  SmallVector<StringAttr> names;
  for (unsigned k = 0; k < parser.getNumResults(); k++)
    names.push_back(StringAttr::get(parser.getContext(), parser.getResultName(k).first));
  state.location = namedLocation(state.location, names);
}

ParseResult parseScopedOperand(OpAsmParser &parser, ParsedOperands &parsed) {
  OpAsmParser::UnresolvedOperand operand;
  if (parser.parseOperand(operand, /*allowResultNumber=*/false))
    return failure();
  ParseScope *scope = ParseScope::current();
  Type type = scope ? scope->lookup(operand.name) : Type();
  if (!type)
    return errorAt(parser, operand.location) << "value " << operand.name << " is not defined before this use";
  parsed.operands.push_back(operand);
  parsed.types.push_back(cast<TensorType>(type)); // what the text of a graph can name
  parsed.names.push_back(operand.name.str());
  return success();
}

ParseResult parseValueOp(OpAsmParser &parser, OperationState &state, SyntaxFn syntax, InferFn infer) {
  SMLoc loc = parser.getNameLoc();
  ParsedOperands parsed;
  if (expectNames(parser, state) || syntax(parser, state, parsed))
    return failure();
  static const Facts none;
  ParseScope *scope = ParseScope::current();
  auto error = [&](int i) { return errorAt(parser, i < 0 ? loc : parsed.operands[i].location); };
  InferContext context{
      parser.getContext(),      parsed.types, parsed.names, state.attributes, scope ? scope->facts : none, error,
      state.name.stripDialect()};
  // The checks of operand counts that the verifier would make come too late for `infer`.
  FailureOr<TensorType> type = infer(context);
  if (failed(type))
    return failure();
  for (auto [operand, operandType] : llvm::zip_equal(parsed.operands, parsed.types))
    if (parser.resolveOperand(operand, operandType, state.operands))
      return failure();
  state.addTypes(Type(*type));
  defineResult(parser, state, 0, *type);
  return success();
}

static void printOperands(Operation *op, OpAsmPrinter &p) {
  p << " ";
  llvm::interleaveComma(op->getOperands(), p, [&](Value v) { p << v; });
}

// The number of operands that a plain op's definition demands.
static unsigned plainOperands(OperationName op) {
  return op.hasTrait<OpTrait::OneOperand>() ? 1 : op.hasTrait<OpTrait::NOperands<2>::Impl>() ? 2 : 3;
}

ParseResult parsePlain(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  unsigned count = plainOperands(state.name);
  for (unsigned i = 0; i < count; i++)
    if ((i && parser.parseComma()) || parseScopedOperand(parser, parsed))
      return failure();
  return success();
}
void printPlain(Operation *op, OpAsmPrinter &p) { printOperands(op, p); }

ParseResult parseAxisAttr(OpAsmParser &parser, OperationState &state) {
  int64_t axis;
  if (parser.parseInteger(axis))
    return failure();
  state.addAttribute("axis", parser.getBuilder().getI64IntegerAttr(axis));
  return success();
}

ParseResult parseAxis(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  return failure(parseScopedOperand(parser, parsed) || parser.parseComma() || parseAxisAttr(parser, state));
}
void printAxis(Operation *op, OpAsmPrinter &p) {
  printOperands(op, p);
  p << ", " << op->getAttrOfType<IntegerAttr>("axis").getInt();
}

ParseResult parseReduce(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  if (parseAxis(parser, state, parsed))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("drop")))
    state.addAttribute("drop", parser.getBuilder().getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("hidden")))
    return parseScopedOperand(parser, parsed);
  return success();
}
void printReduce(Operation *op, OpAsmPrinter &p) {
  p << " " << op->getOperand(0) << ", " << op->getAttrOfType<IntegerAttr>("axis").getInt();
  if (op->hasAttr("drop"))
    p << " drop";
  if (op->getNumOperands() > 1)
    p << " hidden " << op->getOperand(1);
}

// Nested lists of literals; checks that they are rectangular.
static ParseResult parseLiterals(OpAsmParser &parser, SmallVectorImpl<Literal> &values, SmallVectorImpl<int64_t> &shape,
                                 unsigned depth) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t count = 0;
  bool lists = false;
  auto element = [&]() -> ParseResult {
    count++;
    if (*parser.getCurrentLocation().getPointer() == '[') {
      lists = true;
      if (depth + 1 >= 8)
        return errorAt(parser, parser.getCurrentLocation()) << "constants have at most 8 axes";
      return parseLiterals(parser, values, shape, depth + 1);
    }
    if (lists)
      return errorAt(parser, parser.getCurrentLocation()) << "expected a list here, as in the entry before";
    FailureOr<Literal> value = parseLiteral(parser);
    if (failed(value))
      return failure();
    values.push_back(*value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  if (shape.size() <= depth)
    shape.resize(depth + 1, -1);
  if (shape[depth] >= 0 && shape[depth] != count)
    return errorAt(parser, loc) << "lists of different lengths: " << shape[depth] << " and " << count;
  shape[depth] = count;
  return success();
}

ParseResult parseConstant(OpAsmParser &parser, OperationState &state, ParsedOperands &) {
  Builder &b = parser.getBuilder();
  SmallVector<Literal> values;
  SmallVector<int64_t> shape;
  SMLoc loc = parser.getCurrentLocation();
  bool list = *loc.getPointer() == '[';
  if (list) {
    if (parseLiterals(parser, values, shape, 0))
      return failure();
  } else {
    FailureOr<Literal> value = parseLiteral(parser);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  TensorType declared;
  if (succeeded(parser.parseOptionalColon())) {
    FailureOr<TensorType> type = parseTensorType(parser);
    if (failed(type))
      return failure();
    declared = *type;
  } else if (list) {
    return errorAt(parser, parser.getCurrentLocation())
           << "expected ':' and the type of this constant, for example f64[3]";
  }
  if (declared) {
    SmallVector<int64_t> sizes;
    for (DimAttr dim : declared.getDims())
      sizes.push_back(constantValue(dim).value_or(-1));
    if (list ? sizes != shape : llvm::any_of(sizes, [](int64_t s) { return s < 0; }))
      return errorAt(parser, loc) << "constant of type " << toString(Type(declared))
                                  << " does not have the shape of its entries";
    if (!list) {
      int64_t count = 1;
      for (int64_t size : sizes)
        if (llvm::MulOverflow(count, size, count) || count > (int64_t(1) << 24))
          return errorAt(parser, loc) << "constant has more than 2^24 entries";
      values.assign(count, values[0]);
    }
    shape = sizes;
  }
  bool anyFloat = llvm::any_of(values, [](const Literal &v) { return v.kind == Literal::Float; });
  bool allBool = !values.empty() && llvm::all_of(values, [](const Literal &v) { return v.kind == Literal::Bool; });
  bool anyBool = llvm::any_of(values, [](const Literal &v) { return v.kind == Literal::Bool; });
  Type element = declared ? declared.getElementType() : Type();
  // Whole numbers of a type parameter stay whole: it may stand for an integer type.
  bool wantsFloat = element && !isa<ParamType>(element) ? isa<FloatType>(element) : anyFloat;
  bool wantsBool = element ? element.isInteger(1) : allBool;
  if (anyBool != wantsBool && !values.empty())
    return errorAt(parser, loc) << (wantsBool ? "expected true or false" : "true and false need element type i1");
  if (!wantsFloat && anyFloat)
    return errorAt(parser, loc) << "a number with a dot needs a float element type, found " << elementText(element);
  Attribute value;
  if (wantsFloat) {
    SmallVector<double> reals;
    for (const Literal &v : values) {
      reals.push_back(v.kind == Literal::Int ? double(v.integer) : v.real);
      if (std::string problem = element ? rangeProblem(reals.back(), element) : ""; !problem.empty())
        return errorAt(parser, v.loc) << problem;
    }
    value = DenseElementsAttr::get(RankedTensorType::get(shape, b.getF64Type()), ArrayRef<double>(reals));
  } else if (wantsBool) {
    SmallVector<bool> flags;
    for (const Literal &v : values)
      flags.push_back(v.integer);
    value = DenseElementsAttr::get(RankedTensorType::get(shape, b.getI1Type()), ArrayRef<bool>(flags));
  } else {
    SmallVector<int64_t> integers;
    for (const Literal &v : values) {
      if (std::string problem = element ? rangeProblem(v.integer, element) : ""; !problem.empty())
        return errorAt(parser, v.loc) << problem;
      integers.push_back(v.integer);
    }
    value = DenseElementsAttr::get(RankedTensorType::get(shape, b.getI64Type()), ArrayRef<int64_t>(integers));
  }
  state.addAttribute("value", value);
  if (element && !isa<WeakIntType, WeakFloatType>(element))
    state.addAttribute("declared", TypeAttr::get(element));
  return success();
}

static void printLiterals(DenseElementsAttr value, OpAsmPrinter &p) {
  ArrayRef<int64_t> shape = value.getType().getShape();
  Type element = value.getElementType();
  bool isFloat = isa<FloatType>(element), isBool = element.isInteger(1);
  int64_t next = 0;
  auto one = [&](int64_t i) {
    if (isFloat)
      p << literalText(value.getValues<APFloat>()[i].convertToDouble());
    else if (isBool)
      p << (value.getValues<bool>()[i] ? "true" : "false");
    else
      p << value.getValues<APInt>()[i].getSExtValue();
  };
  std::function<void(unsigned)> level = [&](unsigned depth) {
    if (depth == shape.size())
      return one(next++);
    p << "[";
    for (int64_t i = 0; i < shape[depth]; i++) {
      if (i)
        p << ", ";
      level(depth + 1);
    }
    p << "]";
  };
  level(0);
}

void printConstant(Operation *op, OpAsmPrinter &p) {
  auto constant = cast<ConstantOp>(op);
  auto value = cast<DenseElementsAttr>(constant.getValue());
  p << " ";
  TensorType type = constant.getResult().getType();
  // A splat of a declared type is written once, unless a list says its shape better.
  bool empty = value.getNumElements() == 0;
  if (!type.isWeak() && value.isSplat() && type.getRank() > 0 && !empty) {
    DenseElementsAttr scalar = value.getValues<Attribute>().empty()
                                   ? value
                                   : DenseElementsAttr::get(RankedTensorType::get({}, value.getElementType()),
                                                            value.getSplatValue<Attribute>());
    printLiterals(scalar, p);
  } else {
    printLiterals(value, p);
  }
  if (!type.isWeak() && !(type.getRank() == 0 && type.getElementType().isInteger(1)))
    p << " : " << toString(Type(type));
}

// A dimension inside a graph may only use the symbols of its arguments.
static ParseResult checkSymbols(OpAsmParser &parser, SMLoc loc, DimAttr dim) {
  ParseScope *scope = ParseScope::current();
  if (!scope || !scope->checksSymbols)
    return success();
  for (Attribute atom : dim.getAtoms())
    if (!scope->symbols.contains(cast<StringAttr>(atom).getValue()))
      return errorAt(parser, loc) << "symbol " << cast<StringAttr>(atom).getValue() << " is a dimension of no argument";
  return success();
}

ParseResult parseDimAttr(OpAsmParser &parser, OperationState &state, StringRef name) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<DimAttr> dim = parseDim(parser);
  if (failed(dim) || checkSymbols(parser, loc, *dim))
    return failure();
  state.addAttribute(name, *dim);
  return success();
}

ParseResult parseDimsAttr(OpAsmParser &parser, OperationState &state) {
  SmallVector<DimAttr> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDims(parser, dims))
    return failure();
  for (DimAttr dim : dims)
    if (checkSymbols(parser, loc, dim))
      return failure();
  SmallVector<Attribute> list(dims.begin(), dims.end());
  state.addAttribute("dims", parser.getBuilder().getArrayAttr(list));
  return success();
}

ParseResult parseIota(OpAsmParser &parser, OperationState &state, ParsedOperands &) {
  if (parseAxisAttr(parser, state) || parser.parseColon() || parseDimsAttr(parser, state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("from")))
    return parseDimAttr(parser, state, "from");
  return success();
}
void printIota(Operation *op, OpAsmPrinter &p) {
  auto iota = cast<IotaOp>(op);
  p << " " << iota.getAxis() << " : " << toString(iota.getResult().getType().getDims());
  if (iota.getFromAttr())
    p << " from " << toString(iota.getFromAttr());
}

ParseResult parseDimValue(OpAsmParser &parser, OperationState &state, ParsedOperands &) {
  return parseDimAttr(parser, state, "dim");
}
void printDimValue(Operation *op, OpAsmPrinter &p) { p << " " << toString(cast<DimValueOp>(op).getDim()); }

ParseResult parseCast(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  if (parseScopedOperand(parser, parsed) || parser.parseColon())
    return failure();
  FailureOr<Type> element = parseElementType(parser);
  if (failed(element))
    return failure();
  state.addAttribute("to", TypeAttr::get(*element));
  return success();
}
void printCast(Operation *op, OpAsmPrinter &p) {
  p << " " << op->getOperand(0) << " : " << elementText(cast<CastOp>(op).getTo());
}

ParseResult parseMatmul(OpAsmParser &parser, OperationState &state, ParsedOperands &parsed) {
  ParsedOperands masks[2];
  for (unsigned side : {0, 1}) {
    if ((side && parser.parseComma()) || parseScopedOperand(parser, parsed))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("hidden")) && parseScopedOperand(parser, masks[side]))
      return failure();
  }
  for (ParsedOperands &mask : masks) {
    llvm::append_range(parsed.operands, mask.operands);
    llvm::append_range(parsed.types, mask.types);
    llvm::append_range(parsed.names, mask.names);
  }
  int32_t left = masks[0].operands.size(), right = masks[1].operands.size();
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr({1, 1, left, right}));
  return success();
}
void printMatmul(Operation *op, OpAsmPrinter &p) {
  auto matmul = cast<MatmulOp>(op);
  p << " " << matmul.getLhs();
  if (matmul.getLhsHidden())
    p << " hidden " << matmul.getLhsHidden();
  p << ", " << matmul.getRhs();
  if (matmul.getRhsHidden())
    p << " hidden " << matmul.getRhsHidden();
}
} // namespace nova
