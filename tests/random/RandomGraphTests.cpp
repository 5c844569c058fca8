// Random graphs: compiled code gives the interpreter's bits, at every size, with any threads, whole or in pieces.
#include "dialects/graph/NovaDialect.h"
#include "tests/SlowTests.h"
#include "tests/random/AnyGraph.h"
#include "tests/random/Backends.h"
#include "tests/random/CausalGraph.h"
#include "tests/random/Coverage.h"
#include "tests/random/Inputs.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <iostream>

using namespace nova::test;

namespace {
const bool slow = slowTests();

struct Sample {
  Sizes sizes;
  Tensors arguments;
  std::vector<int64_t> pieces;
};

using MakeGraph = GraphText (*)(Draw &);
} // namespace

static Sample drawSample(Draw &draw, const GraphText &graph, unsigned round) {
  Sample sample;
  sample.sizes = drawSizes(draw, graph, round, slow ? 400000 : 60000);
  for (unsigned v = 0; v < graph.size(); v++)
    if (graph[v].op == "argument")
      sample.arguments.push_back(drawTensor(draw, graph[v].kind, graph[v].dims, sample.sizes));
  return sample;
}

// Pieces of all lengths: none, one row, a few, about a block.
static std::vector<int64_t> drawPieces(Draw &draw, int64_t rows) {
  std::vector<int64_t> pieces;
  if (rows == 0 || draw.chance(10))
    pieces.push_back(0);
  for (int64_t left = rows; left > 0; left -= pieces.back())
    pieces.push_back(
        std::min<int64_t>(left, draw.chance(50) ? 1 + draw.below(3) : 1 + draw.below(draw.chance(50) ? 16 : 300)));
  return pieces;
}

// How many runs were compared, and how many of them were errors: divisions by zero, indices outside, on every backend.
static struct {
  unsigned all = 0, errors = 0;
} runs;

// Empty where everything agrees.
static std::string compare(const Backends &backends, const Sample &sample) {
  Outcome expected = backends.interpret(sample.arguments);
  runs.all++;
  runs.errors += !expected.error.empty();
  for (int threads : {1, 2})
    if (std::string text = differenceOfRuns(expected, backends.run(sample.arguments, threads)); !text.empty())
      return std::to_string(threads) + " threads: " + text;
  if (sample.pieces.empty())
    return "";
  std::string text = difference(expected, backends.feed(sample.arguments, sample.pieces, 2));
  if (text.empty())
    return "";
  std::string list;
  for (int64_t rows : sample.pieces)
    list += " " + std::to_string(rows);
  return "in pieces" + list + ": " + text;
}

// The smallest part of a failing graph that fails too: the first value, in the order of the text, whose own graph does.
static std::string blame(const GraphText &graph, const Sample &sample, const std::string &whole) {
  for (unsigned v : graph.needed(graph.results)) {
    if (graph[v].op == "argument" || isWeak(graph[v].kind))
      continue;
    std::string reason, text = graph.text({v});
    std::unique_ptr<Backends> backends = Backends::make(text, reason);
    if (backends)
      reason = compare(*backends, sample);
    if (!reason.empty())
      return "smallest part that fails: " + reason + "\n" + text;
  }
  return "no single value of it fails alone: " + whole + "\n";
}

static void check(uint64_t seed, MakeGraph make, unsigned rounds, Coverage &coverage, bool mustFeed) {
  Draw draw(seed);
  GraphText graph = make(draw);
  std::string reason, head = "NOVA_SEED=" + std::to_string(seed) + "\n" + graph.text();
  std::unique_ptr<Backends> backends = Backends::make(graph.text(), reason);
  if (!backends) {
    ADD_FAILURE() << head << "does not compile: " << reason << blame(graph, drawSample(draw, graph, 0), reason);
    return;
  }
  EXPECT_TRUE(!mustFeed || backends->isSequence()) << head << "cannot be fed in pieces";
  for (unsigned round = 0; round < rounds; round++) {
    Sample sample = drawSample(draw, graph, round);
    if (int64_t rows = backends->isSequence() ? backends->rowsOf(sample.arguments) : -1; rows >= 0)
      sample.pieces = drawPieces(draw, rows);
    std::string text = compare(*backends, sample);
    if (text.empty())
      continue;
    ADD_FAILURE() << head << "round " << round << ", sizes" << toString(sample.sizes) << ", " << text << "\n"
                  << blame(graph, sample, text);
    return;
  }
  coverage.add(graph);
}

// The seeds of one test; NOVA_SEED repeats one of them.
static Coverage checkAll(MakeGraph make, uint64_t first, unsigned count, unsigned rounds, bool mustFeed) {
  Coverage coverage;
  if (const char *seed = std::getenv("NOVA_SEED")) {
    check(std::strtoull(seed, nullptr, 10), make, rounds, coverage, mustFeed);
    return coverage;
  }
  runs = {};
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); seed++)
    check(seed, make, rounds, coverage, mustFeed);
  std::cout << runs.errors << " of " << runs.all << " runs fail" << std::endl;
  return coverage;
}

static void checkAny(uint64_t first, unsigned count, double floor) {
  Coverage coverage = checkAll(anyGraph, first, slow ? 20 * count : count, 5, false);
  coverage.print(std::cout);
  std::cout << "share of operation x type x rank: " << coverage.share() << ", floor " << floor << std::endl;
  if (std::getenv("NOVA_SEED") || testing::Test::HasFailure())
    return;
  EXPECT_GE(coverage.share(), floor);
  for (const std::string &pair : coverage.missing())
    ADD_FAILURE() << pair << " never occurred";
}

TEST(RandomGraphs, EveryElementwiseOperationIsDrawn) {
  std::set<std::string> drawn;
  for (const Cell &cell : allCells())
    drawn.insert(cell.op);
  mlir::DialectRegistry registry;
  nova::registerGraphDialect(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  unsigned count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasTrait<nova::Elementwise>())
      continue;
    count++;
    EXPECT_TRUE(drawn.count(name.stripDialect().str())) << name.stripDialect().str();
  }
  EXPECT_GT(count, 10u);
}

// Two halves, so that they can run side by side.
TEST(RandomGraphs, AnyFirstHalf) { checkAny(1, 60, 0.55); }
TEST(RandomGraphs, AnySecondHalf) { checkAny(100001, 60, 0.55); }
TEST(RandomGraphs, CausalInPieces) { checkAll(causalGraph, 200001, slow ? 1500 : 30, 5, true); }
