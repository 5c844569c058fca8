//===- Arguments.cpp - The entry check of the interpreter --------------------===//
#include "compiler/reference/Arguments.h"

#include "dialects/graph/Text.h"

using namespace mlir;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova {

std::optional<Element> elementOf(Type type) {
  if (type.isF64())
    return Element::F64;
  if (type.isF32())
    return Element::F32;
  if (type.isInteger(64))
    return Element::I64;
  if (type.isInteger(32))
    return Element::I32;
  if (type.isInteger(1))
    return Element::I1;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF16())
    return Element::F16;
  if (type.isInteger(8))
    return Element::I8;
  if (type.isInteger(4))
    return Element::I4;
  return std::nullopt;
}

namespace {

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

class ArgumentCheck {
public:
  ArgumentCheck(GraphOp graph, ArrayRef<const Tensor *> arguments, const Bindings &known)
      : graph(graph), arguments(arguments), bindings(known) {}

  llvm::Expected<Bindings> run() {
    unsigned expected = graph.getNumGraphArguments();
    if (arguments.size() != expected)
      return fail("expected " + llvm::Twine(expected) + " arguments, found " + llvm::Twine(arguments.size()));
    for (unsigned i = 0; i < expected; ++i)
      if (llvm::Error error = checkTensor(i))
        return std::move(error);
    bindPlainSymbols();
    if (llvm::Error error = bindBySolving())
      return std::move(error);
    for (unsigned i = 0; i < expected; ++i)
      for (size_t axis = 0; axis < arguments[i]->shape.size(); ++axis)
        if (llvm::Error error = checkSize(i, axis))
          return std::move(error);
    if (llvm::Error error = checkClauses(graph, bindings))
      return std::move(error);
    return std::move(bindings);
  }

private:
  std::string place(unsigned argument) const { return ("argument " + graph.getArgName(argument)).str(); }
  std::string place(unsigned argument, size_t axis) const { return place(argument) + ", axis " + std::to_string(axis); }
  DimAttr dim(unsigned argument, size_t axis) const { return graph.getArgumentType(argument).getDims()[axis]; }

  llvm::Error checkTensor(unsigned i) {
    TensorType type = graph.getArgumentType(i);
    if (elementOf(type.getElementType()) != arguments[i]->element)
      return fail(place(i) + ": expected type " + elementText(type.getElementType()) + ", found " +
                  reference::toString(arguments[i]->element));
    if (type.getRank() != static_cast<int64_t>(arguments[i]->shape.size()))
      return fail(place(i) + ": expected rank " + llvm::Twine(type.getRank()) + ", found " +
                  llvm::Twine(arguments[i]->shape.size()));
    return llvm::Error::success();
  }

  void bind(StringRef symbol, int64_t value, unsigned argument, size_t axis) {
    bindings[symbol] = value;
    origins[symbol] = place(argument, axis);
  }

  /// `n` as a whole size binds at its first occurrence.
  void bindPlainSymbols() {
    for (unsigned i = 0; i < arguments.size(); ++i)
      for (size_t axis = 0; axis < arguments[i]->shape.size(); ++axis)
        if (StringAttr symbol = asSymbol(dim(i, axis)); symbol && !bindings.contains(symbol))
          bind(symbol, arguments[i]->shape[axis], i, axis);
  }

  /// Sizes such as `2 * n + d` give a symbol that occurs once, linearly, when the others are known.
  llvm::Error bindBySolving() {
    for (bool progress = true; progress;) {
      progress = false;
      for (unsigned i = 0; i < arguments.size(); ++i)
        for (size_t axis = 0; axis < arguments[i]->shape.size(); ++axis) {
          StringAttr symbol = onlyUnbound(dim(i, axis));
          if (!symbol)
            continue;
          if (llvm::Error error = solve(i, axis, symbol))
            return error;
          progress = true;
        }
    }
    for (unsigned i = 0; i < arguments.size(); ++i)
      for (size_t axis = 0; axis < arguments[i]->shape.size(); ++axis)
        for (Attribute atom : dim(i, axis).getAtoms())
          if (!bindings.contains(cast<StringAttr>(atom)))
            return fail(place(i, axis) + ": " + toString(dim(i, axis)) + " does not determine " +
                        cast<StringAttr>(atom).getValue());
    return llvm::Error::success();
  }

  StringAttr onlyUnbound(DimAttr size) const {
    StringAttr found;
    for (Attribute atom : size.getAtoms()) {
      if (bindings.contains(cast<StringAttr>(atom)))
        continue;
      if (found)
        return {};
      found = cast<StringAttr>(atom);
    }
    return found;
  }

  /// Finds the symbol of factor * symbol + rest = found by its values at 0, 1 and 2: linear when they are in line.
  llvm::Error solve(unsigned i, size_t axis, StringAttr symbol) {
    DimAttr size = dim(i, axis);
    int64_t found = arguments[i]->shape[axis], at[3], factor, next, product;
    for (int64_t value : {0, 1, 2}) {
      Bindings trial = bindings;
      trial[symbol] = value;
      std::optional<int64_t> result = evaluateDim(size, trial);
      if (!result)
        return overflow(i, axis);
      at[value] = *result;
    }
    if (llvm::SubOverflow(at[1], at[0], factor) || llvm::SubOverflow(at[2], at[1], next) ||
        llvm::SubOverflow(found, at[0], product))
      return overflow(i, axis);
    if (factor == 0 || factor != next)
      return fail(place(i, axis) + ": " + toString(size) + " does not determine " + symbol.getValue());
    // A factor of -1 is taken apart because INT64_MIN / -1 has no value.
    bool whole = factor == -1 ? product <= 0 && product != INT64_MIN : product % factor == 0 && product / factor >= 0;
    if (!whole)
      return fail(place(i, axis) + ": expected " + toString(size) + " for a size " + symbol.getValue() +
                  " of 0 or more, found " + llvm::Twine(found));
    bind(symbol, product / factor, i, axis);
    return llvm::Error::success();
  }

  llvm::Error overflow(unsigned i, size_t axis) const {
    return fail(place(i, axis) + ": " + toString(dim(i, axis)) + " is more than 63 bits hold");
  }

  llvm::Error checkSize(unsigned i, size_t axis) const {
    DimAttr size = dim(i, axis);
    std::optional<int64_t> expected = evaluateDim(size, bindings);
    if (!expected)
      return overflow(i, axis);
    int64_t found = arguments[i]->shape[axis];
    if (*expected == found)
      return llvm::Error::success();
    return fail(place(i, axis) + ": expected " + toString(size) + " = " + llvm::Twine(*expected) + origin(size) +
                ", found " + llvm::Twine(found));
  }

  /// " (from argument Q, axis 0)": where the value of an expected size came from.
  std::string origin(DimAttr size) const {
    std::string text;
    for (Attribute atom : size.getAtoms()) {
      StringRef symbol = cast<StringAttr>(atom).getValue();
      text += text.empty() ? " (" : ", ";
      if (!asSymbol(size))
        text += symbol.str() + " = " + std::to_string(bindings.lookup(symbol)) + " ";
      auto known = origins.find(symbol);
      text += "from " + (known == origins.end() ? std::string("the call") : known->second);
    }
    return text.empty() ? text : text + ")";
  }

  mutable GraphOp graph; // MLIR's accessors are not const
  ArrayRef<const Tensor *> arguments;
  Bindings bindings;
  llvm::StringMap<std::string> origins;
};

} // namespace

llvm::Error checkClauses(GraphOp graph, const Bindings &sizes) {
  for (auto clause : graph.getClauses().getAsRange<ClauseAttr>()) {
    std::optional<bool> result = holds(clause, sizes);
    if (result && *result)
      continue;
    Bindings own;
    for (DimAttr side : {clause.getLhs(), clause.getRhs()})
      for (Attribute atom : side.getAtoms())
        own[cast<StringAttr>(atom)] = sizes.lookup(cast<StringAttr>(atom));
    return fail("clause " + toString(clause) + (result ? " does not hold: " : ": a side is more than 63 bits hold: ") +
                toString(own));
  }
  return llvm::Error::success();
}

llvm::Expected<Bindings> bindArguments(GraphOp graph, ArrayRef<const Tensor *> arguments, const Bindings &known) {
  return ArgumentCheck(graph, arguments, known).run();
}

} // namespace nova
