// A scan gives what its graph gives entry by entry, on both backends, whole and in pieces: random graphs, scanned.
#include "compiler/reference/Kernels.h"
#include "tests/SlowTests.h"
#include "tests/random/AnyGraph.h"
#include "tests/random/Backends.h"
#include "tests/random/CausalGraph.h"
#include "tests/random/Inputs.h"
#include "tests/random/Scans.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace nova::test;
using nova::reference::entryOf;
using nova::reference::Shape;
using nova::reference::Tensor;

namespace {
const bool slow = slowTests();

// A graph with scans around it: `over[k]` of its arguments, from the first on, are scanned over by scan k. Scan 0 is
// the innermost one.
struct Scanned {
  GraphText graph;
  std::vector<unsigned> arguments; // values of the graph
  std::vector<size_t> over;

  static std::string axis(size_t scan) { return "scan" + std::to_string(scan); }
  // The axes in front of argument `i` below scan `top`.
  Dims leading(size_t i, size_t top) const {
    Dims dims;
    for (size_t k = top; k-- > 0;)
      if (i < over[k])
        dims.push_back(axis(k));
    return dims;
  }
  std::string text() const;
};
} // namespace

std::string Scanned::text() const {
  auto join = [](std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; };
  std::string text = graph.text(), callee = "random";
  for (size_t scan = 0; scan < over.size(); scan++) {
    std::string head, scanned, whole, names, types, name = "scan_of_" + callee;
    for (size_t i = 0; i < arguments.size(); i++) {
      std::string argument = "%a" + std::to_string(i);
      join(head, argument + ": " + typeText(graph[arguments[i]].kind, leading(i, scan + 1), graph[arguments[i]].dims));
      join(i < over[scan] ? scanned : whole, argument);
    }
    Dims stacked;
    for (size_t k = scan + 1; k-- > 0;)
      stacked.push_back(axis(k));
    for (size_t r = 0; r < graph.results.size(); r++) {
      join(names, "%r" + std::to_string(r));
      join(types, typeText(graph[graph.results[r]].kind, stacked, graph[graph.results[r]].dims));
    }
    text += "graph @" + name + "(" + head + ") -> " + (graph.results.size() == 1 ? types : "(" + types + ")") +
            " {\n  " + names + " = scan @" + callee + " over(" + scanned + ")" +
            (whole.empty() ? "" : " with(" + whole + ")") + " : " + types + "\n  return " + names + "\n}\n";
    callee = name;
  }
  return text;
}

// The results of the innermost graph, for every entry of the scans below `top` in row-major order.
static void runEntries(const Scanned &s, const Backends &inner, const Tensors &arguments, size_t top,
                       const Sizes &sizes, std::vector<Outcome> &outcomes) {
  if (top == 0) {
    outcomes.push_back(inner.interpret(arguments));
    return;
  }
  for (int64_t index = 0; index < sizes.at(Scanned::axis(top - 1)); index++) {
    Tensors entries = arguments;
    for (size_t i = 0; i < s.over[top - 1]; i++)
      entries[i] = entryOf(arguments[i], index);
    runEntries(s, inner, entries, top - 1, sizes, outcomes);
  }
}

// What the scans have to give: the results of the entries one after the other. Empty where no entry is run.
static Outcome stack(const std::vector<Outcome> &outcomes, const Scanned &s, const Sizes &sizes) {
  Outcome whole;
  for (const Outcome &outcome : outcomes)
    if (!outcome.error.empty())
      return outcome;
  Shape leading;
  for (size_t k = s.over.size(); k-- > 0;)
    leading.push_back(sizes.at(Scanned::axis(k)));
  for (size_t r = 0; r < outcomes[0].results.size(); r++) {
    const Tensor &first = outcomes[0].results[r];
    Shape shape(leading);
    shape.insert(shape.end(), first.shape.begin(), first.shape.end());
    Tensor stacked(first.element, shape);
    for (size_t i = 0; i < outcomes.size() && !first.bytes.empty(); i++)
      std::memcpy(stacked.bytes.data() + i * first.bytes.size(), outcomes[i].results[r].bytes.data(),
                  first.bytes.size());
    whole.results.push_back(std::move(stacked));
  }
  return whole;
}

static Scanned drawScanned(Draw &draw, GraphText graph) {
  Scanned s{std::move(graph), {}, {}};
  for (unsigned v = 0; v < s.graph.size(); v++)
    if (s.graph[v].op == "argument")
      s.arguments.push_back(v);
  for (unsigned scans = draw.chance(40) ? 2 : 1; s.over.size() < scans;)
    s.over.push_back(draw.chance(50) ? s.arguments.size() : 1 + draw.below(s.arguments.size()));
  return s;
}

static void check(uint64_t seed, GraphText (*make)(Draw &), const std::string &along, unsigned rounds) {
  Draw draw(seed);
  Scanned s = drawScanned(draw, make(draw));
  std::string reason, head = "NOVA_SEED=" + std::to_string(seed) + "\n" + s.text();
  std::unique_ptr<Backends> inner = Backends::make(s.graph.text(), reason);
  std::unique_ptr<Backends> scans = inner ? Backends::make(s.text(), reason, along) : nullptr;
  ASSERT_TRUE(scans) << head << "does not compile: " << reason;
  for (unsigned round = 0; round < rounds; round++) {
    Sizes sizes = drawSizes(draw, s.graph, round, slow ? 40000 : 6000);
    for (size_t k = 0; k < s.over.size(); k++)
      sizes[Scanned::axis(k)] = round == 0 ? 0 : 1 + draw.below(k ? 3 : 5);
    Tensors arguments;
    for (size_t i = 0; i < s.arguments.size(); i++) {
      Dims dims = s.leading(i, s.over.size()), own = s.graph[s.arguments[i]].dims;
      dims.insert(dims.end(), own.begin(), own.end());
      arguments.push_back(drawTensor(draw, s.graph[s.arguments[i]].kind, dims, sizes));
    }
    Outcome interpreted = scans->interpret(arguments);
    std::string text;
    if (round > 0) {
      std::vector<Outcome> outcomes;
      runEntries(s, *inner, arguments, s.over.size(), sizes, outcomes);
      Outcome expected = stack(outcomes, s, sizes);
      if (!sharedDivision(expected, interpreted))
        text = difference(expected, interpreted);
    }
    if (text.empty())
      text = compareCompiled(draw, *scans, arguments, interpreted);
    if (text.empty())
      continue;
    FAIL() << head << "round " << round << ", sizes" << toString(sizes) << ", " << text;
  }
}

static void checkAll(uint64_t first, unsigned count, GraphText (*make)(Draw &), const std::string &along) {
  if (const char *seed = std::getenv("NOVA_SEED"))
    return check(std::strtoull(seed, nullptr, 10), make, along, 4);
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); seed++)
    check(seed, make, along, 4);
}

TEST(RandomScans, Any) { checkAll(400001, slow ? 1500 : 30, anyGraph, ""); }
TEST(RandomScans, CausalInPieces) { checkAll(500001, slow ? 1000 : 25, causalGraph, "n"); }
