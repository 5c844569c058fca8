#include "tests/random/Coverage.h"
#include "compiler/reference/Elementary.h"
#include <iomanip>

namespace nova::test {
namespace {
struct Row {
  const char *op;
  const char *types;  // f: f64 and f32, i: i64 and i32, I: i64 alone, l: i1, s: bf16, f16, i8, i4, w: weak whole numbers
  size_t least, most; // ranks
};
} // namespace

// What an operation can be applied to; ranks of its result, of reductions those of the operand. Of functions of one float
// there are those of Elementary.h, too.
static const Row listed[] = {
    {"constant", "fils", 0, 4},
    {"iota", "I", 1, 4},
    {"transpose", "fils", 1, 4},
    {"reshape", "fils", 0, 4},
    {"broadcast", "fils", 0, 4},
    {"slice", "fils", 1, 4},
    {"concat", "fils", 1, 4},
    {"pad", "fils", 1, 4},
    {"gather", "fils", 0, 4},
    {"argmax", "fi", 1, 4},
    {"cumulative_sum", "fi", 1, 4},
    {"add", "fi", 0, 4},
    {"subtract", "fi", 0, 4},
    {"multiply", "fi", 0, 4},
    {"divide", "fi", 0, 4},
    {"power", "f", 0, 4},
    {"negate", "fi", 0, 4},
    {"abs", "fi", 0, 4},
    {"max", "fi", 0, 4},
    {"min", "fi", 0, 4},
    {"floor", "f", 0, 4},
    {"cast", "fis", 0, 4},
    {"sqrt", "f", 0, 4},
    {"equal", "fil", 0, 4},
    {"not_equal", "fil", 0, 4},
    {"less", "fil", 0, 4},
    {"less_equal", "fil", 0, 4},
    {"greater", "fil", 0, 4},
    {"greater_equal", "fil", 0, 4},
    {"and", "l", 0, 4},
    {"or", "l", 0, 4},
    {"not", "l", 0, 4},
    {"where", "fils", 0, 4},
    {"reduce_sum", "fi", 1, 4},
    {"reduce_max", "fi", 1, 4},
    {"reduce_min", "fi", 1, 4},
    {"matmul", "fi", 2, 4},
    {"call", "fi", 2, 2},
    {"size", "w", 0, 0},
};

static const std::vector<Row> &rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> rows(std::begin(listed), std::end(listed));
    reference::forEachFunction([&](const char *name, auto) { rows.push_back({name, "f", 0, 4}); });
    return rows;
  }();
  return all;
}

static std::vector<Kind> kindsOf(const Row &row) {
  std::vector<Kind> kinds;
  for (const char *c = row.types; *c; c++)
    switch (*c) {
    case 'f':
      kinds.insert(kinds.end(), {Kind::F64, Kind::F32});
      break;
    case 'i':
      kinds.insert(kinds.end(), {Kind::I64, Kind::I32});
      break;
    case 'I':
      kinds.push_back(Kind::I64);
      break;
    case 's':
      kinds.insert(kinds.end(), {Kind::BF16, Kind::F16, Kind::I8, Kind::I4});
      break;
    case 'w':
      kinds.push_back(Kind::WeakInt);
      break;
    default:
      kinds.push_back(Kind::I1);
    }
  return kinds;
}

void Coverage::add(const GraphText &graph) {
  for (unsigned v : graph.needed(graph.results))
    seen[{graph[v].op, graph[v].countedKind}].insert(graph[v].countedRank);
}

void Coverage::print(std::ostream &os) const {
  os << "ranks compared, by operation and element type\n" << std::left << std::setw(15) << "operation";
  const std::vector<Kind> kinds{Kind::F64,  Kind::F32, Kind::I64, Kind::I32,       Kind::I1,
                                Kind::BF16, Kind::F16, Kind::I8,  Kind::I4, Kind::WeakFloat, Kind::WeakInt};
  for (Kind kind : kinds)
    os << std::setw(11) << toString(kind);
  os << "\n";
  for (const Row &row : rows()) {
    os << std::setw(15) << row.op;
    for (Kind kind : kinds) {
      std::string ranks;
      if (auto it = seen.find({row.op, kind}); it != seen.end())
        for (size_t rank : it->second)
          ranks += std::to_string(rank);
      os << std::setw(11) << (ranks.empty() ? "-" : ranks);
    }
    os << "\n";
  }
}

std::vector<Cell> allCells() {
  std::vector<Cell> cells;
  for (const Row &row : rows())
    for (Kind kind : kindsOf(row))
      for (size_t rank = row.least; rank <= row.most; rank++)
        cells.push_back({row.op, kind, rank});
  return cells;
}

double Coverage::share() const {
  std::vector<Cell> cells = allCells();
  unsigned found = 0;
  for (const Cell &cell : cells) {
    auto it = seen.find({cell.op, cell.kind});
    found += it != seen.end() && it->second.count(cell.rank);
  }
  return double(found) / cells.size();
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> names;
  for (const Row &row : rows())
    for (Kind kind : kindsOf(row))
      if (!seen.count({row.op, kind}))
        names.push_back(std::string(row.op) + " " + toString(kind));
  return names;
}
} // namespace nova::test
