// Operations as both kinds of random graphs use them: each adds one value, or the few that belong together.
#ifndef NOVA_TESTS_RANDOM_PARTS_H
#define NOVA_TESTS_RANDOM_PARTS_H

#include "tests/random/GraphText.h"

namespace nova::test {
class Parts {
public:
  Parts(Draw &draw, GraphText &graph) : draw(draw), g(graph) {}

protected:
  Draw &draw;
  GraphText &g;

  Kind kindOf(unsigned v) const { return g[v].kind; }
  const Dims &dimsOf(unsigned v) const { return g[v].dims; }

  /// A number that `kind` can hold: small ones, and for floats every special one.
  std::string literal(Kind kind);
  /// A constant of all types and shapes; a scalar is weak where `weak`.
  unsigned scalar(const std::string &number, Kind kind, bool weak);
  unsigned tensorConstant(Kind kind, const Dims &dims);
  unsigned iota(unsigned axis, const Dims &dims) {
    return g.add("iota", {}, std::to_string(axis) + " : " + shapeText(dims), Kind::I64, dims);
  }
  unsigned unary(const std::string &op, unsigned x);
  /// Arithmetic, logic or (with a result of i1) a comparison; the shapes must broadcast and the types agree.
  unsigned binary(const std::string &op, unsigned x, unsigned y);
  unsigned where(unsigned condition, unsigned x, unsigned y);
  unsigned transpose(unsigned x, const std::vector<unsigned> &permutation);
  /// The matrices in the last two axes transposed.
  unsigned turned(unsigned x);
  unsigned reduce(const std::string &op, unsigned x, unsigned axis, bool drop = false);
  unsigned reshape(unsigned x, const Dims &dims);
  unsigned broadcastTo(unsigned x, const Dims &dims);
  unsigned slice(unsigned x, unsigned axis, const std::string &from, const std::string &size, unsigned step);
  unsigned concat(const std::vector<unsigned> &parts, unsigned axis);
  unsigned pad(unsigned x, unsigned axis, const std::string &low, const std::string &high, unsigned value);
  /// The indices may lie outside.
  unsigned gather(unsigned x, unsigned indices, unsigned axis);
  /// `indices`, or 0 where they lie outside the axis.
  unsigned guardedIndices(unsigned indices, unsigned x, unsigned axis);
  unsigned argmax(unsigned x, unsigned axis, bool drop = false);
  unsigned cumulativeSum(unsigned x, unsigned axis);
  /// Dims of as many entries.
  Dims regrouped(Dims dims, size_t mostAxes);
  /// A part of the axis that is within it at every size.
  unsigned someSlice(unsigned x, unsigned axis);
  unsigned somePad(unsigned x, unsigned axis, const std::string &symbol);
  /// The shape of their product; empty where they do not fit.
  Dims productDims(unsigned a, unsigned b) const;
  /// Products of the matrices in the last two axes; the axes before must broadcast.
  unsigned matmul(unsigned a, unsigned b) { return g.add("matmul", {a, b}, "", kindOf(a), productDims(a, b)); }
  /// exp(x - max) / sum over an axis with a mask, with the least visible score or an infinity where nothing may be
  /// seen.
  unsigned normalized(unsigned x, unsigned mask, unsigned axis);

  /// An elementwise operation of one float.
  std::string floatUnary();
  /// One of any number.
  std::string numberUnary() { return draw.pick<std::string>({"negate", "abs"}); }
  unsigned castTo(unsigned x, Kind kind) {
    return g.add("cast", {x}, std::string(" : ") + toString(kind), kind, dimsOf(x));
  }
  /// What a cast may give.
  Kind someTarget() {
    return draw.pick<Kind>({Kind::F64, Kind::F32, Kind::I64, Kind::I32, Kind::BF16, Kind::F16, Kind::I8, Kind::I4});
  }
  /// A value as a type with fewer bits keeps it.
  unsigned keptIn(Kind kind, unsigned x) { return castTo(castTo(x, kind), kindOf(x)); }
  Kind someStored() { return draw.pick<Kind>({Kind::BF16, Kind::F16, Kind::I8, Kind::I4}); }
  static bool isBinary(const std::string &op);
  std::string comparison() {
    return draw.pick<std::string>({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"});
  }
  std::string reduction() { return draw.pick<std::string>({"reduce_sum", "reduce_max", "reduce_min"}); }

private:
  static std::string shapeText(const Dims &dims);
  std::string listText(Kind kind, const Dims &dims, size_t axis);
};
} // namespace nova::test

#endif
