#include "tests/random/CausalGraph.h"
#include "tests/random/Parts.h"
#include "tests/random/SizeText.h"

namespace nova::test {
namespace {
class Writer : Parts {
public:
  Writer(Draw &draw, GraphText &graph) : Parts(draw, graph) {}
  void write();

private:
  /// One value per position, [n, width]; of this width, made from another one where there is none.
  unsigned rowValue() {
    return draw.chance(60) ? rows[rows.size() - 1 - draw.below(std::min<size_t>(3, rows.size()))] : draw.pick(rows);
  }
  unsigned ofWidth(const std::string &width);
  unsigned number(int value) { return scalar(std::to_string(value), Kind::I64, draw.chance(50)); }
  unsigned mask();
  unsigned nonZero(unsigned y);
  unsigned divided(unsigned scores, unsigned &hidden);
  void pointwise();
  void attention();
  void shift();
  void layout();

  Kind kind = Kind::F64;
  unsigned row = 0, col = 0;
  std::vector<unsigned> rows;
};
} // namespace

unsigned Writer::ofWidth(const std::string &width) {
  std::vector<unsigned> fitting;
  for (unsigned v : rows)
    if (dimsOf(v)[1] == width)
      fitting.push_back(v);
  return fitting.empty() ? reduce("reduce_max", draw.pick(rows), 1) : draw.pick(fitting);
}

// Hides at least every column after the row: shifted back, as a window, with a prefix, or-ed with data.
unsigned Writer::mask() {
  unsigned c = draw.chance(60) ? 0 : draw.below(3);
  unsigned limit = c ? binary("subtract", row, number(c)) : row;
  unsigned future = draw.chance(50) ? binary("greater", col, limit) : binary("less", limit, col);
  switch (draw.below(6)) {
  case 0:
    return unary("not", binary("less_equal", col, limit));
  case 1:
    return binary("or", future, binary("less", col, binary("subtract", row, number(2 + draw.below(6)))));
  case 2:
    return binary("or", future, binary(draw.chance(50) ? "equal" : "greater_equal", col, number(draw.below(9))));
  case 3:
    return binary("or", binary("greater", ofWidth("1"), turned(ofWidth("1"))), future);
  default:
    return future;
  }
}

unsigned Writer::nonZero(unsigned y) {
  return where(binary("equal", y, scalar("0", kind, true)), scalar("3", kind, true), y);
}

// Scores of integers divided by what is 0 at some entries: those are hidden too or, now and then, seen, so that the run
// fails, and in pieces the piece whose rows see them.
unsigned Writer::divided(unsigned scores, unsigned &hidden) {
  unsigned key = turned(ofWidth("1")), divisor;
  auto hide = [&](unsigned mask) {
    hidden = draw.chance(50) ? binary("or", hidden, mask) : binary("or", mask, hidden);
  };
  switch (draw.below(4)) {
  case 0: { // of the row and the column; some rows see the 0, if it lies before them
    unsigned apart = binary("subtract", row, binary("add", col, number(int(draw.below(4)) - 1)));
    divisor = apart;
    if (kind == Kind::I32) // positions are i64
      divisor = where(binary("equal", apart, number(0)), scalar("0", kind, true), nonZero(key));
    if (draw.chance(65))
      hide(binary("equal", apart, number(0)));
    break;
  }
  case 1: { // of the first keys
    unsigned first = binary("less", col, number(draw.below(6)));
    divisor = where(first, scalar("0", kind, true), nonZero(key));
    if (draw.chance(65))
      hide(first);
    break;
  }
  case 2: { // of some keys, which say so themselves
    unsigned zero = binary("equal", key, scalar(literal(kind), kind, true));
    divisor = where(zero, scalar("0", kind, true), nonZero(key));
    if (draw.chance(65))
      hide(zero);
    break;
  }
  default: { // of keys that another quotient picks
    unsigned quotient = binary("divide", turned(ofWidth("1")), nonZero(key));
    unsigned zero = binary("less", quotient, scalar("1", kind, true));
    divisor = where(zero, scalar("0", kind, true), nonZero(key));
    if (draw.chance(65))
      hide(zero);
  }
  }
  return binary("divide", scores, divisor);
}

void Writer::pointwise() {
  unsigned x = rowValue();
  if (draw.chance(20)) { // a cache of what reads this keeps it in fewer bits
    rows.push_back(keptIn(someStored(), x));
    return;
  }
  switch (draw.below(8)) {
  case 7: // the position hides the 0, and mostly the quotient
    if (isInteger(kind)) {
      unsigned early = binary("less", row, number(draw.below(5))), zero = scalar("0", kind, true);
      unsigned quotient = binary("divide", x, where(early, zero, nonZero(ofWidth("1"))));
      rows.push_back(draw.chance(90) ? where(early, x, quotient) : quotient);
      break;
    }
    [[fallthrough]];
  case 0:
    rows.push_back(unary(isFloat(kind) ? floatUnary() : numberUnary(), x));
    break;
  case 1:
    rows.push_back(binary(draw.pick<std::string>({"multiply", "add", "subtract", "max", "min"}), x,
                          scalar(literal(kind), kind, draw.chance(50))));
    break;
  case 2:
    rows.push_back(binary(draw.pick<std::string>({"add", "subtract", "multiply"}), x,
                          draw.chance(50) ? ofWidth(dimsOf(x)[1]) : ofWidth("1")));
    if (g[rows.back()].dims[1] == "1" && dimsOf(x)[1] != "1")
      rows.pop_back();
    break;
  case 3:
    if (dimsOf(x)[1] == "d") {
      rows.push_back(matmul(x, 3));
      break;
    }
    [[fallthrough]];
  case 4:
    rows.push_back(reduce(reduction(), x, 1));
    break;
  case 5: {
    unsigned y = ofWidth("1");
    rows.push_back(where(binary(comparison(), y, x), x, y));
    break;
  }
  default:
    // The position itself decides.
    rows.push_back(where(binary("less", row, number(draw.below(40))), scalar(literal(kind), kind, draw.chance(50)), x));
  }
}

// Scores of a row against the columns, something like a normalizer, a contraction with values; each part with
// variations.
void Writer::attention() {
  unsigned q = rowValue(), k = ofWidth(dimsOf(q)[1]), v = rowValue();
  if (dimsOf(k)[1] != dimsOf(q)[1])
    k = q;
  unsigned scores = matmul(q, turned(k));
  if (draw.chance(30))
    scores = binary("add", scores, turned(ofWidth("1")));
  if (draw.chance(30))
    scores = binary("multiply", scores, ofWidth("1"));
  unsigned hidden = mask();
  if (isInteger(kind) && draw.chance(75))
    scores = divided(scores, hidden);
  bool weak = draw.chance(60);
  unsigned weights;
  if (isFloat(kind) && draw.chance(60)) {
    weights = normalized(scores, hidden, 1);
  } else {
    unsigned zero = scalar("0.0", kind, weak);
    if (isInteger(kind))
      zero = scalar("0", kind, weak);
    weights = where(hidden, zero, scores);
    if (isFloat(kind) && draw.chance(40))
      weights = binary("divide", weights, reduce("reduce_sum", weights, 1));
  }
  // Only a sum skips the zeros of later columns: a maximum over them would tell how many rows there are.
  if (draw.chance(15))
    rows.push_back(reduce("reduce_sum", weights, 1));
  rows.push_back(matmul(weights, v));
}

// Entries that move inside their row, and running sums along the rows.
void Writer::layout() {
  unsigned x = rowValue();
  std::string width = dimsOf(x)[1];
  bool wide = symbolsIn(width).size() > 2, isSum = width.find('+') != std::string::npos;
  switch (draw.below(isInteger(kind) ? 9 : 7)) {
  case 7:
  case 8: { // of a table, by what the row says; the first positions hide what is outside, or do not
    unsigned table = pad(3, 0, "1", "0", scalar("5", kind, true)), inside = guardedIndices(ofWidth("1"), table, 0);
    if (draw.chance(60)) {
      rows.push_back(reshape(gather(table, inside, 0), {"n", "e"}));
      break;
    }
    unsigned early = binary("less", row, number(draw.below(5)));
    unsigned named = reshape(gather(table, where(early, scalar("-1", kind, true), inside), 0), {"n", "e"});
    rows.push_back(draw.chance(90) ? where(early, scalar("0", kind, true), named) : named);
    break;
  }
  case 0:
    rows.push_back(somePad(x, 1, wide ? "2" : "e"));
    break;
  case 1:
    rows.push_back(someSlice(x, 1));
    break;
  case 2: {
    unsigned y = rowValue();
    if (!wide && symbolsIn(dimsOf(y)[1]).size() < 3)
      rows.push_back(concat({x, y}, 1));
    break;
  }
  case 3: { // rows move to another axis and back
    unsigned moved = transpose(reshape(x, {"n", "1", width}), {1, 0, 2});
    rows.push_back(reshape(unary("negate", moved), {"n", width}));
    break;
  }
  case 4: // each row several times, side by side
    if (!isSum && !wide)
      rows.push_back(
          reshape(broadcastTo(reshape(x, {"n", "1", width}), {"n", "2", width}), {"n", productOf("2", width)}));
    break;
  case 5:
    rows.push_back(cumulativeSum(x, draw.below(2)));
    break;
  default:
    rows.push_back(kind == Kind::I64 ? argmax(x, 1) : broadcastTo(ofWidth("1"), {"n", "d"}));
  }
}

// The row before, or the one two before, through a contraction with ones.
void Writer::shift() {
  unsigned x = rowValue();
  unsigned here = binary("equal", col, binary("subtract", row, number(draw.below(3))));
  bool weak = draw.chance(60), whole = isInteger(kind);
  unsigned one = scalar(whole ? "1" : "1.0", kind, false), zero = scalar(whole ? "0" : "0.0", kind, weak);
  rows.push_back(matmul(where(here, one, zero), x));
}

void Writer::write() {
  kind = draw.pick<Kind>({Kind::F32, Kind::F32, Kind::F64, Kind::F64, Kind::I64, Kind::I64, Kind::I32});
  rows = {g.argument(kind, {"n", "d"}), g.argument(kind, {"n", "d"}), g.argument(kind, {"n", "e"})};
  g.argument(kind, {"d", "e"});
  if (draw.chance(40))
    rows.push_back(castTo(g.argument(someStored(), {"n", draw.chance(50) ? "d" : "e"}), kind));
  row = iota(0, {"n", "1"});
  col = iota(1, {"1", "n"});
  for (unsigned steps = 2 + draw.below(5); steps-- > 0;) {
    unsigned part = draw.below(100);
    if (part < 30)
      pointwise();
    else if (part < 50)
      layout();
    else if (part < 88)
      attention();
    else
      shift();
  }
  g.results = {rows.back()};
  if (draw.chance(50))
    g.results.push_back(rows[rows.size() - 2]);
  if (draw.chance(15))
    g.results.push_back(turned(rowValue()));
}

GraphText causalGraph(Draw &draw) {
  GraphText graph;
  Writer(draw, graph).write();
  return graph;
}
} // namespace nova::test
