#include "tests/analysis/RandomGraph.h"
#include "compiler/reference/Arguments.h"
#include <cmath>
#include <cstring>
#include <vector>

namespace nova::test {
namespace {
/// A value with one row per position: [n, width].
struct Rows {
  std::string name, width;
};

class Writer {
public:
  Writer(Random &random, bool causal) : random(random), causal(causal), type(chance(50) ? "f64" : "f32") {}
  std::string run();

private:
  int64_t below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &from) { return from[below(from.size())]; }

  std::string line(const std::string &expression) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + expression + "\n";
    return name;
  }
  std::string number(const std::string &value, const std::string &element) {
    return line("constant " + value + " : " + element + "[]");
  }
  std::string offsetRow(int64_t c) {
    return c == 0 ? row : line("add " + row + ", " + number(std::to_string(c), "i64"));
  }
  Rows pickWidth(const std::string &width);

  std::string mask();
  void pointwise();
  void attention();
  void columnSums();
  void shift();
  void firstRow();
  void future();

  Random &random;
  bool causal;
  std::string type, body, row, col;
  unsigned next = 0;
  std::vector<Rows> rows;
};
} // namespace

// A value of this width, made from another one where there is none.
Rows Writer::pickWidth(const std::string &width) {
  std::vector<Rows> fitting;
  for (const Rows &r : rows)
    if (r.width == width)
      fitting.push_back(r);
  if (!fitting.empty())
    return pick(fitting);
  return {line("reduce_max " + pick(rows).name + ", 1"), "1"};
}

// An i1 value [n, n] that hides at least every column after the row, or when the graph need not be causal a few less.
std::string Writer::mask() {
  int64_t c = causal || chance(50) ? -below(3) : 1 + below(2);
  std::string limit = offsetRow(c);
  std::string future = line("greater " + col + ", " + limit);
  switch (below(8)) {
  case 0:
    return future;
  case 1:
    return line("less " + limit + ", " + col);
  case 2:
    return line("not " + line("less_equal " + col + ", " + limit));
  case 3: // a window
    return line("or " + future + ", " + line("less " + col + ", " + offsetRow(c - below(3))));
  case 4: { // data
    std::string x = pickWidth("1").name, y = line("transpose " + pickWidth("1").name);
    return line("or " + line("greater " + x + ", " + y) + ", " + future);
  }
  case 5: // a prefix, or a hole in it
    return line(
        "or " + future + ", " +
        line((chance(50) ? "equal " : "greater_equal ") + col + ", " + number(std::to_string(below(4)), "i64")));
  case 6: {
    std::string two = number("2", "i64");
    return line("greater " + line("multiply " + col + ", " + two) + ", " + line("multiply " + two + ", " + limit));
  }
  default: { // selection between masks
    std::string other = line("greater_equal " + col + ", " + limit);
    return line("where " + line("less " + row + ", " + number("3", "i64")) + ", " + other + ", " + future);
  }
  }
}

void Writer::pointwise() {
  Rows x = pick(rows);
  switch (below(8)) {
  case 0:
    rows.push_back({line("exp " + x.name), x.width});
    break;
  case 1:
    rows.push_back({line("negate " + x.name), x.width});
    break;
  case 2:
    rows.push_back({line("multiply " + x.name + ", " + number("0.5", type)), x.width});
    break;
  case 3: {
    Rows y = chance(50) ? pickWidth(x.width) : pickWidth("1");
    rows.push_back({line(pick<std::string>({"add ", "subtract ", "multiply "}) + x.name + ", " + y.name),
                    x.width == "1" ? y.width : x.width});
    break;
  }
  case 4:
    if (x.width == "d") {
      rows.push_back({line("matmul " + x.name + ", %W"), "e"});
      break;
    }
    [[fallthrough]];
  case 5:
    rows.push_back({line(pick<std::string>({"reduce_sum ", "reduce_max ", "reduce_min "}) + x.name + ", 1"), "1"});
    break;
  case 6:
    rows.push_back({line("add " + x.name + ", " + line("cast " + row + " : " + type)), x.width});
    break;
  default: {
    Rows y = pickWidth("1");
    std::string condition = line("less " + y.name + ", " + x.name);
    rows.push_back({line("where " + condition + ", " + x.name + ", " + y.name), x.width});
  }
  }
}

// Scores of a row against columns, something like a normalizer, a contraction with values; each part with variations.
void Writer::attention() {
  Rows q = pick(rows), k = pickWidth(q.width), v = pick(rows);
  k = k.width == q.width ? k : q;
  std::string scores = line("matmul " + q.name + ", " + line("transpose " + k.name));
  if (chance(30))
    scores = line("add " + scores + ", " + line("transpose " + pickWidth("1").name));
  if (chance(30))
    scores = line("multiply " + scores + ", " + line("cast " + line("subtract " + col + ", " + row) + " : " + type));
  std::string hidden = mask();
  if (chance(60)) {
    std::string largest = line("reduce_max " + scores + ", 1 hidden " + hidden);
    scores = line("exp " + line("subtract " + scores + ", " + largest));
  }
  if (chance(60)) {
    std::string total = line("reduce_sum " + scores + ", 1 hidden " + hidden);
    if (chance(30))
      total = line("add " + total + ", " + number("1.0", type));
    scores = line("divide " + scores + ", " + total);
  }
  rows.push_back({line("matmul " + scores + " hidden " + hidden + ", " + v.name), v.width});
}

// For each column the sum over the rows before it: rows and columns change places.
void Writer::columnSums() {
  Rows q = pick(rows), k = pickWidth(q.width);
  k = k.width == q.width ? k : q;
  std::string scores = line("matmul " + q.name + ", " + line("transpose " + k.name));
  std::string hidden = line("greater " + row + ", " + col);
  rows.push_back({line("transpose " + line("reduce_sum " + scores + ", 0 hidden " + hidden)), "1"});
}

// The row before, or the one two before, through a contraction with ones.
void Writer::shift() {
  Rows x = pick(rows);
  std::string ones = line("cast " + line("greater_equal " + row + ", " + col) + " : " + type);
  std::string hidden = line("not_equal " + col + ", " + offsetRow(-below(3)));
  rows.push_back({line("matmul " + ones + " hidden " + hidden + ", " + x.name), x.width});
}

void Writer::firstRow() {
  Rows x = pick(rows);
  std::string first =
      line("reduce_sum " + x.name + ", 0 hidden " + line("greater_equal " + row + ", " + number("1", "i64")));
  rows.push_back({line("add " + pickWidth(x.width).name + ", " + first), x.width});
}

// A step that reads later rows.
void Writer::future() {
  Rows x = pick(rows);
  switch (below(3)) {
  case 0:
    rows.push_back({line("subtract " + x.name + ", " + line("reduce_sum " + x.name + ", 0")), x.width});
    break;
  case 1:
    rows.push_back({line("multiply " + x.name + ", " + line("cast " + line("dim_value n") + " : " + type)), x.width});
    break;
  default:
    rows.push_back(
        {line("add " + x.name + ", " + line("cast " + line("reduce_sum " + row + ", 0") + " : " + type)), x.width});
  }
}

std::string Writer::run() {
  row = line("iota 0 : [n, 1]");
  col = line("iota 1 : [1, n]");
  rows = {{"%X", "d"}, {"%Y", "d"}, {"%Z", "e"}};
  rows.push_back({line("transpose %T"), "d"});
  rows.push_back({line("reduce_sum %Y, 1"), "1"});
  unsigned steps = 2 + below(5);
  for (unsigned i = 0; i < steps; i++) {
    int64_t kind = below(100);
    if (kind < 40)
      pointwise();
    else if (kind < 75)
      attention();
    else if (kind < 82)
      columnSums();
    else if (kind < 90)
      shift();
    else if (kind < 96 || causal)
      firstRow();
    else
      future();
  }
  Rows a = rows.back(), b = rows[rows.size() - 1 - below(3)];
  bool turned = chance(20);
  if (turned)
    b.name = line("transpose " + b.name);
  auto typed = [&](const std::string &dims) { return type + "[" + dims + "]"; };
  std::string text = "graph @g(%X: " + typed("n, d") + ", %Y: " + typed("n, d") + ", %Z: " + typed("n, e") +
                     ", %T: " + typed("d, n") + ", %W: " + typed("d, e") + ") -> (" + typed("n, " + a.width) + ", " +
                     typed(turned ? b.width + ", n" : "n, " + b.width) + ")";
  return text + " where d >= 1 {\n" + body + "  return " + a.name + ", " + b.name + "\n}\n";
}

std::string randomGraph(Random &random, bool causal) { return Writer(random, causal).run(); }

reference::Tensor randomTensor(TensorType type, const Bindings &sizes, Random &random) {
  std::vector<int64_t> shape;
  for (DimAttr dim : type.getDims())
    shape.push_back(evaluateDim(dim, sizes).value());
  reference::Tensor x(*elementOf(type.getElementType()), shape);
  std::normal_distribution<double> normal;
  auto real = [&]() -> double {
    switch (random() % 40) {
    case 0:
      return 0.0;
    case 1:
      return random() % 2 ? INFINITY : std::nan("");
    default:
      return normal(random);
    }
  };
  for (int64_t i = 0; i < x.size(); i++) {
    if (x.element == reference::Element::F64)
      x.data<double>()[i] = real();
    else if (x.element == reference::Element::F32)
      x.data<float>()[i] = float(real());
    else if (x.element == reference::Element::I1)
      x.data<uint8_t>()[i] = random() % 2;
    else
      throw std::logic_error("random tensors are floats or i1");
  }
  return x;
}

reference::Tensor takeRows(const reference::Tensor &x, unsigned axis, int64_t first, int64_t count) {
  std::vector<int64_t> shape = x.shape;
  int64_t outer = 1, inner = byteSize(x.element), all = shape[axis];
  for (unsigned k = 0; k < shape.size(); k++)
    if (k != axis)
      (k < axis ? outer : inner) *= shape[k];
  shape[axis] = count;
  reference::Tensor result(x.element, shape);
  for (int64_t o = 0; o < outer && count * inner; o++)
    std::memcpy(result.bytes.data() + o * count * inner, x.bytes.data() + (o * all + first) * inner, count * inner);
  return result;
}
} // namespace nova::test
