// Operations that move entries, along axes whose sizes are sums and products.
#include "tests/random/Parts.h"
#include "tests/random/SizeText.h"
#include <algorithm>

namespace nova::test {
unsigned Parts::reshape(unsigned x, const Dims &dims) {
  return g.add("reshape", {x}, " : " + shapeText(dims), kindOf(x), dims);
}

unsigned Parts::broadcastTo(unsigned x, const Dims &dims) {
  return g.add("broadcast", {x}, " : " + shapeText(dims), kindOf(x), dims);
}

unsigned Parts::slice(unsigned x, unsigned axis, const std::string &from, const std::string &size, unsigned step) {
  Dims dims = dimsOf(x);
  dims[axis] = size;
  std::string rest = ", " + std::to_string(axis) + " from " + from + " size " + size;
  if (step > 1 || draw.chance(10))
    rest += " step " + std::to_string(step);
  return g.add("slice", {x}, rest, kindOf(x), dims);
}

unsigned Parts::concat(const std::vector<unsigned> &parts, unsigned axis) {
  Dims dims = dimsOf(parts[0]);
  for (size_t i = 1; i < parts.size(); i++)
    dims[axis] = sumOf(dims[axis], dimsOf(parts[i])[axis]);
  return g.add("concat", parts, ", " + std::to_string(axis), kindOf(parts[0]), dims);
}

unsigned Parts::pad(unsigned x, unsigned axis, const std::string &low, const std::string &high, unsigned value) {
  Dims dims = dimsOf(x);
  dims[axis] = sumOf(sumOf(low, dims[axis]), high);
  std::string rest = ", " + std::to_string(axis) + " low " + low + " high " + high + ", %v" + std::to_string(value);
  unsigned padded = g.add("pad", {x}, rest, kindOf(x), dims);
  g.reads(padded, value);
  return padded;
}

unsigned Parts::gather(unsigned x, unsigned indices, unsigned axis) {
  Dims dims = dimsOf(x);
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, dimsOf(indices).begin(), dimsOf(indices).end());
  return g.add("gather", {x, indices}, ", " + std::to_string(axis), kindOf(x), dims);
}

unsigned Parts::guardedIndices(unsigned indices, unsigned x, unsigned axis) {
  unsigned zero = scalar("0", kindOf(indices), true);
  unsigned size = g.add("size", {x}, ", " + std::to_string(axis), Kind::WeakInt, {});
  unsigned inside = binary("and", binary("greater_equal", indices, zero), binary("less", indices, size));
  return where(inside, indices, zero);
}

unsigned Parts::argmax(unsigned x, unsigned axis, bool drop) {
  unsigned found = reduce("argmax", x, axis, drop);
  g.setKind(found, Kind::I64);
  return found;
}

unsigned Parts::cumulativeSum(unsigned x, unsigned axis) {
  return g.add("cumulative_sum", {x}, ", " + std::to_string(axis), kindOf(x), dimsOf(x));
}

// Axes merged, split, added and taken away, and entries in another order.
Dims Parts::regrouped(Dims dims, size_t mostAxes) {
  for (unsigned steps = 1 + draw.below(3); steps-- > 0;) {
    unsigned axis = dims.empty() ? 0 : draw.below(dims.size());
    auto isSum = [&](unsigned k) { return dims[k].find('+') != std::string::npos; };
    switch (draw.below(4)) {
    case 0:
      if (axis + 1 < dims.size() && !isSum(axis) && !isSum(axis + 1)) {
        dims[axis] = productOf(dims[axis], dims[axis + 1]);
        dims.erase(dims.begin() + axis + 1);
      }
      break;
    case 1:
      if (dims.size() < mostAxes)
        dims.insert(dims.begin() + draw.below(dims.size() + 1), "1");
      break;
    case 2:
      if (std::vector<std::string> factors; !dims.empty() && dims.size() < mostAxes && !isSum(axis)) {
        factors = split(dims[axis], " * ");
        std::string last = factors.back();
        if (factors.size() < 2)
          break;
        dims[axis] = dims[axis].substr(0, dims[axis].size() - last.size() - 3);
        dims.insert(dims.begin() + axis + 1, last);
      }
      break;
    default:
      if (draw.chance(30))
        std::reverse(dims.begin(), dims.end());
      else if (!dims.empty() && dims[axis] == "1")
        dims.erase(dims.begin() + axis);
    }
  }
  return dims;
}

unsigned Parts::someSlice(unsigned x, unsigned axis) {
  std::string dim = dimsOf(x)[axis];
  if (isNumber(dim)) {
    int64_t size = std::stoll(dim), from = draw.below(size + 1);
    unsigned step = 1 + draw.below(3);
    int64_t most = (size - from + step - 1) / step;
    return slice(x, axis, std::to_string(from), std::to_string(draw.below(most + 1)), step);
  }
  // The terms of a sum stand for parts of the axis.
  std::vector<std::string> terms = split(dim, " + ");
  unsigned first = draw.below(terms.size()), last = first + draw.below(terms.size() - first);
  std::string from = "0", size = "0";
  for (unsigned i = 0; i <= last; i++)
    (i < first ? from : size) = sumOf(i < first ? from : size, terms[i]);
  std::vector<std::string> factors = split(dim, " * ");
  if (terms.size() == 1 && factors.size() == 2 && isNumber(factors[1])) // n * 2, every second one
    return slice(x, axis, std::to_string(draw.below(std::stoi(factors[1]))), factors[0], std::stoi(factors[1]));
  return slice(x, axis, from, draw.chance(85) ? size : "0", 1);
}

unsigned Parts::somePad(unsigned x, unsigned axis, const std::string &symbol) {
  std::vector<std::string> counts{"0", "1", "2", "3", "17", symbol};
  unsigned value = scalar(literal(kindOf(x)), kindOf(x), draw.chance(60));
  return pad(x, axis, draw.pick(counts), draw.pick(counts), value);
}
} // namespace nova::test
