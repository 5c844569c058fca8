//===- RandomMaskedGraph.cpp - Random graphs full of masks -------------------===//
#include "tests/reference/RandomMaskedGraph.h"

#include <cmath>
#include <limits>

namespace nova::reference {

RandomMaskedGraph::RandomMaskedGraph(unsigned seed) : generator(seed) {
  element = pick(3) ? "f64" : "f32";
  numberValues = {{"%x", Kind::Matrix}, {"%y", Kind::Matrix}, {"%c", Kind::Column}, {"%r", Kind::Row}};
  maskValues = {{"%b", Kind::Matrix}};
  body = "  %row = iota 0 : [n, 1]\n  %col = iota 1 : [1, n]\n  %future = greater %col, %row\n";
  maskValues.push_back({"%future", Kind::Matrix});
  for (int i = 0, count = 4 + pick(14); i < count; ++i) {
    switch (pick(6)) {
    case 0:
      addMask();
      break;
    case 1:
    case 2:
      addWhere();
      break;
    case 3:
      if (pick(3) == 0)
        addLow();
      else
        addWhere();
      break;
    default:
      addOperation();
    }
  }

  // Results: about half of the values, the last one, and the guards.
  std::vector<std::pair<Named, std::string>> results;
  for (size_t i = 0; i < numberValues.size(); ++i)
    if (i + 1 == numberValues.size() || pick(2))
      results.push_back({numberValues[i], element});
  for (const Named &mask : maskValues)
    if (pick(3) == 0)
      results.push_back({mask, "i1"});
  for (const Named &guard : guardValues) {
    guardResults.push_back(results.size());
    results.push_back({guard, element});
  }
  std::string names, types;
  for (const auto &[value, type] : results) {
    names += (names.empty() ? "" : ", ") + value.name;
    types += (types.empty() ? "" : ", ") + typeOf(value.kind, type);
  }
  source = "graph @g(%x: " + element + "[n, n], %y: " + element + "[n, n], %c: " + element + "[n, 1], %r: " + element +
           "[1, n], %b: i1[n, n]) -> (" + types + ") {\n" + body + "  return " + names + "\n}\n";
}

std::string RandomMaskedGraph::typeOf(Kind kind, const std::string &type) const {
  return type + (kind == Kind::Matrix   ? "[n, n]"
                 : kind == Kind::Column ? "[n, 1]"
                 : kind == Kind::Row    ? "[1, n]"
                                        : "[]");
}

RandomMaskedGraph::Kind RandomMaskedGraph::join(Kind a, Kind b) {
  if (a == b || b == Kind::Scalar)
    return a;
  return a == Kind::Scalar ? b : Kind::Matrix;
}

RandomMaskedGraph::Named RandomMaskedGraph::emit(const std::string &op, Kind kind) {
  std::string name = "%v" + std::to_string(next++);
  body += "  " + name + " = " + op + "\n";
  return {name, kind};
}

RandomMaskedGraph::Named RandomMaskedGraph::pickOf(Kind kind) {
  // A value of every kind is among the arguments.
  for (;;)
    if (Named value = pickNumber(); value.kind == kind)
      return value;
}

std::string RandomMaskedGraph::pickConstant() {
  static const char *literals[] = {"0.0", "0.0", "-inf", "-inf", "inf", "-0.0", "1.0", "-2.5", "3"};
  return emit(std::string("constant ") + literals[pick(std::size(literals))], Kind::Scalar).name;
}

void RandomMaskedGraph::addMask() {
  static const char *comparisons[] = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"};
  std::string compare = comparisons[pick(std::size(comparisons))];
  switch (pick(5)) {
  case 0: // an integer set
    maskValues.push_back(emit(compare + " %col, %row", Kind::Matrix));
    break;
  case 1: {
    std::string offset = emit("constant " + std::to_string(int(pick(5)) - 2), Kind::Scalar).name;
    std::string shifted = emit("add %row, " + offset, Kind::Column).name;
    maskValues.push_back(emit(compare + " %col, " + shifted, Kind::Matrix));
    break;
  }
  case 2: { // of data
    Named a = pickNumber(), b = pickNumber();
    maskValues.push_back(emit(compare + " " + a.name + ", " + b.name, join(a.kind, b.kind)));
    break;
  }
  case 3: {
    Named a = pickMask(), b = pickMask();
    maskValues.push_back(emit((pick(2) ? "and " : "or ") + a.name + ", " + b.name, join(a.kind, b.kind)));
    break;
  }
  default: {
    Named a = pickMask();
    if (pick(2)) {
      maskValues.push_back(emit("not " + a.name, a.kind));
    } else { // a mask with a mask
      Named b = pickMask();
      std::string flag = emit(pick(2) ? "constant true" : "constant false", Kind::Scalar).name;
      maskValues.push_back(emit("where " + a.name + ", " + flag + ", " + b.name, join(a.kind, b.kind)));
    }
  }
  }
}

void RandomMaskedGraph::addWhere() {
  Named mask = pickMask(), value = pickNumber();
  switch (pick(4)) {
  case 0:
    numberValues.push_back(
        emit("where " + mask.name + ", " + pickConstant() + ", " + value.name, join(mask.kind, value.kind)));
    break;
  case 1:
    numberValues.push_back(
        emit("where " + mask.name + ", " + value.name + ", " + pickConstant(), join(mask.kind, value.kind)));
    break;
  case 2: {
    Named other = pickNumber();
    numberValues.push_back(emit("where " + mask.name + ", " + value.name + ", " + other.name,
                                join(mask.kind, join(value.kind, other.kind))));
    break;
  }
  default: { // two constants, which meet a typed value at once
    std::string first = pickConstant(), second = pickConstant();
    std::string both = emit("where " + mask.name + ", " + first + ", " + second, mask.kind).name;
    numberValues.push_back(
        emit((pick(2) ? "add " : "multiply ") + value.name + ", " + both, join(mask.kind, value.kind)));
  }
  }
}

void RandomMaskedGraph::addLow() {
  Named scores = pickOf(Kind::Matrix), mask = pickMask();
  std::string axis = pick(4) ? "1" : "0";
  Kind kept = axis == "1" ? Kind::Column : Kind::Row;
  std::string zero = emit("constant 0.0", Kind::Scalar).name, one = emit("constant 1.0", Kind::Scalar).name;
  Named low = emit("reduce_min " + scores.name + ", " + axis, kept);
  Named masked = emit("where " + mask.name + ", " + low.name + ", " + scores.name, Kind::Matrix);
  Named most = emit("reduce_max " + masked.name + ", " + axis, kept);
  Named shifted = emit("subtract " + masked.name + ", " + most.name, Kind::Matrix);
  Named power = emit("exp " + shifted.name, Kind::Matrix);
  Named weights = emit("where " + mask.name + ", " + zero + ", " + power.name, Kind::Matrix);
  for (const Named &value : {low, masked, most, shifted, power, weights})
    numberValues.push_back(value);

  // 1 where a row sees something; written as arithmetic on the scores' type and shape.
  std::string typed = emit("equal %x, %x", Kind::Matrix).name;
  std::string ones = emit("where " + typed + ", " + one + ", %x", Kind::Matrix).name;
  Named visible = emit("where " + mask.name + ", " + zero + ", " + ones, Kind::Matrix);
  guardValues.push_back(emit("reduce_max " + visible.name + ", " + axis, kept));
}

void RandomMaskedGraph::addOperation() {
  static const char *binaries[] = {"add", "subtract", "multiply", "divide", "power"};
  static const char *unaries[] = {"negate", "exp", "sqrt", "log", "rsqrt", "sigmoid", "tanh", "erf", "sin", "cos"};
  static const char *reductions[] = {"reduce_sum", "reduce_max", "reduce_min"};
  switch (pick(7)) {
  case 0:
  case 1: {
    Named a = pickNumber(), b = pickNumber();
    numberValues.push_back(
        emit(std::string(binaries[pick(std::size(binaries))]) + " " + a.name + ", " + b.name, join(a.kind, b.kind)));
    break;
  }
  case 2: {
    Named a = pickNumber();
    std::string constant = pickConstant();
    numberValues.push_back(emit(std::string(binaries[pick(std::size(binaries))]) + " " +
                                    (pick(2) ? a.name + ", " + constant : constant + ", " + a.name),
                                a.kind));
    break;
  }
  case 3: {
    Named a = pickNumber();
    numberValues.push_back(emit(std::string(unaries[pick(std::size(unaries))]) + " " + a.name, a.kind));
    break;
  }
  case 4: {
    Named a = pickNumber();
    Kind turned = a.kind == Kind::Column ? Kind::Row : a.kind == Kind::Row ? Kind::Column : a.kind;
    numberValues.push_back(emit("transpose " + a.name, turned));
    break;
  }
  case 5: {
    Named a = pickOf(Kind::Matrix);
    bool rows = pick(2);
    numberValues.push_back(emit(std::string(reductions[pick(3)]) + " " + a.name + (rows ? ", 1" : ", 0"),
                                rows ? Kind::Column : Kind::Row));
    break;
  }
  default: {
    Named a = pickOf(Kind::Matrix), b = pickOf(pick(3) ? Kind::Matrix : Kind::Column);
    numberValues.push_back(emit("matmul " + a.name + ", " + b.name, b.kind));
  }
  }
}

std::vector<double> RandomMaskedGraph::numbers(size_t count) {
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double &value : values)
    value = normal(generator);
  return values;
}

std::vector<Tensor> RandomMaskedGraph::arguments(int64_t n) {
  std::vector<Tensor> result;
  for (auto [rows, columns] : {std::pair(n, n), std::pair(n, n), std::pair(n, int64_t(1)), std::pair(int64_t(1), n)}) {
    std::vector<double> values = numbers(rows * columns);
    for (double &value : values)
      if (pick(12) == 0)
        value = pick(2)   ? (pick(2) ? 0.0 : -0.0)
                : pick(4) ? std::round(value)
                          : std::numeric_limits<double>::infinity();
    Tensor x(element == "f64" ? Element::F64 : Element::F32, {rows, columns});
    if (x.element == Element::F64)
      std::copy(values.begin(), values.end(), x.data<double>());
    else
      std::copy(values.begin(), values.end(), x.data<float>());
    result.push_back(std::move(x));
  }
  Tensor mask(Element::I1, {n, n});
  for (int64_t i = 0; i < n * n; ++i)
    mask.data<uint8_t>()[i] = pick(3) == 0;
  result.push_back(std::move(mask));
  return result;
}

} // namespace nova::reference
