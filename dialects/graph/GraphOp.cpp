// The text and the checks of `graph`, `return` and `call`.
#include "dialects/graph/NovaDialect.h"
#include "dialects/graph/ParseScope.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
ReturnOp GraphOp::getReturn() { return cast<ReturnOp>(getBlock().getTerminator()); }
TensorType GraphOp::getArgumentType(unsigned i) { return cast<TensorType>(getFunctionTypeValue().getInput(i)); }
TensorType GraphOp::getResultType(unsigned i) { return cast<TensorType>(getFunctionTypeValue().getResult(i)); }

std::string GraphOp::getResultName(unsigned i) {
  std::string name = valueName(getReturn().getValues()[i]);
  return isNumbered(name) ? "result" + std::to_string(i) : name.substr(1);
}

void GraphOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  if (region.empty())
    return;
  for (auto [arg, name] : llvm::zip(region.front().getArguments(), getArgNames()))
    set(arg, cast<StringAttr>(name).getValue());
}

static ParseResult parseTypeParams(OpAsmParser &parser, SmallVectorImpl<Attribute> &params) {
  if (failed(parser.parseOptionalLess()))
    return success();
  Builder &b = parser.getBuilder();
  do {
    StringRef name, kind;
    SMLoc loc = parser.getCurrentLocation(), kindLoc;
    if (parser.parseKeyword(&name) || parser.parseColon() || parser.getCurrentLocation(&kindLoc) ||
        parser.parseKeyword(&kind))
      return failure();
    if (kind != "float" && kind != "int")
      return errorAt(parser, kindLoc) << "expected float or int, found " << kind;
    for (Attribute other : params)
      if (cast<TypeParamAttr>(other).getName().getValue() == name)
        return errorAt(parser, loc) << "type parameter " << name << " is given twice";
    Type fallback = kind == "float" ? Type(b.getF64Type()) : Type(b.getI64Type());
    if (succeeded(parser.parseOptionalEqual())) {
      SMLoc typeLoc = parser.getCurrentLocation();
      FailureOr<Type> type = parseElementType(parser);
      if (failed(type))
        return failure();
      bool fits = kind == "float" ? type->isF64() || type->isF32() : type->isInteger(64) || type->isInteger(32);
      if (!fits)
        return errorAt(parser, typeLoc) << "default " << elementText(*type) << " of " << name << " is not of kind "
                                        << kind;
      fallback = *type;
    }
    params.push_back(TypeParamAttr::get(b.getContext(), b.getStringAttr(name), b.getStringAttr(kind), fallback));
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

static void addSymbols(llvm::StringSet<> &symbols, TensorType type) {
  for (DimAttr dim : type.getDims())
    for (Attribute atom : dim.getAtoms())
      symbols.insert(cast<StringAttr>(atom).getValue());
}

// Every symbol of a result or a clause must come from an argument; every parameter must be declared.
static LogicalResult checkWords(function_ref<InFlightDiagnostic()> error, ArrayRef<Type> types, ArrayRef<DimAttr> dims,
                                const llvm::StringSet<> &symbols, ArrayRef<Attribute> params) {
  SmallVector<DimAttr> all(dims);
  for (Type type : types) {
    auto tensor = cast<TensorType>(type);
    llvm::append_range(all, tensor.getDims());
    if (auto param = dyn_cast<ParamType>(tensor.getElementType()))
      if (!llvm::any_of(params, [&](Attribute p) { return cast<TypeParamAttr>(p).getName() == param.getName(); }))
        return error() << "element type " << param.getName().getValue() << " is neither one of " << elementTypeList()
                       << " nor a type parameter";
  }
  for (DimAttr dim : all)
    for (Attribute atom : dim.getAtoms())
      if (!symbols.contains(cast<StringAttr>(atom).getValue()))
        return error() << "symbol " << cast<StringAttr>(atom).getValue() << " is a dimension of no argument";
  return success();
}

// Every proof holds where no size does, so clauses that contradict each other would hide all faults of a graph.
static LogicalResult checkClauses(OpAsmParser &parser, ArrayRef<ClauseAttr> clauses, const Facts &facts,
                                  ArrayRef<SMLoc> locs) {
  // Each clause is compared with each.
  constexpr size_t most = 100;
  if (clauses.size() > most)
    return success();
  for (auto [clause, loc] : llvm::reverse(llvm::zip_equal(clauses, locs))) {
    if (Facts({clause}).contradict(clause))
      return errorAt(parser, loc) << "clause " << toString(clause) << " holds for no size";
    if (facts.contradict(clause))
      return errorAt(parser, loc) << "clause " << toString(clause) << " contradicts the others: no size satisfies all";
  }
  return success();
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &b = parser.getBuilder();
  StringAttr name;
  SmallVector<Attribute> params, argNames, clauses;
  SmallVector<int64_t> bound;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> argTypes, resultTypes;
  ParseScope scope(/*isolated=*/true);
  if (parser.parseSymbolName(name, "sym_name", state.attributes) || parseTypeParams(parser, params))
    return failure();

  auto argument = [&]() -> ParseResult {
    OpAsmParser::Argument arg;
    SMLoc typeLoc;
    if (succeeded(parser.parseOptionalKeyword("param")))
      bound.push_back(arguments.size());
    if (parser.parseArgument(arg) || parser.parseColon() || parser.getCurrentLocation(&typeLoc))
      return failure();
    FailureOr<TensorType> type = parseTensorType(parser);
    if (failed(type))
      return failure();
    if (scope.lookup(arg.ssaName.name))
      return errorAt(parser, arg.ssaName.location) << "argument " << arg.ssaName.name << " is given twice";
    auto error = [&] { return errorAt(parser, typeLoc); };
    addSymbols(scope.symbols, *type);
    if (failed(checkWords(error, {Type(*type)}, {}, scope.symbols, params)))
      return failure();
    arg.type = *type;
    StringAttr own = b.getStringAttr(arg.ssaName.name.drop_front());
    arg.sourceLoc = NameLoc::get(own, parser.getEncodedSourceLoc(arg.ssaName.location));
    argNames.push_back(own);
    argTypes.push_back(*type);
    scope.define(arg.ssaName.name, *type);
    arguments.push_back(arg);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, argument))
    return failure();

  auto result = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    FailureOr<TensorType> type = parseTensorType(parser);
    if (failed(type))
      return failure();
    resultTypes.push_back(*type);
    return checkWords([&] { return errorAt(parser, loc); }, {Type(*type)}, {}, scope.symbols, params);
  };
  SMLoc bodyLoc = parser.getCurrentLocation();
  if (parser.parseArrow())
    return failure();
  if (*parser.getCurrentLocation().getPointer() == '(') {
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, result))
      return failure();
  } else if (result()) {
    return failure();
  }
  if (resultTypes.empty())
    return errorAt(parser, bodyLoc) << "a graph has at least one result";

  SmallVector<SMLoc> clauseLocs;
  if (succeeded(parser.parseOptionalKeyword("where"))) {
    do {
      SMLoc loc = clauseLocs.emplace_back(parser.getCurrentLocation());
      FailureOr<ClauseAttr> clause = parseClause(parser);
      if (failed(clause) || failed(checkWords([&] { return errorAt(parser, loc); }, {},
                                              {clause->getLhs(), clause->getRhs()}, scope.symbols, params)))
        return failure();
      clauses.push_back(*clause);
    } while (succeeded(parser.parseOptionalComma()));
  }
  SmallVector<ClauseAttr> facts;
  for (Attribute clause : clauses)
    facts.push_back(cast<ClauseAttr>(clause));
  scope.facts = Facts(facts);
  if (failed(checkClauses(parser, facts, scope.facts, clauseLocs)))
    return failure();
  scope.checksSymbols = true;
  for (Attribute param : params)
    scope.typeParams.insert(cast<TypeParamAttr>(param).getName().getValue());

  state.addAttribute("function_type", TypeAttr::get(b.getFunctionType(argTypes, resultTypes)));
  state.addAttribute("type_params", b.getArrayAttr(params));
  state.addAttribute("clauses", b.getArrayAttr(clauses));
  state.addAttribute("arg_names", b.getArrayAttr(argNames));
  if (!bound.empty())
    state.addAttribute("bound_args", b.getDenseI64ArrayAttr(bound));
  Region *body = state.addRegion();
  bodyLoc = parser.getCurrentLocation();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (!body->hasOneBlock() || body->front().empty() || !isa<ReturnOp>(body->front().back()))
    return errorAt(parser, bodyLoc) << "graph @" << name.getValue() << " does not end with return";
  return success();
}

void GraphOp::print(OpAsmPrinter &p) {
  p << " ";
  p.printSymbolName(getSymName());
  if (!getTypeParams().empty()) {
    p << "<";
    llvm::interleaveComma(getTypeParams(), p, [&](Attribute a) {
      auto param = cast<TypeParamAttr>(a);
      p << param.getName().getValue() << ": " << param.getKind().getValue() << " = "
        << elementText(param.getFallback());
    });
    p << ">";
  }
  p << "(";
  llvm::interleaveComma(getBlock().getArguments(), p, [&](BlockArgument arg) {
    p << (isParam(arg.getArgNumber()) ? "param " : "") << arg << ": " << toString(arg.getType());
  });
  p << ") -> ";
  ArrayRef<Type> results = getFunctionTypeValue().getResults();
  if (results.size() != 1)
    p << "(";
  llvm::interleaveComma(results, p, [&](Type type) { p << toString(type); });
  if (results.size() != 1)
    p << ")";
  if (!getClauses().empty()) {
    p << " where ";
    llvm::interleaveComma(getClauses(), p, [&](Attribute clause) { p << toString(cast<ClauseAttr>(clause)); });
  }
  p << " ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult GraphOp::verifyRegions() {
  if (!getBody().hasOneBlock() || getBlock().empty() || !isa<ReturnOp>(getBlock().back()))
    return emitOpError("does not end with return");
  auto type = dyn_cast<FunctionType>(getFunctionType());
  if (!type || getBlock().getNumArguments() != type.getNumInputs() || getArgNames().size() != type.getNumInputs())
    return emitOpError("has a type that does not fit its arguments");
  for (int64_t bound : getBoundArgs().value_or(ArrayRef<int64_t>()))
    if (bound < 0 || bound >= int64_t(type.getNumInputs()))
      return emitOpError("has no argument ") << bound;
  for (auto [arg, want] : llvm::zip(getBlock().getArguments(), type.getInputs()))
    if (arg.getType() != want || !isa<TensorType>(want))
      return emitOpError("has a type that does not fit its arguments");
  for (Type result : type.getResults())
    if (!isa<TensorType>(result))
      return emitOpError("has a result that is no tensor");
  Facts facts = factsOf(*this);
  for (Operation &op : getBlock()) {
    if (isa<Invocation, ReturnOp>(op))
      continue;
    if (!isa<ValueOp>(op))
      return op.emitError("operation ") << op.getName() << " cannot stand in a graph";
    FailureOr<TensorType> inferred = inferOp(&op, facts);
    if (failed(inferred))
      return failure();
    if (Type(*inferred) != op.getResult(0).getType())
      return op.emitError("has type ") << toString(op.getResult(0).getType()) << ", expected "
                                       << toString(Type(*inferred));
  }
  ReturnOp ret = getReturn();
  if (ret.getNumOperands() != type.getNumResults())
    return ret.emitError("returns ") << ret.getNumOperands() << " values, expected " << type.getNumResults();
  for (auto [i, value] : llvm::enumerate(ret.getValues())) {
    auto have = cast<TensorType>(value.getType()), want = getResultType(i);
    std::string name = valueName(value);
    if (have.isWeak() && want.getRank() == 0 && !want.getElementType().isInteger(1) &&
        !(isa<WeakFloatType>(have.getElementType()) && want.getElementType().isInteger()))
      continue; // rounds once to the declared type
    if (have.getElementType() != want.getElementType() || have.getRank() != want.getRank())
      return ret.emitError("result ") << i << " is " << name << ": " << toString(Type(have)) << ", expected "
                                      << toString(Type(want));
    for (auto [axis, a] : llvm::enumerate(have.getDims())) {
      DimAttr b = want.getDims()[axis];
      if (facts.equal(a, b))
        continue;
      auto diagnostic = ret.emitError("result ");
      diagnostic << i << " is " << name << ": " << toString(Type(have)) << ", expected " << toString(Type(want))
                 << ": axis " << axis << " is " << toString(a) << " and " << toString(b);
      addCounterexample(diagnostic, facts, a, b);
      return failure();
    }
  }
  return success();
}

static ParseResult parseOperandList(OpAsmParser &parser, OperationState &state, AsmParser::Delimiter delimiter) {
  ParsedOperands parsed;
  if (parser.parseCommaSeparatedList(delimiter, [&] { return parseScopedOperand(parser, parsed); }))
    return failure();
  for (auto [operand, type] : llvm::zip_equal(parsed.operands, parsed.types))
    if (parser.resolveOperand(operand, type, state.operands))
      return failure();
  return success();
}

ParseResult ReturnOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseOperandList(parser, state, AsmParser::Delimiter::None);
}
void ReturnOp::print(OpAsmPrinter &p) {
  p << " ";
  llvm::interleaveComma(getValues(), p, [&](Value v) { p << v; });
}

// The written types of an invocation's results, and their names.
static ParseResult parseResults(OpAsmParser &parser, OperationState &state, StringRef word) {
  if (parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  auto result = [&]() -> ParseResult {
    FailureOr<TensorType> type = parseTensorType(parser);
    if (failed(type))
      return failure();
    state.addTypes(Type(*type));
    return success();
  };
  if (parser.parseCommaSeparatedList(result))
    return failure();
  if (parser.getNumResults() != state.types.size())
    return errorAt(parser, loc) << word << " gives " << state.types.size() << " results, " << parser.getNumResults()
                                << " are named";
  for (unsigned i = 0; i < state.types.size(); i++)
    defineResult(parser, state, i, state.types[i]);
  return success();
}

static void printOperandList(OpAsmPrinter &p, ValueRange values) {
  p << "(";
  llvm::interleaveComma(values, p, [&](Value v) { p << v; });
  p << ")";
}

static void printResults(OpAsmPrinter &p, TypeRange types) {
  p << " : ";
  llvm::interleaveComma(types, p, [&](Type type) { p << toString(type); });
}

ParseResult CallOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr callee;
  if (expectNames(parser, state) || parser.parseAttribute(callee, "callee", state.attributes) ||
      parseOperandList(parser, state, AsmParser::Delimiter::Paren))
    return failure();
  return parseResults(parser, state, "call");
}
void CallOp::print(OpAsmPrinter &p) {
  p << " " << getCalleeAttr();
  printOperandList(p, getOperands());
  printResults(p, getResultTypes());
}
unsigned CallOp::getNumScanned() { return 0; }
unsigned CallOp::getNumCarried() { return 0; }

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr callee;
  if (expectNames(parser, state) || parser.parseAttribute(callee, "callee", state.attributes) ||
      parser.parseKeyword("over"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parseOperandList(parser, state, AsmParser::Delimiter::Paren))
    return failure();
  if (state.operands.empty())
    return errorAt(parser, loc) << "expected a value to scan over: its leading axis says how often the graph runs";
  SmallVector<int32_t> segments{int32_t(state.operands.size())};
  for (StringRef word : {"with", "carry", "states"}) {
    size_t before = state.operands.size();
    if (succeeded(parser.parseOptionalKeyword(word)) && parseOperandList(parser, state, AsmParser::Delimiter::Paren))
      return failure();
    segments.push_back(state.operands.size() - before);
  }
  state.addAttribute(getOperandSegmentSizeAttr(), parser.getBuilder().getDenseI32ArrayAttr(segments));
  return parseResults(parser, state, "scan");
}
void ScanOp::print(OpAsmPrinter &p) {
  p << " " << getCalleeAttr() << " over";
  printOperandList(p, getOver());
  auto printNamed = [&](StringRef word, OperandRange values) {
    if (values.empty())
      return;
    p << " " << word;
    printOperandList(p, values);
  };
  printNamed("with", getWhole());
  printNamed("carry", getCarry());
  printNamed("states", getStates());
  printResults(p, getResultTypes());
}
unsigned ScanOp::getNumScanned() { return getOver().size(); }
unsigned ScanOp::getNumCarried() { return getCarry().size(); }
DimAttr ScanOp::getCount() { return cast<TensorType>(getOver().front().getType()).getDims().front(); }
GraphOp ScanOp::getBody() { return SymbolTable::lookupNearestSymbolFrom<GraphOp>(*this, getCalleeAttr()); }
} // namespace nova
