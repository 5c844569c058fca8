#include "tests/random/AnyGraph.h"
#include "tests/random/Coverage.h"
#include "tests/random/Parts.h"
#include "tests/random/SizeText.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace nova::test {
namespace {
constexpr size_t maxRank = 4;

// Called by random graphs, at any element type of their kind.
const char *const floatCallees = R"(graph @softmax<T: float = f64>(%x: T[a, b]) -> T[a, b] {
  %m = reduce_max %x, 1
  %z = subtract %x, %m
  %e = exp %z
  %t = reduce_sum %e, 1
  %y = divide %e, %t
  return %y
}
graph @hide<T: float = f64>(%x: T[a, b], %c: i1[a, b]) -> (T[a, b], T[a, 1]) {
  %zero = constant 0.0
  %y = where %c, %zero, %x
  %s = reduce_sum %y, 1
  return %y, %s
}
)";
const char *const integerCallees = R"(graph @square<T: int = i64>(%x: T[a, b]) -> T[a, b] {
  %one = constant 1
  %p = multiply %x, %x
  %y = add %p, %one
  return %y
}
)";

class Writer : Parts {
public:
  Writer(Draw &draw, GraphText &graph) : Parts(draw, graph) {}
  void write();

private:
  using Test = std::function<bool(unsigned)>;
  /// A value that passes the test; false where there is none.
  bool find(const Test &test, unsigned &found);
  bool findNumber(unsigned &x);
  bool findPartner(unsigned x, bool weak, unsigned &y);
  bool findMask(Dims dims, unsigned &mask);
  unsigned numberLike(unsigned x);
  bool isNumber(unsigned v) const { return kindOf(v) != Kind::I1 && !isWeak(kindOf(v)) && !isStored(kindOf(v)); }
  bool small(const Dims &dims) const;
  Dims someDims(size_t rank);
  Kind someKind();

  bool step();
  bool constants();
  bool arithmetic();
  bool integerDivision();
  bool hiddenQuotient(unsigned x, unsigned y);
  unsigned guardedDivisor(unsigned y);
  bool comparisonOrLogic();
  bool selection();
  bool hiding();
  bool reductionOf(unsigned x);
  bool layout();
  bool layoutOf(const std::string &op, unsigned x, unsigned &result);
  bool picked(unsigned x, unsigned &result);
  bool product();
  bool unaryOp();
  bool normalizer();
  bool callOf();
  bool callOf(unsigned x);
  void focus(const Cell &cell);

  std::vector<std::string> symbols;
  Kind favourite = Kind::F64;
  size_t favouriteRank = 2;
  std::set<unsigned> between; // nothing but what follows at once may read these
};
} // namespace

bool Writer::find(const Test &test, unsigned &found) {
  std::vector<unsigned> fitting;
  for (unsigned v = 0; v < g.size(); v++)
    if (!between.count(v) && test(v))
      fitting.push_back(v);
  if (fitting.empty())
    return false;
  // Mostly recent ones, so that graphs grow deep.
  found = draw.chance(60) ? fitting[fitting.size() - 1 - draw.below(std::min<size_t>(fitting.size(), 4))]
                          : draw.pick(fitting);
  return true;
}

bool Writer::findNumber(unsigned &x) {
  bool rank = draw.chance(50);
  return find([&](unsigned v) { return isNumber(v) && (!rank || dimsOf(v).size() == favouriteRank); }, x) ||
         find([&](unsigned v) { return isNumber(v); }, x);
}

// At most three symbols in one shape: the values stay small at every size.
bool Writer::small(const Dims &dims) const {
  unsigned count = 0;
  for (const std::string &dim : dims)
    count += symbolsIn(dim).size();
  return dims.size() <= maxRank && count <= 3;
}

bool Writer::findPartner(unsigned x, bool weak, unsigned &y) {
  Dims joint;
  auto fits = [&](unsigned v) { return broadcast(dimsOf(x), dimsOf(v), joint) && small(joint); };
  auto weakFits = [&](unsigned v) {
    return weak && isWeak(kindOf(v)) && isNumber(x) && !(isInteger(kindOf(x)) && kindOf(v) == Kind::WeakFloat);
  };
  if (weak && draw.chance(25) && find(weakFits, y))
    return true;
  if (draw.chance(15)) {
    y = scalar(literal(kindOf(x)), kindOf(x), draw.chance(50));
    return true;
  }
  return find([&](unsigned v) { return kindOf(v) == kindOf(x) && v != x && fits(v); }, y) ||
         find([&](unsigned v) { return kindOf(v) == kindOf(x) && fits(v); }, y);
}

// An i1 value that broadcasts to this shape without widening it: of indices, of data, or both.
bool Writer::findMask(Dims dims, unsigned &mask) {
  Dims joint;
  auto fits = [&](unsigned v) { return kindOf(v) == Kind::I1 && broadcast(dimsOf(v), dims, joint) && joint == dims; };
  if (dims.empty() || draw.chance(35))
    return find(fits, mask);
  auto along = [&](unsigned axis) {
    Dims one(dims.size(), "1");
    one[axis] = dims[axis];
    return iota(axis, one);
  };
  unsigned a = draw.below(dims.size()), b = draw.below(dims.size());
  unsigned left = along(a), right = a == b ? scalar(std::to_string(draw.below(4)), Kind::I64, true) : along(b);
  if (draw.chance(30))
    left = binary("add", left, scalar(std::to_string(int(draw.below(5)) - 2), Kind::I64, draw.chance(50)));
  mask = binary(draw.chance(60) ? "greater" : comparison(), left, right);
  unsigned other;
  if (draw.chance(25) && find(fits, other))
    mask = binary(draw.chance(50) ? "or" : "and", mask, other);
  if (draw.chance(15))
    mask = unary("not", mask);
  return true;
}

Dims Writer::someDims(size_t rank) {
  Dims dims;
  while (dims.size() < rank || !small(dims)) {
    if (dims.size() == rank)
      dims.clear();
    dims.push_back(draw.chance(65) ? draw.pick(symbols) : draw.pick<std::string>({"1", "1", "2", "3"}));
  }
  return dims;
}

Kind Writer::someKind() {
  return draw.chance(60) ? favourite
                         : draw.pick<Kind>({Kind::F64, Kind::F32, Kind::I64, Kind::I32, Kind::I1, someStored()});
}

bool Writer::constants() {
  Dims dims;
  for (size_t rank = draw.below(maxRank + 1); dims.size() < rank;)
    dims.push_back(draw.pick<std::string>({"1", "2", "3"}));
  switch (draw.below(4)) {
  case 0: {
    unsigned x;
    if (!find([&](unsigned v) { return !dimsOf(v).empty(); }, x))
      return false;
    g.add("size", {x}, ", " + std::to_string(draw.below(dimsOf(x).size())), Kind::WeakInt, {});
    return true;
  }
  case 1:
    tensorConstant(someKind(), dims);
    return true;
  case 2: {
    Dims shape = someDims(1 + draw.below(maxRank));
    iota(draw.below(shape.size()), shape);
    return true;
  }
  default: {
    Kind kind = someKind();
    scalar(literal(kind), kind, draw.chance(60));
    return true;
  }
  }
}

bool Writer::arithmetic() {
  unsigned x, y;
  if (!findNumber(x) || !findPartner(x, true, y))
    return false;
  std::string op = draw.pick<std::string>({"add", "subtract", "multiply", "divide", "max", "min"});
  bool floats = isFloat(kindOf(x)) && (isFloat(kindOf(y)) || isWeak(kindOf(y)));
  if (floats && draw.chance(10))
    op = "power";
  if (op == "divide" && isInteger(kindOf(x)))
    return integerDivision();
  draw.chance(50) ? binary(op, x, y) : binary(op, y, x);
  return true;
}

// Most divisors are kept from 0; some are 0 exactly where nothing looks at the quotient; a few are left as they are.
bool Writer::integerDivision() {
  unsigned x, y;
  if (!find([&](unsigned v) { return isInteger(kindOf(v)); }, x) || !findPartner(x, false, y))
    return false;
  if (draw.chance(35))
    return hiddenQuotient(x, y);
  binary("divide", x, draw.chance(12) ? y : guardedDivisor(y));
  return true;
}

unsigned Writer::guardedDivisor(unsigned y) {
  unsigned zero = scalar("0", kindOf(y), true);
  return where(binary("equal", y, zero), scalar(draw.pick<std::string>({"1", "-1", "3", "7"}), kindOf(y), true), y);
}

// The same mask gives the divisor its zeros and hides the quotient, at once or after a few steps. Nothing else reads
// what lies between, but for a few, which are divisions by zero then.
bool Writer::hiddenQuotient(unsigned x, unsigned y) {
  Dims joint;
  unsigned mask;
  broadcast(dimsOf(x), dimsOf(y), joint);
  Dims dims = joint;
  if (!small(dims) || !findMask(dims, mask))
    return false;
  bool leaks = draw.chance(25), opposite = draw.chance(30);
  auto inner = [&](unsigned v) {
    if (!leaks)
      between.insert(v);
    return v;
  };
  // Where the mask is true there is a 0, or where it is false.
  auto under = [&](unsigned m, unsigned hidden, unsigned shown) {
    return opposite ? where(m, shown, hidden) : where(m, hidden, shown);
  };
  Kind kind = kindOf(x);
  unsigned nonZero = guardedDivisor(y), divisor = inner(under(mask, scalar("0", kind, true), nonZero));
  unsigned v = inner(binary("divide", x, divisor));
  for (unsigned steps = draw.below(4); steps-- > 0;)
    switch (draw.below(5)) {
    case 0:
      v = inner(unary("negate", v));
      break;
    case 1:
      v = inner(binary(draw.pick<std::string>({"add", "multiply", "subtract"}), v, scalar(literal(kind), kind, true)));
      break;
    case 2: // the quotient of the quotient: its divisor is 0 where the first one's is
      v = inner(binary("divide", v, divisor));
      break;
    case 3:
      if (dimsOf(v) == dims && dimsOf(mask).size() == dims.size() && dims.size() > 1) {
        std::vector<unsigned> permutation;
        for (unsigned i = 0; i < dims.size(); i++)
          permutation.insert(permutation.begin() + draw.below(i + 1), i);
        v = inner(transpose(v, permutation));
        mask = transpose(mask, permutation);
        divisor = inner(transpose(divisor, permutation));
        dims = dimsOf(v);
      }
      break;
    default: { // more is hidden, in part by what the quotient itself decides
      unsigned other = draw.chance(50) ? inner(binary(comparison(), v, scalar(literal(kind), kind, true))) : mask;
      if (other == mask && !findMask(dims, other))
        break;
      v = inner(where(other, scalar(literal(kind), kind, true), v));
    }
    }
  unsigned shown = under(mask, scalar(draw.pick<std::string>({"0", "0", "5"}), kind, draw.chance(60)), v);
  if (draw.chance(30) && dims == joint) // another branch than a constant
    shown = under(mask, x, v);
  if (draw.chance(50) && !dimsOf(shown).empty())
    return reductionOf(shown);
  return true;
}

bool Writer::comparisonOrLogic() {
  unsigned x, y;
  bool logic = draw.chance(35);
  if (!(logic ? find([&](unsigned v) { return kindOf(v) == Kind::I1; }, x)
              : find([&](unsigned v) { return !isWeak(kindOf(v)) && !isStored(kindOf(v)); }, x)))
    return false;
  if (logic && draw.chance(30)) {
    unary("not", x);
    return true;
  }
  if (!findPartner(x, true, y))
    return false;
  binary(logic ? (draw.chance(50) ? "and" : "or") : comparison(), x, y);
  return true;
}

bool Writer::selection() {
  unsigned x, y, c;
  Dims joint;
  if (!find([&](unsigned v) { return !isWeak(kindOf(v)); }, x) || !findPartner(x, true, y))
    return false;
  broadcast(dimsOf(x), dimsOf(y), joint);
  if (!findMask(joint, c))
    return false;
  draw.chance(50) ? where(c, x, y) : where(c, y, x);
  return true;
}

// A value with hidden entries, and mostly something that reads it.
bool Writer::hiding() {
  unsigned x, c;
  if (!(draw.chance(80) ? findNumber(x) : find([&](unsigned v) { return !isWeak(kindOf(v)); }, x)) ||
      !findMask(dimsOf(x), c))
    return false;
  std::string fill = isFloat(kindOf(x)) ? draw.pick<std::string>({"0.0", "0.0", "-0.0", "-inf", "inf", "1.0", "nan"})
                     : kindOf(x) == Kind::I64
                         ? draw.pick<std::string>({"0", "1", "-9223372036854775808", "9223372036854775807"})
                     : kindOf(x) == Kind::I32 ? draw.pick<std::string>({"0", "1", "-2147483648", "2147483647"})
                                              : literal(kindOf(x));
  unsigned constant = scalar(fill, kindOf(x), draw.chance(60));
  unsigned hidden = draw.chance(70) ? where(c, constant, x) : where(c, x, constant);
  switch (draw.below(4)) {
  case 0: {
    unsigned y;
    if (isNumber(x) && findPartner(hidden, true, y))
      hidden = binary(draw.pick<std::string>({"add", "subtract", "multiply"}), hidden, y);
    [[fallthrough]];
  }
  case 1:
    return !isNumber(x) || reductionOf(hidden);
  case 2: {
    unsigned y;
    if (!isNumber(x))
      return true;
    auto fits = [&](unsigned left, unsigned right) {
      Dims dims = productDims(left, right);
      return !dims.empty() && small(dims);
    };
    if (find([&](unsigned v) { return kindOf(v) == kindOf(x) && fits(hidden, v); }, y))
      matmul(hidden, y);
    else if (find([&](unsigned v) { return kindOf(v) == kindOf(x) && fits(v, hidden); }, y))
      matmul(y, hidden);
    return true;
  }
  default:
    return true;
  }
}

bool Writer::reductionOf(unsigned x) {
  if (dimsOf(x).empty())
    return false;
  reduce(reduction(), x, draw.below(dimsOf(x).size()), draw.chance(35));
  return true;
}

const std::vector<std::string> layoutOps{"transpose", "reshape",        "broadcast", "slice", "concat",
                                         "pad",       "cumulative_sum", "argmax",    "gather"};

// False where the operand does not fit the operation, or the result would be too large.
bool Writer::layoutOf(const std::string &op, unsigned x, unsigned &result) {
  Dims dims = dimsOf(x);
  if (op == "reshape") {
    dims = regrouped(dims, maxRank);
    return small(dims) && (result = reshape(x, dims), true);
  }
  if (op == "broadcast") {
    for (std::string &dim : dims)
      if (dim == "1" && draw.chance(70))
        dim = draw.pick(symbols);
    while (dims.size() < maxRank && draw.chance(40))
      dims.insert(dims.begin(), draw.chance(60) ? draw.pick(symbols) : draw.pick<std::string>({"1", "2", "3"}));
    return small(dims) && (result = broadcastTo(x, dims), true);
  }
  if (op == "gather")
    return picked(x, result);
  if (dims.empty() || (!isNumber(x) && (op == "cumulative_sum" || op == "argmax")))
    return false;
  unsigned axis = draw.below(dims.size());
  if (op == "transpose") {
    std::vector<unsigned> permutation;
    for (unsigned i = 0; i < dims.size(); i++)
      permutation.insert(permutation.begin() + draw.below(i + 1), i);
    result = transpose(x, permutation);
  } else if (op == "slice") {
    result = someSlice(x, axis);
  } else if (op == "pad") {
    dims[axis] += " + n + n";
    if (!small(dims))
      return false;
    result = somePad(x, axis, "n");
  } else if (op == "argmax") {
    result = argmax(x, axis, draw.chance(35));
  } else if (op == "cumulative_sum") {
    result = cumulativeSum(x, axis);
  } else {
    std::vector<unsigned> parts{x};
    for (unsigned more = draw.below(3), y; more-- > 0;) {
      auto fits = [&](unsigned v) {
        Dims other = dimsOf(v);
        if (kindOf(v) != kindOf(x) || other.size() != dims.size())
          return false;
        other[axis] = dimsOf(x)[axis];
        return other == dimsOf(x);
      };
      if (!find(fits, y))
        break;
      parts.insert(parts.begin() + draw.below(parts.size() + 1), y);
      dims[axis] = sumOf(dims[axis], dimsOf(y)[axis]);
    }
    if (!small(dims))
      return false;
    result = concat(parts, axis);
  }
  return true;
}

// Most indices are kept within the axis; some are outside exactly where nothing looks at what they name; a few are left
// as they are.
bool Writer::picked(unsigned x, unsigned &result) {
  unsigned i, mask;
  if (dimsOf(x).empty() || !find([&](unsigned v) { return isInteger(kindOf(v)) && dimsOf(v).size() < 3; }, i))
    return false;
  unsigned axis = draw.below(dimsOf(x).size());
  Dims before(dimsOf(x).begin(), dimsOf(x).begin() + axis), after(dimsOf(x).begin() + axis + 1, dimsOf(x).end());
  Dims whole = before;
  whole.insert(whole.end(), dimsOf(i).begin(), dimsOf(i).end());
  whole.insert(whole.end(), after.begin(), after.end());
  if (!small(whole))
    return false;
  std::string size = dimsOf(x)[axis];
  if (!symbolsIn(size).empty() || size == "0") // an axis that has an entry at every size
    x = pad(x, axis, "1", "0", scalar(literal(kindOf(x)), kindOf(x), false));
  if (draw.chance(12)) {
    result = gather(x, i, axis);
    return true;
  }
  unsigned inside = guardedIndices(i, x, axis);
  if (!draw.chance(30) || !findMask(dimsOf(i), mask) || dimsOf(mask) != dimsOf(i)) {
    result = gather(x, inside, axis);
    return true;
  }
  bool leaks = draw.chance(20);
  unsigned wild = where(mask, scalar(draw.chance(50) ? "-1" : "1000000", kindOf(i), true), inside);
  unsigned named = gather(x, wild, axis);
  if (!leaks)
    between.insert({wild, named});
  Dims over(before.size(), "1");
  over.insert(over.end(), dimsOf(i).begin(), dimsOf(i).end());
  over.resize(whole.size(), "1");
  result = where(reshape(mask, over), scalar(literal(kindOf(x)), kindOf(x), false), named);
  return true;
}

bool Writer::layout() {
  unsigned x, y;
  return find([&](unsigned v) { return !isWeak(kindOf(v)) && (dimsOf(v).size() > 1 || draw.chance(20)); }, x) &&
         layoutOf(draw.pick(layoutOps), x, y);
}

bool Writer::product() {
  unsigned a, b;
  auto matrices = [&](unsigned v) { return isNumber(v) && dimsOf(v).size() >= 2; };
  if (!find(matrices, a))
    return false;
  auto fits = [&](unsigned v) {
    return matrices(v) && kindOf(v) == kindOf(a) && !productDims(a, v).empty() && small(productDims(a, v));
  };
  if (draw.chance(50) && find(fits, b)) {
    matmul(a, b);
    return true;
  }
  auto turnedFits = [&](unsigned v) {
    if (!matrices(v) || kindOf(v) != kindOf(a) || dimsOf(v).back() != dimsOf(a).back())
      return false;
    Dims joint, left(dimsOf(a).begin(), dimsOf(a).end() - 2), right(dimsOf(v).begin(), dimsOf(v).end() - 2);
    if (!broadcast(left, right, joint))
      return false;
    joint.push_back(dimsOf(a)[left.size()]);
    joint.push_back(dimsOf(v)[right.size()]);
    return small(joint);
  };
  if (!find(turnedFits, b))
    return false;
  matmul(a, turned(b));
  return true;
}

bool Writer::unaryOp() {
  unsigned x;
  if (draw.chance(15) && find([&](unsigned v) { return isWeak(kindOf(v)); }, x)) {
    unary(floatUnary(), x);
    return true;
  }
  if (draw.chance(40) && find([&](unsigned v) { return isNumber(v); }, x)) {
    unary(numberUnary(), x);
    return true;
  }
  if (draw.chance(35) && find([&](unsigned) { return true; }, x)) {
    castTo(x, someTarget());
    return true;
  }
  if (!find([&](unsigned v) { return isFloat(kindOf(v)); }, x))
    return false;
  unary(floatUnary(), x);
  return true;
}

bool Writer::normalizer() {
  unsigned x, c;
  if (!find([&](unsigned v) { return isFloat(kindOf(v)) && !dimsOf(v).empty(); }, x) || !findMask(dimsOf(x), c))
    return false;
  normalized(x, c, draw.chance(60) ? dimsOf(x).size() - 1 : draw.below(dimsOf(x).size()));
  return true;
}

bool Writer::callOf() {
  unsigned x;
  if (!find([&](unsigned v) { return isNumber(v) && dimsOf(v).size() == 2; }, x))
    return false;
  return callOf(x);
}

bool Writer::callOf(unsigned x) {
  std::string type = std::string(toString(kindOf(x))) + "[" + dimsOf(x)[0] + ", ", whole = type + dimsOf(x)[1] + "]";
  std::string operand = "(%v" + std::to_string(x);
  if (isInteger(kindOf(x))) {
    if (g.callees.find("@square") == std::string::npos)
      g.callees += integerCallees;
    g.add("call", {x}, "@square" + operand + ") : " + whole, kindOf(x), dimsOf(x));
    return true;
  }
  unsigned c;
  if (g.callees.find("@softmax") == std::string::npos)
    g.callees += floatCallees;
  if (draw.chance(50) && find([&](unsigned v) { return kindOf(v) == Kind::I1 && dimsOf(v) == dimsOf(x); }, c)) {
    unsigned first =
        g.add("call", {x, c}, "@hide" + operand + ", %v" + std::to_string(c) + ") : " + whole + ", " + type + "1]",
              kindOf(x), dimsOf(x));
    g.addSecond(first, kindOf(x), {dimsOf(x)[0], "1"});
    return true;
  }
  g.add("call", {x}, "@softmax" + operand + ") : " + whole, kindOf(x), dimsOf(x));
  return true;
}

// One operation at one type and rank, on arguments of its own, and returned: so that all of them occur.
void Writer::focus(const Cell &cell) {
  const auto &[op, kind, rank] = cell;
  if (op == "constant" || op == "size") {
    unsigned v = op == "size" ? g.add("size", {0}, ", 1", Kind::WeakInt, {})
                              : tensorConstant(kind, Dims(rank, draw.pick<std::string>({"1", "2", "3"})));
    g.results.push_back(op == "size" ? binary("add", iota(0, {"n"}), v) : v);
    return;
  }
  Dims dims = someDims(rank);
  if (op == "iota") {
    g.results.push_back(iota(draw.below(rank), dims));
    return;
  }
  if (op == "cast") {
    g.results.push_back(castTo(g.argument(draw.chance(20) ? Kind::I1 : someTarget(), dims), kind));
    return;
  }
  unsigned x = g.argument(kind, dims);
  if (op == "call") {
    callOf(x);
    g.results.push_back(g.size() - 1);
  } else if (std::count(layoutOps.begin(), layoutOps.end(), op)) {
    if (op == "gather")
      g.argument(Kind::I64, someDims(draw.below(2)));
    unsigned y, tries = 8; // some shapes would grow too large
    while (!layoutOf(op, x, y) && --tries)
      x = g.argument(kind, someDims(rank));
    if (tries)
      g.results.push_back(y);
  } else if (op.rfind("reduce", 0) == 0) {
    g.results.push_back(reduce(op, x, draw.below(rank), draw.chance(35)));
  } else if (op == "matmul") {
    g.results.push_back(matmul(x, turned(g.argument(kind, dims))));
  } else if (op == "where") {
    unsigned y = g.argument(kind, dims);
    g.results.push_back(where(g.argument(Kind::I1, dims), x, y));
  } else if (isBinary(op)) {
    unsigned y = g.argument(kind, dims);
    g.results.push_back(binary(op, x, op == "divide" && isInteger(kind) ? guardedDivisor(y) : y));
  } else {
    g.results.push_back(unary(op, x));
  }
}

bool Writer::step() {
  unsigned x;
  switch (draw.below(23)) {
  case 0:
  case 1:
    return constants();
  case 2:
  case 3:
  case 4:
  case 5:
    return arithmetic();
  case 6:
    return integerDivision();
  case 7:
  case 8:
    return comparisonOrLogic();
  case 9:
    return selection();
  case 10:
  case 11:
    return hiding();
  case 12:
  case 13:
    return findNumber(x) && reductionOf(x);
  case 14:
  case 20:
  case 21:
  case 22:
    return layout();
  case 15:
  case 16:
    return product();
  case 17:
    return unaryOp();
  case 18:
    return normalizer();
  default:
    return callOf();
  }
}

void Writer::write() {
  symbols = {"n", "m"};
  if (draw.chance(40))
    symbols.push_back("k");
  favourite = draw.pick<Kind>({Kind::F64, Kind::F32, Kind::F32, Kind::F64, Kind::I64, Kind::I32});
  favouriteRank = draw.chance(60) ? 2 : draw.below(maxRank + 1);
  // Every symbol is found from the shape of an argument.
  g.argument(favourite, {"n", "m"});
  for (const std::string &symbol : symbols)
    if (symbol == "k")
      g.argument(favourite, {symbol, draw.pick(symbols)});
  for (unsigned count = 2 + draw.below(3); count-- > 0;)
    g.argument(someKind(), someDims(draw.chance(50) ? favouriteRank : draw.below(maxRank + 1)));
  if (draw.chance(50))
    g.argument(Kind::I1, someDims(draw.below(3)));
  // Seeds that follow each other go through everything there is, a few at a time and mostly one rank of each at first.
  constexpr unsigned atOnce = 6;
  std::vector<Cell> cells = allCells();
  size_t stride = maxRank + 1;
  while (std::gcd(stride, cells.size()) != 1)
    stride--;
  for (unsigned i = 0; i < atOnce; i++)
    focus(cells[(draw.seed * atOnce + i) * stride % cells.size()]);
  for (unsigned steps = 3 + draw.below(12); steps > 0;)
    steps -= step() ? 1 : 0;
  g.returnLeaves(6 + g.results.size());
  if (draw.chance(10))
    g.results.push_back(0); // an argument
  if (draw.chance(10) && !g.results.empty())
    g.results.push_back(g.results[0]); // a value that is returned twice
}

GraphText anyGraph(Draw &draw) {
  for (;;) {
    GraphText graph;
    Writer(draw, graph).write();
    if (!graph.results.empty())
      return graph;
  }
}
} // namespace nova::test
