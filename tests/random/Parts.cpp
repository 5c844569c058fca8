#include "tests/random/Parts.h"
#include "compiler/reference/Elementary.h"
#include <set>

namespace nova::test {
std::string Parts::floatUnary() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{"negate", "exp", "exp", "sqrt"}; // exp is what masks are about
    reference::forEachFunction([&](std::string_view name, auto) {
      if (name != "exp")
        list.emplace_back(name);
    });
    list.insert(list.end(), {"floor", "abs"});
    return list;
  }();
  return draw.pick(names);
}

std::string Parts::shapeText(const Dims &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); i++)
    text += (i ? ", " : "") + dims[i];
  return text + "]";
}

std::string Parts::literal(Kind kind) {
  if (kind == Kind::I1)
    return draw.chance(50) ? "true" : "false";
  if (kind == Kind::I8)
    return draw.pick<std::string>({"-128", "127", "0", "1", "-3"});
  if (kind == Kind::I4)
    return draw.pick<std::string>({"-8", "7", "0", "1", "-3"});
  if (kind == Kind::BF16 || kind == Kind::F16)
    return draw.pick<std::string>({"0.0", "-0.0", "1.0", "-3.25", "0.1", "inf", "-inf", "nan", "6.0e-8", "65504.0"});
  if (isInteger(kind) || kind == Kind::WeakInt) {
    if (draw.chance(10))
      return kind == Kind::I32 ? "-2147483648" : "9223372036854775807";
    return std::to_string(int(draw.below(9)) - 4);
  }
  if (draw.chance(25))
    return draw.pick<std::string>(
        {"inf", "-inf", "nan", "-0.0", "1.0e-40", "3.0e38", kind == Kind::F32 ? "1.0e-44" : "1.0e-300"});
  return draw.pick<std::string>({"0.0", "1.0", "-1.0", "0.5", "2.0", "0.1", "-3.25", "7.0"});
}

unsigned Parts::scalar(const std::string &number, Kind kind, bool weak) {
  if (!weak || kind == Kind::I1)
    return g.add("constant", {}, number + (kind == Kind::I1 ? "" : std::string(" : ") + toString(kind) + "[]"), kind,
                 {});
  return g.add("constant", {}, number, isInteger(kind) || kind == Kind::I8 || kind == Kind::I4 ? Kind::WeakInt : Kind::WeakFloat, {});
}

std::string Parts::listText(Kind kind, const Dims &dims, size_t axis) {
  if (axis == dims.size()) {
    std::string number = literal(kind);
    // A list has one kind of numbers, and those of a narrow type must fit it.
    return number;
  }
  std::string text = "[";
  for (int i = 0; i < std::stoi(dims[axis]); i++)
    text += (i ? ", " : "") + listText(kind, dims, axis + 1);
  return text + "]";
}

unsigned Parts::tensorConstant(Kind kind, const Dims &dims) {
  std::string numbers = draw.chance(30) ? literal(kind) : listText(kind, dims, 0);
  return g.add("constant", {}, numbers + " : " + toString(kind) + (dims.empty() ? "[]" : shapeText(dims)), kind, dims);
}

unsigned Parts::unary(const std::string &op, unsigned x) {
  bool weakRoot = kindOf(x) == Kind::WeakInt && op != "negate";
  return g.add(op, {x}, "", weakRoot ? Kind::WeakFloat : kindOf(x), dimsOf(x));
}

bool Parts::isBinary(const std::string &op) {
  static const std::set<std::string> names{"add",       "subtract", "multiply",   "divide",  "power",
                                           "max",       "min",      "and",        "or",      "equal",
                                           "not_equal", "less",     "less_equal", "greater", "greater_equal"};
  return names.count(op);
}

unsigned Parts::turned(unsigned x) {
  std::vector<unsigned> permutation;
  for (unsigned axis = 0; axis < dimsOf(x).size(); axis++)
    permutation.push_back(axis);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return transpose(x, permutation);
}

Dims Parts::productDims(unsigned a, unsigned b) const {
  const Dims &left = dimsOf(a), &right = dimsOf(b);
  Dims dims;
  if (left.size() < 2 || right.size() < 2 || left.back() != right[right.size() - 2] ||
      !broadcast(Dims(left.begin(), left.end() - 2), Dims(right.begin(), right.end() - 2), dims))
    return {};
  dims.push_back(left[left.size() - 2]);
  dims.push_back(right.back());
  return dims;
}

unsigned Parts::binary(const std::string &op, unsigned x, unsigned y) {
  Dims dims;
  broadcast(dimsOf(x), dimsOf(y), dims);
  bool arithmetic = op == "add" || op == "subtract" || op == "multiply" || op == "divide" || op == "power" ||
                    op == "max" || op == "min";
  Kind kind = Kind::I1;
  if (arithmetic) {
    kind = isWeak(kindOf(x)) ? kindOf(y) : kindOf(x);
    if (isWeak(kindOf(x)) && isWeak(kindOf(y)))
      kind = kindOf(x) == Kind::WeakFloat || kindOf(y) == Kind::WeakFloat || op == "divide" || op == "power"
                 ? Kind::WeakFloat
                 : Kind::WeakInt;
  }
  return g.add(op, {x, y}, "", kind, dims);
}

unsigned Parts::where(unsigned condition, unsigned x, unsigned y) {
  Dims branches, dims;
  broadcast(dimsOf(x), dimsOf(y), branches);
  broadcast(dimsOf(condition), branches, dims);
  return g.add("where", {condition, x, y}, "", isWeak(kindOf(x)) ? kindOf(y) : kindOf(x), dims);
}

unsigned Parts::transpose(unsigned x, const std::vector<unsigned> &permutation) {
  Dims dims;
  std::string list;
  bool reverses = true;
  for (size_t i = 0; i < permutation.size(); i++) {
    dims.push_back(dimsOf(x)[permutation[i]]);
    list += (i ? ", " : ", [") + std::to_string(permutation[i]);
    reverses &= permutation[i] == permutation.size() - 1 - i;
  }
  return g.add("transpose", {x}, reverses ? "" : list + "]", kindOf(x), dims);
}

unsigned Parts::reduce(const std::string &op, unsigned x, unsigned axis, bool drop) {
  Dims dims = dimsOf(x);
  if (drop)
    dims.erase(dims.begin() + axis);
  else
    dims[axis] = "1";
  return g.add(op, {x}, ", " + std::to_string(axis) + (drop ? " drop" : ""), kindOf(x), dims);
}

unsigned Parts::normalized(unsigned x, unsigned mask, unsigned axis) {
  bool weak = draw.chance(60);
  unsigned fill = draw.chance(70) ? reduce("reduce_min", x, axis) : scalar("-inf", kindOf(x), weak);
  unsigned seen = where(mask, fill, x);
  unsigned shifted = binary("subtract", seen, reduce("reduce_max", seen, axis));
  unsigned terms = where(mask, scalar("0.0", kindOf(x), weak), unary("exp", shifted));
  return binary("divide", terms, reduce("reduce_sum", terms, axis));
}
} // namespace nova::test
