#include "compiler/identity/GraphTokens.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nova {
namespace {
// The bits of a literal's elements; one where all are the same.
std::vector<uint64_t> elementBits(DenseElementsAttr literal) {
  std::vector<uint64_t> bits;
  auto add = [&](const APInt &value) { bits.push_back(value.getZExtValue()); };
  if (isa<FloatType>(literal.getElementType())) {
    if (literal.isSplat())
      add(literal.getSplatValue<APFloat>().bitcastToAPInt());
    else
      for (const APFloat &value : literal.getValues<APFloat>())
        add(value.bitcastToAPInt());
  } else {
    if (literal.isSplat())
      add(literal.getSplatValue<APInt>());
    else
      for (const APInt &value : literal.getValues<APInt>())
        add(value);
  }
  // What holds equal elements one by one is the same literal as the splat of them.
  if (!bits.empty() && llvm::all_equal(bits))
    bits.resize(1);
  return bits;
}
} // namespace

DenseElementsAttr oneNaN(DenseElementsAttr literal) {
  auto element = dyn_cast<FloatType>(literal.getElementType());
  if (!element)
    return literal;
  APFloat nan = APFloat::getQNaN(element.getFloatSemantics());
  auto odd = [&](const APFloat &value) { return value.isNaN() && !value.bitwiseIsEqual(nan); };
  if (literal.isSplat())
    return odd(literal.getSplatValue<APFloat>()) ? DenseElementsAttr::get(literal.getType(), nan) : literal;
  SmallVector<APFloat> values(literal.getValues<APFloat>());
  if (llvm::none_of(values, odd))
    return literal;
  for (APFloat &value : values)
    if (value.isNaN())
      value = nan;
  return DenseElementsAttr::get(literal.getType(), values);
}

GraphTokens::GraphTokens(Tokens &tokens, GraphOp graph, const SymbolOrder &symbols, CalleeFn callee)
    : tokens(tokens), symbols(symbols), callee(callee), params(graph.getTypeParams()),
      bound(graph.getBoundArgs().value_or(ArrayRef<int64_t>())), signatureType(graph.getFunctionTypeValue()) {
  for (auto [i, param] : llvm::enumerate(params))
    typeParams[cast<TypeParamAttr>(param).getName()] = i;
}

template <typename T> llvm::StringRef GraphTokens::printed(T thing) {
  auto [it, fresh] = texts.try_emplace(thing.getAsOpaquePointer());
  if (fresh)
    llvm::raw_string_ostream(it->second) << thing;
  return it->second;
}

void GraphTokens::signature(ArrayRef<ClauseAttr> clauses) {
  tokens.count(params.size());
  for (Attribute attribute : params) {
    auto param = cast<TypeParamAttr>(attribute);
    tokens.part(Part::TypeParameter).text(param.getKind());
    type(param.getFallback());
  }
  tokens.count(signatureType.getNumInputs());
  for (auto [i, input] : llvm::enumerate(signatureType.getInputs())) {
    tokens.part(llvm::is_contained(bound, int64_t(i)) ? Part::BoundArgument : Part::Argument);
    type(input);
  }
  tokens.count(signatureType.getNumResults());
  for (Type result : signatureType.getResults()) {
    tokens.part(Part::Result);
    type(result);
  }
  tokens.count(clauses.size());
  for (ClauseAttr clause : clauses) {
    tokens.part(Part::Clause).text(clause.getRelation());
    dim(clause.getLhs());
    dim(clause.getRhs());
  }
}

void GraphTokens::operation(OperationName name, DictionaryAttr attributes, ArrayRef<unsigned> operands,
                            TypeRange results) {
  tokens.part(Part::Operation).text(name.getStringRef()).count(operands.size());
  for (unsigned operand : operands)
    tokens.integer(operand);
  tokens.count(attributes.size());
  // A dictionary is sorted by name.
  for (NamedAttribute named : attributes) {
    tokens.part(Part::Attribute).text(named.getName());
    attribute(named.getValue());
  }
  tokens.count(results.size());
  for (Type result : results)
    type(result);
}

void GraphTokens::type(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type)) {
    tokens.part(Part::Tensor);
    this->type(tensor.getElementType());
    tokens.count(tensor.getRank());
    for (DimAttr each : tensor.getDims())
      dim(each);
    return;
  }
  if (auto param = dyn_cast<ParamType>(type)) {
    auto it = typeParams.find(param.getName());
    if (it != typeParams.end()) {
      tokens.part(Part::ElementParameter).integer(it->second);
      return;
    }
  }
  tokens.part(Part::ElementType).text(printed(type));
}

void GraphTokens::dim(DimAttr dim) {
  NumberedDim numbered = symbols.number(dim);
  tokens.part(Part::Dimension).count(numbered.size());
  for (const NumberedTerm &term : numbered) {
    tokens.integer(term.coefficient).count(term.factors.size());
    for (auto [symbol, exponent] : term.factors)
      tokens.integer(symbol).integer(exponent);
  }
}

void GraphTokens::attribute(Attribute attribute) {
  llvm::TypeSwitch<Attribute>(attribute)
      .Case([&](FlatSymbolRefAttr symbol) {
        tokens.part(Part::Callee);
        callee(tokens, symbol);
      })
      .Case([&](DimAttr value) {
        tokens.part(Part::DimensionAttribute);
        dim(value);
      })
      .Case([&](TypeAttr value) {
        tokens.part(Part::TypeAttribute);
        type(value.getValue());
      })
      .Case([&](UnitAttr) { tokens.part(Part::UnitAttribute); })
      .Case([&](IntegerAttr value) {
        tokens.part(Part::IntegerAttribute)
            .text(printed(value.getType()))
            .text(llvm::toString(value.getValue(), 10, true));
      })
      .Case([&](DenseI64ArrayAttr value) {
        tokens.part(Part::IntegersAttribute).integer(64).count(value.size());
        for (int64_t each : value.asArrayRef())
          tokens.integer(each);
      })
      .Case([&](DenseI32ArrayAttr value) {
        tokens.part(Part::IntegersAttribute).integer(32).count(value.size());
        for (int32_t each : value.asArrayRef())
          tokens.integer(each);
      })
      .Case([&](ArrayAttr list) {
        tokens.part(Part::ListAttribute).count(list.size());
        for (Attribute each : list)
          this->attribute(each);
      })
      .Case([&](DenseElementsAttr literal) {
        if (!literal.getElementType().isIntOrFloat() || literal.getElementType().getIntOrFloatBitWidth() > 64) {
          tokens.part(Part::TextAttribute).text(printed(Attribute(literal)));
          return;
        }
        tokens.part(Part::LiteralAttribute).text(printed(literal.getElementType())).count(literal.getType().getRank());
        for (int64_t size : literal.getType().getShape())
          tokens.integer(size);
        tokens.words(elementBits(literal));
      })
      .Default([&](Attribute other) { tokens.part(Part::TextAttribute).text(printed(other)); });
}
} // namespace nova
