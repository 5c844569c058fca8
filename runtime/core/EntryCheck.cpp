//===- EntryCheck.cpp -----------------------------------------------------===//

#include "runtime/core/EntryCheck.h"

using namespace nova::runtime;

namespace {

enum class PortKind { Argument, Result };

/// "argument K", "param W" or "result O".
std::string place(PortKind kind, const Port &port) {
  const char *what = kind == PortKind::Result ? "result " : port.isParam ? "param " : "argument ";
  return what + port.name;
}
std::string place(PortKind kind, const Port &port, size_t axis) { return concat(place(kind, port), ", axis ", axis); }

/// "n = 3"; a constant is its own value.
std::string valueText(const std::string &expression, int64_t value) {
  std::string number = std::to_string(value);
  return expression == number ? number : concat(expression, " = ", number);
}

/// The bytes of a tensor; false if they are more than 63 bits hold.
bool tensorBytes(const nova_tensor_t &tensor, int64_t &bytes) {
  if (tensor.type != NOVA_I4 || tensor.rank == 0)
    return denseBytes(tensor.dims, tensor.rank, nova_type_size(tensor.type), bytes);
  int64_t width = tensor.dims[tensor.rank - 1];
  return denseBytes(tensor.dims, tensor.rank - 1, width / 2 + width % 2, bytes);
}

/// What can be said of a tensor without knowing any symbol: type, rank, sizes, data.
Status checkTensor(PortKind kind, const Port &port, const nova_tensor_t &tensor, DataCheck data) {
  if (tensor.type != port.type) {
    const char *found = nova_type_name(tensor.type);
    return fail(NOVA_SHAPE_MISMATCH, place(kind, port), ": expected type ", nova_type_name(port.type), ", found ",
                found ? found : "no element type");
  }
  if (tensor.rank != static_cast<int32_t>(port.dims.size()))
    return fail(NOVA_SHAPE_MISMATCH, place(kind, port), ": expected rank ", port.dims.size(), ", found ", tensor.rank);
  if (tensor.rank > 0 && !tensor.dims)
    return fail(NOVA_INVALID_ARGUMENT, place(kind, port), ": dims is null");
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    if (tensor.dims[axis] < 0)
      return fail(NOVA_SHAPE_MISMATCH, place(kind, port, axis), ": expected a size of 0 or more, found ",
                  tensor.dims[axis]);
  size_t elementSize = nova_type_size(port.type);
  int64_t bytes;
  if (!tensorBytes(tensor, bytes))
    return fail(NOVA_SHAPE_MISMATCH, place(kind, port), ": its size in bytes is more than 63 bits hold");
  if (data == DataCheck::Ignored || bytes == 0)
    return Status::success();
  if (!tensor.data)
    return fail(NOVA_INVALID_ARGUMENT, place(kind, port), ": data is null");
  if (reinterpret_cast<uintptr_t>(tensor.data) % elementSize != 0)
    return fail(NOVA_INVALID_ARGUMENT, place(kind, port), ": expected data aligned to ", elementSize, " bytes");
  return Status::success();
}

/// "d" -> "d = 64"; for a longer expression also the values of its symbols.
std::string valuesOf(const Manifest &manifest, const std::vector<uint32_t> &symbols, const int64_t *dims) {
  std::string text;
  for (uint32_t symbol : symbols)
    text += concat(text.empty() ? "" : ", ", manifest.symbols[symbol], " = ", dims[symbol]);
  return text;
}

/// The argument check of one call, or of the params alone.
class ArgumentCheck {
public:
  ArgumentCheck(const Manifest &manifest, const SessionSizes *session, const nova_tensor_t *params,
                const nova_tensor_t *arguments, int64_t *dims)
      : manifest(manifest), session(session), params(params), arguments(arguments), dims(dims) {}

  /// Checks what the params alone decide.
  Status bindParams() {
    if (Status status = checkTensors(/*ofParams=*/true, DataCheck::Required))
      return status;
    for (const Binding &binding : manifest.bindings)
      if (binding.plain && manifest.arguments[binding.argument].isParam)
        dims[binding.symbol] = sizeOf(binding.argument, binding.axis);
    for (size_t i = 0; i < manifest.arguments.size(); ++i)
      for (size_t axis = 0; axis < manifest.arguments[i].dims.size(); ++axis)
        if (manifest.arguments[i].isParam && manifest.knownFromParams(manifest.arguments[i].dims[axis]))
          if (Status status = checkSize(i, axis))
            return status;
    return checkClauses(/*settled=*/true);
  }

  /// Checks everything that is not settled.
  Status run(DataCheck data) {
    if (Status status = checkTensors(/*ofParams=*/false, data))
      return status;
    if (Status status = bindSequence())
      return status;
    if (Status status = bindSymbols())
      return status;
    for (size_t i = 0; i < manifest.arguments.size(); ++i)
      for (size_t axis = 0; !manifest.arguments[i].settled && axis < manifest.arguments[i].dims.size(); ++axis)
        if (Status status = checkSize(i, axis))
          return status;
    return checkClauses(/*settled=*/false);
  }

private:
  const nova_tensor_t &tensor(size_t argument) const {
    const Port &port = manifest.arguments[argument];
    return (port.isParam ? params : arguments)[port.position];
  }

  int64_t sizeOf(size_t argument, size_t axis) const { return tensor(argument).dims[axis]; }

  Status checkTensors(bool ofParams, DataCheck data) const {
    for (size_t i = 0; i < manifest.arguments.size(); ++i)
      if (const Port &port = manifest.arguments[i]; port.isParam == ofParams)
        if (Status status = checkTensor(PortKind::Argument, port, tensor(i), data))
          return status;
    return Status::success();
  }

  Status checkClauses(bool settled) const {
    for (const Clause &clause : manifest.clauses)
      if (clause.settled == settled)
        if (Status status = checkClause(clause))
          return status;
    return Status::success();
  }

  bool isSequenceAxis(size_t argument, size_t axis) const {
    return manifest.arguments[argument].sequenceAxis == static_cast<int32_t>(axis);
  }

  /// The first argument with a sequence axis tells how many rows there are.
  size_t sequenceArgument() const {
    size_t first = 0;
    while (manifest.arguments[first].sequenceAxis < 0)
      ++first;
    return first;
  }

  Status bindSequence() {
    if (!manifest.hasSequence)
      return Status::success();
    size_t first = sequenceArgument();
    int64_t rows = sizeOf(first, static_cast<size_t>(manifest.arguments[first].sequenceAxis));
    int64_t past = session ? session->length : 0, whole;
    if (__builtin_add_overflow(past, rows, &whole))
      return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Argument, manifest.arguments[first]), ": ", rows, " rows after ",
                  past, " are more than 63 bits hold");
    dims[manifest.sequence.rows] = rows;
    dims[manifest.sequence.past] = past;
    dims[manifest.sequence.whole] = whole;
    return Status::success();
  }

  Status bindSymbols() {
    const int64_t *fixed = session ? session->symbols : nullptr;
    for (const Binding &binding : manifest.bindings) {
      int64_t found = sizeOf(binding.argument, binding.axis);
      if (fixed)
        dims[binding.symbol] = fixed[binding.symbol];
      else if (binding.plain)
        dims[binding.symbol] = found;
      else if (Status status = solve(binding, found))
        return status;
    }
    return Status::success();
  }

  /// Finds the symbol of factor * symbol + rest = found.
  Status solve(const Binding &binding, int64_t found) {
    const Port &port = manifest.arguments[binding.argument];
    const Dim &size = port.dims[binding.axis];
    const std::string &name = manifest.symbols[binding.symbol];
    int64_t factor, rest, product;
    if (!binding.factor.evaluate(dims, factor) || !binding.rest.evaluate(dims, rest) ||
        __builtin_sub_overflow(found, rest, &product) || (factor == -1 && product == INT64_MIN))
      return overflow(port, binding.axis);
    if (factor == 0)
      return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Argument, port, binding.axis), ": ", size.text(),
                  " does not determine ", name, known(binding));
    if (product % factor != 0 || product / factor < 0)
      return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Argument, port, binding.axis), ": expected ", size.text(),
                  " for a size ", name, " of 0 or more, found ", found, known(binding));
    dims[binding.symbol] = product / factor;
    return Status::success();
  }

  /// ", where H = 2": the symbols that were known when a binding was solved.
  std::string known(const Binding &binding) const {
    std::vector<uint32_t> symbols;
    for (uint32_t symbol : manifest.arguments[binding.argument].dims[binding.axis].symbols())
      if (symbol != binding.symbol)
        symbols.push_back(symbol);
    return symbols.empty() ? std::string() : ", where " + valuesOf(manifest, symbols, dims);
  }

  static Status overflow(const Port &port, size_t axis) {
    return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Argument, port, axis), ": ", port.dims[axis].text(),
                " is more than 63 bits hold");
  }

  Status checkSize(size_t argument, size_t axis) {
    const Port &port = manifest.arguments[argument];
    int64_t expected, found = sizeOf(argument, axis);
    bool newRows = session && isSequenceAxis(argument, axis);
    if (newRows)
      expected = dims[manifest.sequence.rows];
    else if (!port.dims[axis].evaluate(dims, expected))
      return overflow(port, axis);
    if (expected == found)
      return Status::success();
    const std::string text = newRows ? manifest.symbols[manifest.sequence.rows] : port.dims[axis].text();
    return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Argument, port, axis), ": expected ", valueText(text, expected),
                origin(port.dims[axis], newRows), ", found ", found);
  }

  /// " (from argument Q, axis 0)": where the value of an expected size came from.
  std::string origin(const Dim &size, bool newRows) const {
    std::string text;
    std::vector<uint32_t> symbols = size.symbols();
    for (uint32_t symbol : symbols) {
      text += text.empty() ? " (" : ", ";
      if (symbols.size() > 1 || size.plainSymbol() < 0)
        text += concat(manifest.symbols[symbol], " = ", dims[symbol], " ");
      text += "from " + source(symbol, newRows);
    }
    return text.empty() ? text : text + ")";
  }

  std::string source(uint32_t symbol, bool newRows) const {
    if (manifest.hasSequence && symbol == manifest.sequence.whole) {
      size_t first = sequenceArgument();
      std::string rows = place(PortKind::Argument, manifest.arguments[first], manifest.arguments[first].sequenceAxis);
      return session && !newRows ? concat("the session's ", session->length, " rows and ", rows) : rows;
    }
    bool inSession = session && session->symbols;
    for (const Binding &binding : manifest.bindings)
      if (const Port &port = manifest.arguments[binding.argument];
          binding.symbol == symbol && (port.isParam || !inSession))
        return place(PortKind::Argument, port, binding.axis);
    return inSession ? "the session" : "the call";
  }

  Status checkClause(const Clause &clause) const {
    int64_t lhs, rhs;
    if (!clause.lhs.evaluate(dims, lhs) || !clause.rhs.evaluate(dims, rhs))
      return fail(NOVA_SHAPE_MISMATCH, "clause ", clause.text,
                  ": a side is more than 63 bits hold: ", valuesOf(manifest, clauseSymbols(clause), dims));
    if (holds(lhs, clause.relation, rhs))
      return Status::success();
    return fail(NOVA_SHAPE_MISMATCH, "clause ", clause.text,
                " does not hold: ", valuesOf(manifest, clauseSymbols(clause), dims));
  }

  static std::vector<uint32_t> clauseSymbols(const Clause &clause) {
    std::vector<uint32_t> symbols = clause.lhs.symbols();
    for (uint32_t symbol : clause.rhs.symbols())
      if (clause.lhs.degree(symbol) == 0)
        symbols.push_back(symbol);
    return symbols;
  }

  static bool holds(int64_t lhs, Relation relation, int64_t rhs) {
    switch (relation) {
    case Relation::GreaterEqual:
      return lhs >= rhs;
    case Relation::LessEqual:
      return lhs <= rhs;
    case Relation::Equal:
      return lhs == rhs;
    case Relation::Greater:
      return lhs > rhs;
    case Relation::Less:
      return lhs < rhs;
    }
    return false;
  }

  const Manifest &manifest;
  const SessionSizes *session;
  const nova_tensor_t *params, *arguments;
  int64_t *dims;
};

Status checkCount(const char *what, size_t expected, size_t found, const nova_tensor_t *tensors) {
  if (expected != found)
    return fail(NOVA_INVALID_ARGUMENT, "expected ", expected, " ", what, ", found ", found);
  if (found > 0 && !tensors)
    return fail(NOVA_INVALID_ARGUMENT, "the array of ", what, " is null");
  return Status::success();
}

} // namespace

Status nova::runtime::checkParams(const Manifest &manifest, const nova_tensor_t *params, size_t count, int64_t *dims) {
  if (Status status = checkCount("params", manifest.params, count, params))
    return status;
  return ArgumentCheck(manifest, nullptr, params, nullptr, dims).bindParams();
}

Status nova::runtime::checkArguments(const Manifest &manifest, const SessionSizes *session, const nova_tensor_t *params,
                                     const nova_tensor_t *arguments, size_t count, DataCheck data, int64_t *dims) {
  const char *what = manifest.params > 0 ? "arguments that are no params" : "arguments";
  if (Status status = checkCount(what, manifest.arguments.size() - manifest.params, count, arguments))
    return status;
  return ArgumentCheck(manifest, session, params, arguments, dims).run(data);
}

Status nova::runtime::resultSize(const Manifest &manifest, bool extends, size_t result, size_t axis,
                                 const int64_t *dims, int64_t &size) {
  const Port &port = manifest.results[result];
  if (extends && port.sequenceAxis == static_cast<int32_t>(axis)) {
    size = dims[manifest.sequence.rows];
    return Status::success();
  }
  if (!port.dims[axis].evaluate(dims, size))
    return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Result, port, axis), ": ", port.dims[axis].text(),
                " is more than 63 bits hold");
  if (size < 0)
    return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Result, port, axis), ": expected ", port.dims[axis].text(),
                " to be 0 or more, found ", size);
  return Status::success();
}

Status nova::runtime::checkResults(const Manifest &manifest, bool extends, const nova_tensor_t *results, size_t count,
                                   const int64_t *dims) {
  if (Status status = checkCount("results", manifest.results.size(), count, results))
    return status;
  for (size_t i = 0; i < count; ++i) {
    const Port &port = manifest.results[i];
    if (Status status = checkTensor(PortKind::Result, port, results[i], DataCheck::Required))
      return status;
    for (size_t axis = 0; axis < port.dims.size(); ++axis) {
      int64_t expected;
      if (Status status = resultSize(manifest, extends, i, axis, dims, expected))
        return status;
      if (results[i].dims[axis] == expected)
        continue;
      bool newRows = extends && port.sequenceAxis == static_cast<int32_t>(axis);
      return fail(NOVA_SHAPE_MISMATCH, place(PortKind::Result, port, axis), ": expected ",
                  valueText(newRows ? manifest.symbols[manifest.sequence.rows] : port.dims[axis].text(), expected),
                  ", found ", results[i].dims[axis]);
    }
  }
  return Status::success();
}

int64_t nova::runtime::checkedBytes(const nova_tensor_t &tensor) {
  int64_t bytes = 0;
  return tensorBytes(tensor, bytes) ? bytes : 0;
}
