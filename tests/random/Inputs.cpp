#include "tests/random/Inputs.h"
#include "compiler/reference/Canonical.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::test {
static bool fits(const GraphText &graph, const Sizes &sizes, int64_t most) {
  for (unsigned v = 0; v < graph.size(); v++) {
    double entries = 1;
    for (const std::string &dim : graph[v].dims)
      entries *= sizeOf(dim, sizes);
    if (graph[v].op == "matmul")
      entries *= sizeOf(graph[graph[v].operands[0]].dims.back(), sizes) / 64.0;
    if (entries > most)
      return false;
  }
  return true;
}

Sizes drawSizes(Draw &draw, const GraphText &graph, unsigned round, int64_t most) {
  std::set<std::string> symbols;
  for (unsigned v = 0; v < graph.size(); v++)
    for (const std::string &dim : graph[v].dims)
      for (const std::string &symbol : symbolsIn(dim))
        symbols.insert(symbol);
  const std::vector<int64_t> edges{0,  1,  2,  3,  5,  6,  7,   8,   9,   12,  15,  16, 17,
                                   24, 31, 33, 48, 63, 65, 100, 255, 256, 257, 300, 513};
  for (size_t reach = edges.size();; reach = std::max<size_t>(reach - 1, 3)) {
    Sizes sizes;
    for (const std::string &symbol : symbols)
      sizes[symbol] = round < 2 ? round : edges[draw.chance(25) ? draw.below(4) : draw.below(reach)];
    if (fits(graph, sizes, most))
      return sizes;
  }
}

template <class F> static F drawFloat(Draw &draw, unsigned manner) {
  using Limits = std::numeric_limits<F>;
  switch (manner) {
  case 0:
    return F(int(draw.below(7)) - 3);
  case 1: {
    F sum = 0;
    for (int i = 0; i < 4; i++)
      sum += F(draw.unit() - 0.5);
    return sum * 2;
  }
  case 2: {
    F x = F(std::ldexp(draw.unit() + 0.5, int(draw.below(Limits::max_exponent * 2)) - Limits::max_exponent));
    return draw.chance(50) ? x : -x;
  }
  default: {
    static const F special[] = {Limits::quiet_NaN(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                F(0),
                                F(-0.0),
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                Limits::min(),
                                -Limits::min() / 2,
                                Limits::max(),
                                Limits::lowest(),
                                F(1),
                                F(-1),
                                1 + Limits::epsilon()};
    return draw.chance(manner == 3 ? 60 : 6) ? special[draw.below(std::size(special))]
                                             : drawFloat<F>(draw, draw.below(2));
  }
  }
}

template <class I> static I drawInteger(Draw &draw, unsigned manner) {
  using Limits = std::numeric_limits<I>;
  if (manner < 2)
    return I(int(draw.below(9)) - 4);
  if (manner == 2)
    return I(draw.bits());
  static const I special[] = {Limits::min(), Limits::max(), I(0), I(-1), I(1), Limits::min() + 1};
  return draw.chance(30) ? special[draw.below(std::size(special))] : I(int(draw.below(9)) - 4);
}

// Of all patterns, NaNs among them, or what ordinary numbers round to.
template <class T> static T drawSmallFloat(Draw &draw, unsigned manner) {
  return manner == 2 ? T{uint16_t(draw.bits())} : reference::castTo<T>(drawFloat<float>(draw, manner));
}

template <class T, class F> static void fill(Tensor &tensor, F next) {
  for (int64_t i = 0; i < tensor.size(); i++)
    tensor.data<T>()[i] = next();
}

Tensor drawTensor(Draw &draw, Kind kind, const Dims &dims, const Sizes &sizes) {
  reference::Shape shape;
  for (const std::string &dim : dims)
    shape.push_back(sizeOf(dim, sizes));
  unsigned manner = draw.below(5);
  switch (kind) {
  case Kind::F64: {
    Tensor tensor(Element::F64, shape);
    fill<double>(tensor, [&] { return drawFloat<double>(draw, manner); });
    return tensor;
  }
  case Kind::F32: {
    Tensor tensor(Element::F32, shape);
    fill<float>(tensor, [&] { return drawFloat<float>(draw, manner); });
    return tensor;
  }
  case Kind::I64: {
    Tensor tensor(Element::I64, shape);
    fill<int64_t>(tensor, [&] { return drawInteger<int64_t>(draw, manner); });
    return tensor;
  }
  case Kind::I32: {
    Tensor tensor(Element::I32, shape);
    fill<int32_t>(tensor, [&] { return drawInteger<int32_t>(draw, manner); });
    return tensor;
  }
  case Kind::BF16: {
    Tensor tensor(Element::BF16, shape);
    fill<reference::BFloat16>(tensor, [&] { return drawSmallFloat<reference::BFloat16>(draw, manner); });
    return tensor;
  }
  case Kind::F16: {
    Tensor tensor(Element::F16, shape);
    fill<reference::Float16>(tensor, [&] { return drawSmallFloat<reference::Float16>(draw, manner); });
    return tensor;
  }
  case Kind::I4: {
    Tensor tensor(Element::I4, shape);
    fill<reference::Int4>(tensor, [&] { return reference::castTo<reference::Int4>(int32_t(draw.below(16))); });
    return tensor;
  }
  case Kind::I8: {
    Tensor tensor(Element::I8, shape);
    fill<int8_t>(tensor, [&] { return drawInteger<int8_t>(draw, manner); });
    return tensor;
  }
  default: {
    Tensor tensor(Element::I1, shape);
    fill<uint8_t>(tensor, [&] { return draw.chance(20 + 15 * manner); });
    return tensor;
  }
  }
}
} // namespace nova::test
