#include "tests/transforms/RandomQuotients.h"
#include <algorithm>
#include <set>

using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::test {
RandomQuotients::RandomQuotients(unsigned seed, bool inRows) : generator(seed), inRows(inRows) {
  numbers = {{"%c", Shape::Column}, {"%r", Shape::Row}, {"%d", Shape::Column}};
  masks = {{"%f", Shape::Column}};
  if (!inRows) {
    numbers.insert(numbers.end(), {{"%x", Shape::Matrix}, {"%y", Shape::Matrix}});
    masks.push_back({"%b", Shape::Matrix});
  }
  numberArguments = numbers;
  maskArguments = masks;
  row = emit("iota", {}, "0 : [n, 1]", Shape::Column);
  col = emit("iota", {}, "1 : [1, n]", Shape::Row);
  masks.push_back(emit("greater", {col.name, row.name}, "", Shape::Matrix));
  numbers.push_back(emit("subtract", {row.name, col.name}, "", Shape::Matrix));
  for (unsigned count = 4 + pick(14); count-- > 0;)
    pick(4) ? addNumber() : inRows &&pick(3) ? addPositionMask() : addMask();
  if (inRows)
    addSum();
  // Late values, so that most quotients are wanted in parts.
  for (unsigned count = 1 + pick(2); count-- > 0;) {
    results.push_back(numbers[numbers.size() - 1 - pick(std::min<size_t>(3, numbers.size()))]);
    if (inRows && results.back().shape == Shape::Matrix)
      results.back() = numbers.back();
  }
}

const RandomQuotients::Named &RandomQuotients::pickOf(const std::vector<Named> &values) {
  return pick(2) ? values[values.size() - 1 - pick(std::min<size_t>(3, values.size()))] : values[pick(values.size())];
}

const RandomQuotients::Named &RandomQuotients::pickMatrix() {
  for (;;) // there is one among the arguments
    if (const Named &value = pickOf(numbers); value.shape == Shape::Matrix)
      return value;
}

RandomQuotients::Shape RandomQuotients::join(Shape a, Shape b) {
  if (a == b || b == Shape::Scalar)
    return a;
  return a == Shape::Scalar ? b : Shape::Matrix;
}

std::string RandomQuotients::typeOf(Shape shape) {
  return shape == Shape::Matrix ? "[n, n]" : shape == Shape::Column ? "[n, 1]" : "[1, n]";
}

RandomQuotients::Named RandomQuotients::emit(const std::string &op, const std::vector<std::string> &operands,
                                             const std::string &rest, Shape shape) {
  std::string name = "%v" + std::to_string(lines.size()), expression = op;
  for (size_t i = 0; i < operands.size(); i++)
    expression += (i ? ", " : " ") + operands[i];
  lines.push_back({name, expression + (operands.empty() || rest.empty() ? " " : ", ") + rest, operands});
  return {name, shape};
}

void RandomQuotients::addMask() {
  switch (pick(5)) {
  case 0:
  case 1: {
    Named a = pickOf(numbers), b = pickOf(numbers);
    masks.push_back(
        emit(any({"equal", "not_equal", "less", "greater_equal"}), {a.name, b.name}, "", join(a.shape, b.shape)));
    break;
  }
  case 2: {
    Named a = pickOf(masks);
    masks.push_back(emit("not", {a.name}, "", a.shape));
    break;
  }
  case 3: {
    Named a = pickOf(masks), b = pickOf(masks);
    masks.push_back(emit(any({"and", "or"}), {a.name, b.name}, "", join(a.shape, b.shape)));
    break;
  }
  default: {
    Named a = pickOf(masks), b = pickOf(masks);
    if (pick(2)) {
      Shape turned = a.shape == Shape::Column ? Shape::Row : a.shape == Shape::Row ? Shape::Column : a.shape;
      masks.push_back(emit("transpose", {a.name}, "", turned));
      break;
    }
    Named flag = emit("constant", {}, any({"true", "false"}), Shape::Scalar);
    masks.push_back(emit("where", {a.name, flag.name, b.name}, "", join(a.shape, b.shape)));
  }
  }
}

// Later columns, or some that are before the row.
void RandomQuotients::addPositionMask() {
  Named offset = emit("constant", {}, any({"0", "1", "2"}), Shape::Scalar);
  Named before = emit("subtract", {row.name, offset.name}, "", Shape::Column);
  masks.push_back(emit(any({"greater", "greater", "equal", "less"}), {col.name, before.name}, "", Shape::Matrix));
}

// A sum over columns of which mostly the later ones are hidden.
void RandomQuotients::addSum() {
  Named terms = pickMatrix(), zero = emit("constant", {}, "0", Shape::Scalar);
  Named future = emit(any({"greater", "greater", "greater_equal"}), {col.name, row.name}, "", Shape::Matrix);
  if (pick(3) == 0) {
    Named more = pickOf(masks);
    future = emit("or", {more.name, future.name}, "", Shape::Matrix);
  }
  if (pick(12))
    terms = emit("where", {future.name, zero.name, terms.name}, "", Shape::Matrix);
  numbers.push_back(emit("reduce_sum", {terms.name}, "1", Shape::Column));
}

void RandomQuotients::addNumber() {
  Named a = pickOf(numbers), b = pickOf(numbers), m = pickOf(masks);
  Shape turned = a.shape == Shape::Column ? Shape::Row : a.shape == Shape::Row ? Shape::Column : a.shape;
  switch (pick(inRows ? 14 : 12)) {
  case 0:
  case 1:
  case 2:
    numbers.push_back(emit("divide", {a.name, b.name}, "", join(a.shape, b.shape)));
    break;
  case 3:
    numbers.push_back(emit(any({"add", "subtract", "multiply"}), {a.name, b.name}, "", join(a.shape, b.shape)));
    break;
  case 4:
    numbers.push_back(emit("transpose", {a.name}, "", turned));
    break;
  case 5:
  case 6:
    numbers.push_back(emit("where", {m.name, a.name, b.name}, "", join(m.shape, join(a.shape, b.shape))));
    break;
  case 7:
  case 8:
  case 9: {
    Named fill = emit("constant", {}, any({"0", "0", "1", "-3"}), Shape::Scalar);
    bool first = pick(2);
    numbers.push_back(
        emit("where", {m.name, first ? fill.name : a.name, first ? a.name : fill.name}, "", join(m.shape, a.shape)));
    break;
  }
  case 10: {
    if (inRows)
      return addSum();
    bool rows = pick(2);
    numbers.push_back(emit(any({"reduce_sum", "reduce_max", "reduce_min"}), {pickMatrix().name}, rows ? "1" : "0",
                           rows ? Shape::Column : Shape::Row));
    break;
  }
  case 11: {
    if (inRows)
      return addSum();
    Named left = pickMatrix(), right = b.shape == Shape::Column ? b : pickMatrix();
    numbers.push_back(emit("matmul", {left.name, right.name}, "", right.shape));
    break;
  }
  case 12: { // every entry a quotient of a row and a column
    Named left = pickOf(numbers), right = pickOf(numbers);
    if (left.shape != Shape::Row && right.shape != Shape::Column)
      numbers.push_back(emit("divide", {left.name, right.name}, "", join(left.shape, right.shape)));
    break;
  }
  default: { // hidden later columns reach a contraction
    Named zero = emit("constant", {}, "0", Shape::Scalar), left = pickMatrix(), right = pickOf(numbers);
    Named weights = emit("where", {masks[pick(2)].name, zero.name, left.name}, "", Shape::Matrix);
    if (right.shape == Shape::Column)
      numbers.push_back(emit("matmul", {weights.name, right.name}, "", Shape::Column));
  }
  }
}

std::string RandomQuotients::text(bool shuffled) {
  std::string head = "graph @g(";
  std::set<std::string> defined;
  for (auto *list : {&numberArguments, &maskArguments})
    for (const Named &argument : *list) {
      head += (defined.empty() ? "" : ", ") + argument.name + (list == &maskArguments ? ": i1" : ": i64") +
              typeOf(argument.shape);
      defined.insert(argument.name);
    }
  head += ") -> (";
  std::string names, body;
  for (const Named &result : results) {
    head += (names.empty() ? "i64" : ", i64") + typeOf(result.shape);
    names += (names.empty() ? "" : ", ") + result.name;
  }
  std::vector<Line> left = lines;
  while (!left.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < left.size() && (shuffled || ready.empty()); i++)
      if (std::all_of(left[i].operands.begin(), left[i].operands.end(), [&](auto &x) { return defined.count(x); }))
        ready.push_back(i);
    size_t next = ready[pick(ready.size())];
    body += "  " + left[next].name + " = " + left[next].expression + "\n";
    defined.insert(left[next].name);
    left.erase(left.begin() + next);
  }
  return head + ") {\n" + body + "  return " + names + "\n}\n";
}

std::vector<Tensor> RandomQuotients::arguments(int64_t n) {
  std::vector<Tensor> result;
  auto shapeOf = [&](const Named &argument) {
    return std::vector<int64_t>{argument.shape == Shape::Row ? 1 : n, argument.shape == Shape::Column ? 1 : n};
  };
  for (const Named &argument : numberArguments) {
    Tensor x(Element::I64, shapeOf(argument));
    for (int64_t i = 0; i < x.size(); i++)
      x.data<int64_t>()[i] = pick(4) ? int64_t(pick(7)) - 3 : 0;
    result.push_back(std::move(x));
  }
  for (const Named &argument : maskArguments) {
    Tensor mask(Element::I1, shapeOf(argument));
    for (int64_t i = 0; i < mask.size(); i++)
      mask.data<uint8_t>()[i] = pick(2);
    result.push_back(std::move(mask));
  }
  return result;
}
} // namespace nova::test
