#include "compiler/analysis/Witness.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Storage.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>
#include <set>

using namespace mlir;
using nova::reference::BFloat16;
using nova::reference::Element;
using nova::reference::Float16;
using nova::reference::Tensor;

namespace nova {
static ArrayRef<DimAttr> dimsOf(Type type) { return cast<TensorType>(type).getDims(); }

// The entries of a tensor as blocks: outer x size-of-axis x inner bytes.
namespace {
struct Blocks {
  int64_t outer = 1, rows = 1, inner;
  Blocks(const Tensor &x, unsigned axis) : inner(byteSize(x.element)) {
    for (unsigned k = 0; k < x.shape.size(); k++)
      (k < axis ? outer : k == axis ? rows : inner) *= x.shape[k];
  }
};
} // namespace

static Tensor takeRows(const Tensor &x, unsigned axis, int64_t first, int64_t count) {
  std::vector<int64_t> shape = x.shape;
  shape[axis] = count;
  Tensor result(x.element, shape);
  Blocks from(x, axis);
  for (int64_t o = 0; o < from.outer; o++)
    std::memcpy(result.bytes.data() + o * count * from.inner, x.bytes.data() + (o * from.rows + first) * from.inner,
                count * from.inner);
  return result;
}

// A value of entry `index` under `seed`: small, exact in every type, with sums and products that differ.
static void setEntry(Tensor &x, int64_t index, uint64_t seed) {
  uint64_t mixed = (uint64_t(index) + 1) * 0x9E3779B97F4A7C15u + seed * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 29)) * 0x94D049BB133111EBu;
  int64_t small = int64_t((mixed >> 33) % 17) - 8;
  // Integers are often indices: every other seed draws 0 and 1.
  int64_t whole = seed / 64 % 2 ? small : small & 1;
  switch (x.element) {
  case Element::F64:
    x.data<double>()[index] = double(small) / 4;
    break;
  case Element::F32:
    x.data<float>()[index] = float(small) / 4;
    break;
  case Element::I64:
    x.data<int64_t>()[index] = whole;
    break;
  case Element::I32:
    x.data<int32_t>()[index] = int32_t(whole);
    break;
  case Element::I1:
    x.data<uint8_t>()[index] = uint8_t(mixed >> 40 & 1);
    break;
  case Element::BF16:
    x.data<BFloat16>()[index] = reference::narrow<BFloat16>(double(small) / 4);
    break;
  case Element::F16:
    x.data<Float16>()[index] = reference::narrow<Float16>(double(small) / 4);
    break;
  case Element::I8:
  case Element::I4:
    x.data<int8_t>()[index] = int8_t(std::min<int64_t>(small, 7));
    break;
  }
}

namespace {
class Search {
public:
  Search(GraphOp core, const Dependence &dependence) : core(core), dependence(dependence), facts(factsOf(core)) {}
  std::optional<Witness> run();

private:
  bool readSignature();
  std::vector<Bindings> smallSizes(int64_t rows);
  Tensor fill(unsigned argument, const Bindings &sizes, uint64_t seed);
  std::optional<std::vector<Tensor>> execute(const std::vector<Tensor> &arguments);
  std::optional<Witness> tryInput(const Bindings &sizes, uint64_t seed);
  bool findChange(Witness &witness, const std::vector<Tensor> &before, const std::vector<Tensor> &after);

  GraphOp core;
  const Dependence &dependence;
  Facts facts;
  SmallVector<std::optional<unsigned>> argumentAxis, resultAxis;
  int64_t runsLeft = 0;
};
} // namespace

bool Search::readSignature() {
  auto read = [&](Type type, SmallVectorImpl<std::optional<unsigned>> &axes) {
    axes.push_back(std::nullopt);
    for (auto [k, dim] : llvm::enumerate(dimsOf(type)))
      if (carriesSequence(dim, dependence.sequence, facts)) {
        if (axes.back())
          return false;
        axes.back() = k;
      }
    return true;
  };
  for (Type type : core.getFunctionTypeValue().getInputs())
    if (!read(type, argumentAxis))
      return false;
  for (Type type : core.getFunctionTypeValue().getResults())
    if (!read(type, resultAxis))
      return false;
  return true;
}

// Sizes with this many rows: the smallest that the clauses allow, by sum; first those without empty axes. Then all
// sizes as large as the rows: what is read may lie beyond an axis of size 1.
std::vector<Bindings> Search::smallSizes(int64_t rows) {
  std::set<std::string> names;
  auto collect = [&](DimAttr dim) {
    for (Attribute atom : dim.getAtoms())
      names.insert(cast<StringAttr>(atom).str());
  };
  for (Type type : core.getFunctionTypeValue().getInputs())
    llvm::for_each(dimsOf(type), collect);
  for (Attribute clause : core.getClauses()) {
    collect(cast<ClauseAttr>(clause).getLhs());
    collect(cast<ClauseAttr>(clause).getRhs());
  }
  std::vector<std::string> symbols(names.begin(), names.end());
  constexpr int64_t largest = 8, wanted = 2, budget = 50000;
  constexpr size_t mostSymbols = 16; // beyond, the search would not come to an end
  if (symbols.size() > mostSymbols)
    return {};
  std::vector<Bindings> found;
  Bindings sizes;
  int64_t tried = 0;
  std::function<void(size_t, int64_t, int64_t)> assign = [&](size_t i, int64_t left, int64_t least) {
    if (int64_t(found.size()) >= wanted || tried > budget)
      return;
    if (i == symbols.size()) {
      tried++;
      if (left == 0 &&
          evaluateDim(facts.normalize(symbolDim(core.getContext(), dependence.sequence.getValue())), sizes) == rows &&
          llvm::all_of(core.getClauses(),
                       [&](Attribute c) { return holds(cast<ClauseAttr>(c), sizes).value_or(false); }))
        found.push_back(sizes);
      return;
    }
    bool isSequence = symbols[i] == dependence.sequence.getValue();
    for (int64_t v = isSequence ? rows : least; v <= std::min(isSequence ? rows : largest, left); v++) {
      sizes[symbols[i]] = v;
      assign(i + 1, left - v, least);
    }
  };
  for (int64_t least : {1, 0})
    for (int64_t sum = rows; found.empty() && sum <= int64_t(symbols.size()) * largest && tried <= budget; sum++)
      assign(0, sum, least);
  for (const std::string &symbol : symbols)
    sizes[symbol] = rows;
  if (llvm::all_of(core.getClauses(), [&](Attribute c) { return holds(cast<ClauseAttr>(c), sizes).value_or(false); }))
    found.push_back(sizes);
  return found;
}

Tensor Search::fill(unsigned argument, const Bindings &sizes, uint64_t seed) {
  std::vector<int64_t> shape;
  for (DimAttr dim : dimsOf(core.getArgumentType(argument)))
    shape.push_back(evaluateDim(dim, sizes).value_or(0));
  Tensor result(*elementOf(core.getArgumentType(argument).getElementType()), shape);
  for (int64_t i = 0; i < result.size(); i++)
    setEntry(result, i, seed * 64 + argument);
  return result;
}

std::optional<std::vector<Tensor>> Search::execute(const std::vector<Tensor> &arguments) {
  runsLeft--;
  auto results = interpret(core, arguments);
  if (results)
    return std::move(*results);
  llvm::consumeError(results.takeError()); // a division by zero, say: another input may do
  return std::nullopt;
}

// The first row before the changed one that differs, result by result.
bool Search::findChange(Witness &witness, const std::vector<Tensor> &before, const std::vector<Tensor> &after) {
  for (unsigned r = 0; r < before.size(); r++) {
    witness.result = r;
    witness.hasRows = resultAxis[r].has_value();
    if (!witness.hasRows) {
      witness.row = 0;
      witness.rowBefore = before[r];
      witness.rowAfter = after[r];
      if (before[r].bytes != after[r].bytes)
        return true;
      continue;
    }
    for (int64_t i = 0; i < witness.changedRow; i++) {
      witness.row = i;
      witness.rowBefore = takeRows(before[r], *resultAxis[r], i, 1);
      witness.rowAfter = takeRows(after[r], *resultAxis[r], i, 1);
      if (witness.rowBefore.bytes != witness.rowAfter.bytes)
        return true;
    }
  }
  return false;
}

std::optional<Witness> Search::tryInput(const Bindings &sizes, uint64_t seed) {
  Witness witness;
  witness.sizes = sizes;
  for (unsigned a = 0; a < argumentAxis.size(); a++)
    witness.before.push_back(fill(a, sizes, seed));
  std::optional<std::vector<Tensor>> before = execute(witness.before);
  if (!before)
    return std::nullopt;
  // Another value in one later row.
  for (unsigned a = 0; a < argumentAxis.size(); a++) {
    if (!argumentAxis[a] || dependence.arguments[a] != DependenceClass::Full)
      continue;
    Blocks blocks(witness.before[a], *argumentAxis[a]);
    int64_t perRow = blocks.inner / int64_t(byteSize(witness.before[a].element));
    for (int64_t j = blocks.rows - 1; j >= 1 && runsLeft > 0; j--) {
      witness.after = witness.before;
      witness.argument = a;
      witness.changedRow = j;
      for (int64_t o = 0; o < blocks.outer; o++)
        for (int64_t x = 0; x < perRow; x++)
          setEntry(witness.after[a], (o * blocks.rows + j) * perRow + x, seed * 64 + a + 32);
      std::optional<std::vector<Tensor>> after = execute(witness.after);
      if (after && findChange(witness, *before, *after))
        return witness;
    }
  }
  // One row more: the same inputs, cut from the longer ones.
  if (runsLeft <= 0)
    return std::nullopt;
  witness.after = witness.before;
  witness.grown = true;
  for (unsigned a = 0; a < argumentAxis.size(); a++)
    if (argumentAxis[a]) {
      witness.changedRow = witness.after[a].shape[*argumentAxis[a]] - 1;
      witness.before[a] = takeRows(witness.after[a], *argumentAxis[a], 0, witness.changedRow);
    }
  std::optional<std::vector<Tensor>> shorter = execute(witness.before);
  if (shorter && findChange(witness, *shorter, *before))
    return witness;
  return std::nullopt;
}

std::optional<Witness> Search::run() {
  if (!dependence.sequence || !readSignature())
    return std::nullopt;
  for (Type type : core.getFunctionTypeValue().getInputs())
    if (!elementOf(cast<TensorType>(type).getElementType()))
      return std::nullopt;
  int64_t operations = std::distance(core.getBlock().begin(), core.getBlock().end());
  runsLeft = std::clamp<int64_t>(1000000 / operations, 4, 400);
  for (int64_t rows = 2; rows <= 6; rows++)
    for (const Bindings &sizes : smallSizes(rows))
      for (uint64_t seed = 1; seed <= 3 && runsLeft > 0; seed++)
        if (std::optional<Witness> witness = tryInput(sizes, seed))
          return witness;
  return std::nullopt;
}

std::optional<Witness> findWitness(GraphOp core, const Dependence &dependence) {
  return Search(core, dependence).run();
}

static std::string entryText(const Tensor &x, int64_t i) {
  switch (x.element) {
  case Element::F64:
    return literalText(x.data<double>()[i]);
  case Element::F32:
    return literalText(x.data<float>()[i]);
  case Element::I64:
    return std::to_string(x.data<int64_t>()[i]);
  case Element::I32:
    return std::to_string(x.data<int32_t>()[i]);
  case Element::I1:
    return x.data<uint8_t>()[i] ? "true" : "false";
  case Element::BF16:
    return literalText(reference::widen(x.data<BFloat16>()[i]));
  case Element::F16:
    return literalText(reference::widen(x.data<Float16>()[i]));
  case Element::I8:
  case Element::I4:
    return std::to_string(x.data<int8_t>()[i]);
  }
  llvm_unreachable("all elements are listed");
}

static std::string tensorText(const Tensor &x, unsigned axis, int64_t &next) {
  if (axis == x.shape.size())
    return entryText(x, next++);
  std::string text = "[";
  for (int64_t i = 0; i < x.shape[axis]; i++)
    text += (i ? ", " : "") + tensorText(x, axis + 1, next);
  return text + "]";
}
static std::string tensorText(const Tensor &x) {
  int64_t next = 0;
  return tensorText(x, 0, next);
}

std::string Witness::text(GraphOp core) const {
  auto argumentName = [&](unsigned a) { return "%" + core.getArgName(a).str(); };
  std::string text = "at " + toString(sizes) + " two inputs that ";
  text += grown ? "agree in all rows but the last, which only the second has"
                : "differ only in row " + std::to_string(changedRow) + " of " + argumentName(argument);
  for (unsigned a = 0; a < before.size(); a++) {
    text += "\n  " + argumentName(a) + " = " + tensorText(before[a]);
    if (before[a].bytes != after[a].bytes)
      text += " and " + tensorText(after[a]);
  }
  std::string name = valueName(core.getReturn().getOperand(result));
  text += "\n" + (hasRows ? "row " + std::to_string(row) + " of " : std::string()) +
          (name.empty() ? "result " + std::to_string(result) : name) + " becomes " + tensorText(rowBefore) + " and " +
          tensorText(rowAfter);
  return text;
}
} // namespace nova
