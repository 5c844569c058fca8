// Graphs that compute a random mask from positions and sizes.
#ifndef NOVA_TESTS_ANALYSIS_RANDOMMASK_H
#define NOVA_TESTS_ANALYSIS_RANDOMMASK_H

#include "compiler/analysis/VisibleColumns.h"
#include "tests/analysis/RandomGraph.h"
#include "tests/reference/Graphs.h"

namespace nova::test {

inline int64_t below(Random &random, int64_t bound) { return int64_t(random() % uint64_t(bound)); }

/// Lines that compute a random i1 value [n, p] from positions, sizes and, where asked, data; the name of the value.
struct MaskText {
  Random &random;
  bool withData;
  std::string body;
  unsigned next = 0;

  std::string line(const std::string &expression) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + expression + "\n";
    return name;
  }
  std::string number(int64_t value) { return line("constant " + std::to_string(value) + " : i64[]"); }

  std::string integer(unsigned depth) {
    int64_t kind = below(random, depth ? 9 : 4);
    switch (kind) {
    case 0:
      return line(below(random, 2) ? "iota 0 : [n, 1]" : "iota 0 : [n, 1] from p");
    case 1:
      return line("iota 1 : [1, p]");
    case 2:
      return number(below(random, 7) - 3);
    case 3:
      return line(below(random, 2) ? "dim_value p" : "iota 0 : [n, p]");
    case 4:
      return line("add " + integer(depth - 1) + ", " + integer(depth - 1));
    case 5:
      return line("subtract " + integer(depth - 1) + ", " + integer(depth - 1));
    case 6:
      return line("multiply " + number(below(random, 5) - 2) + ", " + integer(depth - 1));
    case 7:
      return line("divide " + integer(depth - 1) + ", " + number(below(random, 4) + 1));
    default:
      return line("negate " + integer(depth - 1));
    }
  }

  /// A comparison of a column with a place that moves with the row: half a band.
  std::string edge() {
    static const char *comparisons[] = {"less ", "less_equal ", "greater ", "greater_equal "};
    std::string place = number(below(random, 9) - 4);
    if (below(random, 4))
      place = line("add " + line("multiply " + number(below(random, 4) - 1) + ", " + line("iota 0 : [n, 1]")) + ", " +
                   place);
    return line(comparisons[below(random, 4)] + line("iota 1 : [1, p]") + ", " + place);
  }

  /// Unions and intersections of bands.
  std::string bands(unsigned depth) {
    int64_t kind = below(random, depth ? 5 : 1);
    if (kind == 0)
      return edge();
    if (kind == 1)
      return line("not " + bands(depth - 1));
    return line((kind == 2 ? "and " : "or ") + bands(depth - 1) + ", " + bands(depth - 1));
  }

  std::string mask(unsigned depth) {
    static const char *comparisons[] = {"equal ", "not_equal ", "less ", "less_equal ", "greater ", "greater_equal "};
    int64_t kind = below(random, depth ? 7 : 2);
    switch (kind) {
    case 0:
    case 1:
      if (withData && below(random, 4) == 0)
        return "%data";
      return line(comparisons[below(random, 6)] + integer(2) + ", " + integer(2));
    case 2:
      return line("not " + mask(depth - 1));
    case 3:
      return line("and " + mask(depth - 1) + ", " + mask(depth - 1));
    case 4:
      return line("or " + mask(depth - 1) + ", " + mask(depth - 1));
    case 5:
      return line("where " + mask(depth - 1) + ", " + mask(depth - 1) + ", " + mask(depth - 1));
    default:
      return line("transpose " + line("transpose " + mask(depth - 1)));
    }
  }

  /// A graph with this mask on a reduction over axis 1, and the mask itself as its result.
  std::string graph(bool withBands = false) {
    std::string everywhere = line("not_equal " + line("iota 0 : [n, 1]") + ", " + line("iota 1 : [1, p]"));
    std::string hidden = withBands ? bands(3) : mask(3);
    // Broadcast to [n, p] without a change.
    std::string full = line("and " + hidden + ", " + line("or " + everywhere + ", " + line("not " + everywhere)));
    std::string sum = line("reduce_sum %x, 1 hidden " + full);
    return "graph @g(%x: f64[n, p], %data: i1[n, p]) -> (i1[n, p], f64[n, 1]) {\n" + body + "  return " + full + ", " +
           sum + "\n}\n";
  }
};

/// The mask's entries at these sizes, for random data.
inline reference::Tensor entriesOf(reference::Graph &graph, int64_t n, int64_t p, Random &random) {
  Bindings sizes;
  sizes["n"] = n, sizes["p"] = p;
  std::vector<reference::Tensor> arguments;
  for (unsigned i = 0; i < 2; i++)
    arguments.push_back(randomTensor(graph.get().getArgumentType(i), sizes, random));
  return graph.run(arguments)[0];
}

/// The mask of a seed, every other one of bands, every fourth with data, and what it leaves visible.
struct DrawnMask {
  Random random; // for its entries
  std::string source;
  reference::Graph graph;
  mlir::Value hidden;
  MaskAnalysis masks;
  std::optional<VisibleColumns> visible;

  explicit DrawnMask(uint64_t seed)
      : random(seed), source(MaskText{random, seed % 4 == 0, "", 0}.graph(/*withBands=*/seed % 2)), graph(source),
        hidden(graph.get().getReturn().getOperand(0)), masks(graph.get()), visible(visibleColumns(masks, hidden)) {}
};

} // namespace nova::test

#endif
