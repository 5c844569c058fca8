// A scan with a carry gives what its graph gives run by run, on both backends, whole and in pieces: random graphs, each
// of which hands on what it got, mixed with what it computed.
#include "compiler/reference/Kernels.h"
#include "tests/SlowTests.h"
#include "tests/random/AnyGraph.h"
#include "tests/random/Backends.h"
#include "tests/random/CausalGraph.h"
#include "tests/random/Inputs.h"
#include "tests/random/Scans.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace nova::test;
using nova::reference::entryOf;
using nova::reference::Shape;
using nova::reference::Tensor;

namespace {
const bool slow = slowTests();

// A graph, the argument that is handed on, and how many of the others are scanned over. A run takes the arguments in
// the order over, with, carry, and its results are those of the graph, then the carry.
struct Carried {
  GraphText graph;
  std::vector<unsigned> arguments; // values of the graph, the carry last
  size_t over;
  bool along;     // the runs are the rows that are fed in pieces
  bool rowsApart; // rows of the values are
  bool batched;   // all of it once for each entry of a batch

  std::string axis() const { return along ? "rows" : "runs"; }
  const GraphText::Value &carry() const { return graph[arguments.back()]; }
  std::string body() const;
  std::string text() const;
};
} // namespace

static void join(std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; }

// The graph with the carry, into which the greatest entries of the results of its type are mixed.
std::string Carried::body() const {
  std::string head, call, types, names, text;
  for (size_t i = 0; i < arguments.size(); i++)
    join(head, "%a" + std::to_string(i) + ": " + typeText(graph[arguments[i]].kind, {}, graph[arguments[i]].dims));
  // The arguments of the random graph are in its own order.
  std::vector<unsigned> inOrder;
  for (unsigned v = 0; v < graph.size(); v++)
    if (graph[v].op == "argument")
      join(call, "%a" + std::to_string(std::find(arguments.begin(), arguments.end(), v) - arguments.begin()));
  std::string carried = "%a" + std::to_string(arguments.size() - 1);
  std::string mixed = carried;
  for (size_t r = 0; r < graph.results.size(); r++) {
    const GraphText::Value &result = graph[graph.results[r]];
    std::string name = "%r" + std::to_string(r);
    join(names, name);
    join(types, typeText(result.kind, {}, result.dims));
    if (result.kind != carry().kind || result.kind == Kind::I1 || isStored(result.kind))
      continue;
    // Rows that are fed stay apart.
    Dims dims = result.dims, joint;
    std::string greatest = name;
    for (size_t axis = 0; axis < dims.size(); axis++) {
      if (rowsApart && dims[axis] == "n")
        continue;
      std::string next = name + "m" + std::to_string(axis);
      text += "  " + next + " = reduce_max " + greatest + ", " + std::to_string(axis) + "\n";
      dims[axis] = "1";
      greatest = next;
    }
    if (!broadcast(carry().dims, dims, joint) || joint != carry().dims)
      continue;
    text += "  %next" + std::to_string(r) + " = " + (r % 2 ? "subtract " : "add ") + mixed + ", " + greatest + "\n";
    mixed = "%next" + std::to_string(r);
  }
  std::string results = types;
  join(results, typeText(carry().kind, {}, carry().dims));
  return "graph @body(" + head + ") -> (" + results + ") {\n  " + names + " = call @random(" + call + ") : " + types +
         "\n" + text + "  return " + names + ", " + mixed + "\n}\n";
}

std::string Carried::text() const {
  std::string head, batch, overs, withs, outer, types, batchTypes, names;
  for (size_t i = 0; i < arguments.size(); i++) {
    const GraphText::Value &value = graph[arguments[i]];
    bool entered = i < over;
    Dims leading = entered ? Dims{axis()} : Dims();
    std::string name = "%a" + std::to_string(i);
    join(head, name + ": " + typeText(value.kind, leading, value.dims));
    if (i + 1 < arguments.size())
      join(entered ? overs : withs, name);
    leading.insert(leading.begin(), "batch");
    join(batch, name + ": " + typeText(value.kind, leading, value.dims));
    join(outer, name);
  }
  for (size_t r = 0; r <= graph.results.size(); r++) {
    const GraphText::Value &value = r < graph.results.size() ? graph[graph.results[r]] : carry();
    Dims leading = r < graph.results.size() ? Dims{axis()} : Dims();
    join(names, "%y" + std::to_string(r));
    join(types, typeText(value.kind, leading, value.dims));
    leading.insert(leading.begin(), "batch");
    join(batchTypes, typeText(value.kind, leading, value.dims));
  }
  // The last carry is a result only where rows are not fed: it is that of all of them.
  std::string returned = names, returnedTypes = types, returnedBatch = batchTypes;
  if (along) {
    returned = names.substr(0, names.rfind(", "));
    returnedTypes = types.substr(0, types.rfind(typeText(carry().kind, {}, carry().dims)) - 2);
    Dims alone{"batch"};
    returnedBatch = batchTypes.substr(0, batchTypes.rfind(typeText(carry().kind, alone, carry().dims)) - 2);
  }
  std::string scan = "graph @scanned(" + head + ") -> (" + returnedTypes + ") {\n  " + names + " = scan @body over(" +
                     overs + ")" + (withs.empty() ? "" : " with(" + withs + ")") + " carry(%a" +
                     std::to_string(arguments.size() - 1) + ") : " + types + "\n  return " + returned + "\n}\n";
  std::string all = graph.text() + body() + scan;
  if (batched)
    all += "graph @batched(" + batch + ") -> (" + returnedBatch + ") {\n  " + returned + " = scan @scanned over(" +
           outer + ") : " + returnedBatch + "\n  return " + returned + "\n}\n";
  return all;
}

static Tensor stack(const std::vector<Tensor> &entries, Shape shape) {
  shape.insert(shape.begin(), int64_t(entries.size()));
  Tensor all(entries[0].element, shape);
  for (size_t i = 0; i < entries.size(); i++)
    nova::reference::setEntry(all, i, entries[i]);
  return all;
}

// The runs one after the other, each by the interpreter.
static Outcome runByRun(const Carried &c, const Backends &body, const Tensors &arguments, int64_t runs) {
  std::vector<std::vector<Tensor>> outputs(c.graph.results.size());
  Tensor carry = arguments.back();
  for (int64_t run = 0; run < runs; run++) {
    Tensors entries = arguments;
    for (size_t i = 0; i < c.over; i++)
      entries[i] = entryOf(arguments[i], run);
    entries.back() = carry;
    Outcome outcome = body.interpret(entries);
    if (!outcome.error.empty())
      return outcome;
    for (size_t r = 0; r < outputs.size(); r++)
      outputs[r].push_back(outcome.results[r]);
    carry = outcome.results.back();
  }
  Outcome whole;
  for (const std::vector<Tensor> &entries : outputs)
    whole.results.push_back(stack(entries, entries[0].shape));
  if (!c.along)
    whole.results.push_back(carry);
  return whole;
}

static Outcome expected(const Carried &c, const Backends &body, const Tensors &arguments, int64_t runs, int64_t batch) {
  if (!c.batched)
    return runByRun(c, body, arguments, runs);
  std::vector<Outcome> each;
  for (int64_t b = 0; b < batch; b++) {
    Tensors entries;
    for (const Tensor &argument : arguments)
      entries.push_back(entryOf(argument, b));
    each.push_back(runByRun(c, body, entries, runs));
    if (!each.back().error.empty())
      return each.back();
  }
  Outcome whole;
  for (size_t r = 0; r < each[0].results.size(); r++) {
    std::vector<Tensor> entries;
    for (const Outcome &outcome : each)
      entries.push_back(outcome.results[r]);
    whole.results.push_back(stack(entries, entries[0].shape));
  }
  return whole;
}

static std::optional<Carried> drawCarried(Draw &draw, GraphText graph, bool along, bool rowsApart) {
  Carried c{std::move(graph), {}, 0, along, rowsApart, draw.chance(30)};
  for (unsigned v = 0; v < c.graph.size(); v++)
    if (c.graph[v].op == "argument" && c.graph[v].kind != Kind::I1 && !isStored(c.graph[v].kind))
      c.arguments.push_back(v);
  if (c.arguments.empty())
    return std::nullopt;
  size_t carry = draw.below(c.arguments.size());
  unsigned carried = c.arguments[carry];
  c.arguments.clear();
  for (unsigned v = 0; v < c.graph.size(); v++)
    if (c.graph[v].op == "argument" && v != carried)
      c.arguments.push_back(v);
  if (c.arguments.empty()) // nothing to scan over
    return std::nullopt;
  c.over = draw.chance(50) ? c.arguments.size() : 1 + draw.below(c.arguments.size());
  c.arguments.push_back(carried);
  return c;
}

static void check(uint64_t seed, GraphText (*make)(Draw &), const std::string &fed, bool along, unsigned rounds,
                  unsigned &checked) {
  Draw draw(seed);
  std::optional<Carried> drawn = drawCarried(draw, make(draw), along, fed == "n");
  if (!drawn)
    return;
  const Carried &c = *drawn;
  std::string reason, head = "NOVA_SEED=" + std::to_string(seed) + "\n" + c.text();
  std::unique_ptr<Backends> body = Backends::make(c.graph.text() + c.body(), reason);
  std::unique_ptr<Backends> scan = body ? Backends::make(c.text(), reason, fed) : nullptr;
  ASSERT_TRUE(scan) << head << "does not compile: " << reason;
  checked++;
  for (unsigned round = 0; round < rounds; round++) {
    Sizes sizes = drawSizes(draw, c.graph, round, slow ? 20000 : 3000);
    int64_t runs = round == 0 ? 0 : 1 + draw.below(5);
    sizes[c.axis()] = runs;
    sizes["batch"] = round == 1 ? 1 : 1 + draw.below(3);
    Tensors arguments;
    for (size_t i = 0; i < c.arguments.size(); i++) {
      Dims dims = c.graph[c.arguments[i]].dims;
      if (i < c.over)
        dims.insert(dims.begin(), c.axis());
      if (c.batched)
        dims.insert(dims.begin(), "batch");
      arguments.push_back(drawTensor(draw, c.graph[c.arguments[i]].kind, dims, sizes));
    }
    Outcome interpreted = scan->interpret(arguments);
    std::string text;
    if (round > 0) {
      Outcome wanted = expected(c, *body, arguments, runs, sizes["batch"]);
      if (!sharedDivision(wanted, interpreted))
        text = difference(wanted, interpreted);
    }
    if (text.empty())
      text = compareCompiled(draw, *scan, arguments, interpreted);
    if (text.empty())
      continue;
    FAIL() << head << "round " << round << ", sizes" << toString(sizes) << ", " << text;
  }
}

static void checkAll(uint64_t first, unsigned count, GraphText (*make)(Draw &), const std::string &fed, bool along) {
  unsigned checked = 0;
  if (const char *seed = std::getenv("NOVA_SEED"))
    return check(std::strtoull(seed, nullptr, 10), make, fed, along, 4, checked);
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); seed++)
    check(seed, make, fed, along, 4, checked);
  EXPECT_GE(checked, count / 6) << "too few of the random graphs have a carry";
}

TEST(RandomCarries, Any) { checkAll(600001, slow ? 1500 : 16, anyGraph, "", false); }
// Layers: each run reads rows up to its own, and keeps a state of its own.
TEST(RandomCarries, CausalInPieces) { checkAll(700001, slow ? 1000 : 16, causalGraph, "n", false); }
// The runs are the rows themselves.
TEST(RandomCarries, AlongTheRows) { checkAll(800001, slow ? 1500 : 16, anyGraph, "rows", true); }
