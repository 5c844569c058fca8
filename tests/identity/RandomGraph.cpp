#include "tests/identity/RandomGraph.h"
#include <algorithm>
#include <map>

namespace nova::test {
namespace {
const char *const kUnary[] = {"exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "erf", "sin", "cos", "negate"};
const char *const kBinary[] = {"add", "subtract", "multiply", "divide", "power"};
const char *const kReduce[] = {"reduce_sum", "reduce_max", "reduce_min"};
const char *const kCompare[] = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"};
const char *const kLogic[] = {"and", "or"};
const char *const kConstants[] = {"0.5 : T[]",  "-0.0 : T[]", "0.0 : T[]",  "inf : T[]",
                                  "-inf : T[]", "nan : T[]",  "3.25 : T[]", "1.0e-3 : T[]"};
const char *const kClauses[] = {"n >= 1", "n >= 2", "n > 1", "n <= 4096"};

template <size_t N> bool contains(const char *const (&list)[N], const std::string &word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}
} // namespace

RandomGraph::Shape RandomGraph::join(Shape a, Shape b) {
  if (a == b || b == Scalar)
    return a;
  return a == Scalar ? b : Full;
}

int RandomGraph::pick(bool isBool) const {
  std::vector<int> fitting;
  for (size_t i = 0; i < lines.size(); i++)
    if (lines[i].isBool == isBool)
      fitting.push_back(i);
  // Late lines more often, so that graphs become deep.
  size_t from = random() % 3 ? fitting.size() / 2 : 0;
  return fitting.empty() ? -1 : fitting[from + random() % (fitting.size() - from)];
}

RandomGraph::RandomGraph(unsigned seed) : random(seed) {
  for (int i = 0; i < kArguments; i++)
    lines.push_back({"argument", {}, std::to_string(i), Full});
  clause = kClauses[random() % std::size(kClauses)];
  size_t length = 5 + random() % 30;
  while (lines.size() < length)
    grow();
  // The result is a matrix.
  int last = pick(false);
  lines.push_back({"add", {last, 0}, "", join(lines[last].shape, Full)});
}

void RandomGraph::grow() {
  auto oneOf = [&](auto &list) { return std::string(list[random() % std::size(list)]); };
  switch (random() % 9) {
  case 0: {
    int a = pick(false);
    lines.push_back({oneOf(kUnary), {a}, "", lines[a].shape});
    return;
  }
  case 1:
  case 2: {
    int a = pick(false), b = pick(false);
    lines.push_back({oneOf(kBinary), {a, b}, "", join(lines[a].shape, lines[b].shape)});
    return;
  }
  case 3: {
    int a = pick(false), axis = random() % 2;
    if (lines[a].shape == Full)
      lines.push_back({oneOf(kReduce), {a}, ", " + std::to_string(axis), axis ? Column : Row});
    return;
  }
  case 4: {
    int a = pick(false), b = pick(false);
    if (lines[a].shape == Full && lines[b].shape == Full)
      lines.push_back({"matmul", {a, b}, "", Full});
    return;
  }
  case 5: {
    int a = pick(false), b = pick(false);
    lines.push_back({oneOf(kCompare), {a, b}, "", join(lines[a].shape, lines[b].shape), true});
    return;
  }
  case 6: {
    int c = pick(true), a = pick(false), b = pick(false);
    if (c >= 0)
      lines.push_back({"where", {c, a, b}, "", join(lines[c].shape, join(lines[a].shape, lines[b].shape))});
    return;
  }
  case 7: {
    int c = pick(true), d = pick(true);
    if (c >= 0)
      lines.push_back({oneOf(kLogic), {c, d}, "", join(lines[c].shape, lines[d].shape), true});
    return;
  }
  default:
    lines.push_back({"constant", {}, " " + oneOf(kConstants), Scalar});
  }
}

std::string RandomGraph::text(unsigned seed) const {
  std::mt19937 choose(seed);
  auto coin = [&] { return seed && choose() % 2; };
  std::map<std::string, std::string> words = {{"T", coin() ? "Elem" : "T"}, {"n", coin() ? "rows" : "n"}};
  std::string prefix = coin() ? "z" : "v";
  std::vector<int> label(lines.size());
  for (size_t i = 0; i < label.size(); i++)
    label[i] = i;
  if (seed)
    std::shuffle(label.begin(), label.end(), choose);
  auto name = [&](int line) { return "%" + prefix + std::to_string(label[line]); };
  auto write = [&](int line, const std::string &as, auto &&operandName) {
    std::string out = "  " + as + " = " + lines[line].op;
    for (size_t i = 0; i < lines[line].operands.size(); i++)
      out += (i ? ", " : " ") + operandName(lines[line].operands[i]);
    std::string suffix = lines[line].suffix;
    if (size_t at = suffix.find("T["); at != std::string::npos)
      suffix.replace(at, 1, words["T"]);
    return out + suffix + "\n";
  };
  std::string type = words["T"] + "[" + words["n"] + ", " + words["n"] + "]",
              out = coin() ? "/// A comment.\ngraph @other<" : "graph @f<";
  out += words["T"] + ": float = f64>(";
  for (int i = 0; i < kArguments; i++)
    out += (i ? ", " : "") + name(i) + ": " + type;
  std::string where = clause;
  where.replace(0, 1, words["n"]);
  out += ") -> " + type + " where " + where + " {\n";
  // Any order in which operands come first.
  std::vector<bool> done(lines.size(), false);
  for (int i = 0; i < kArguments; i++)
    done[i] = true;
  std::vector<std::string> copy(lines.size());
  for (size_t left = lines.size() - kArguments; left > 0; left--) {
    std::vector<int> ready;
    for (size_t i = 0; i < lines.size(); i++)
      if (!done[i] &&
          std::all_of(lines[i].operands.begin(), lines[i].operands.end(), [&](int o) { return bool(done[o]); }))
        ready.push_back(i);
    int next = seed ? ready[choose() % ready.size()] : ready[0];
    auto original = [&](int operand) { return !copy[operand].empty() && coin() ? copy[operand] : name(operand); };
    out += write(next, name(next), original);
    if (coin() && choose() % 4 == 0) {
      copy[next] = name(next) + "_copy";
      out += write(next, copy[next], original);
    }
    if (coin() && choose() % 4 == 0 && !lines[next].isBool)
      out += "  " + name(next) + "_unused = negate " + name(next) + " // of no use\n";
    done[next] = true;
  }
  return out + "  return " + name(lines.size() - 1) + "\n}\n";
}

void RandomGraph::mutate(unsigned seed) {
  std::mt19937 choose(seed);
  for (int attempt = 0; attempt < 100; attempt++) {
    size_t at = kArguments + choose() % (lines.size() - kArguments);
    Line &line = lines[at];
    auto another = [&](const auto &list, const char *lead = "") {
      std::string before = lead + line.op, text = before;
      while (text == before)
        text = lead + std::string(list[choose() % std::size(list)]);
      line.op = text;
    };
    switch (choose() % 4) {
    case 0: // another operation of the same form
      if (contains(kUnary, line.op))
        return another(kUnary);
      if (contains(kBinary, line.op))
        return another(kBinary);
      if (contains(kReduce, line.op))
        return another(kReduce);
      if (contains(kCompare, line.op))
        return another(kCompare);
      if (contains(kLogic, line.op))
        return another(kLogic);
      break;
    case 1: // another constant
      if (line.op == "constant") {
        line.suffix = " " + std::string(kConstants[choose() % std::size(kConstants)]);
        return;
      }
      break;
    case 2: // another operand of the same kind
      if (!line.operands.empty()) {
        int &operand = line.operands[choose() % line.operands.size()];
        int other = choose() % at;
        if (lines[other].isBool == lines[operand].isBool && lines[other].shape == lines[operand].shape) {
          operand = other;
          return;
        }
      }
      break;
    default: // another clause
      if (choose() % 8 == 0) {
        clause = kClauses[choose() % std::size(kClauses)];
        return;
      }
    }
  }
}

std::string RandomGraph::describe(int line, std::vector<std::string> &memo) const {
  if (!memo[line].empty())
    return memo[line];
  std::string text = lines[line].op + lines[line].suffix;
  for (int operand : lines[line].operands)
    text += "(" + describe(operand, memo) + ")";
  // Deep graphs with many uses would grow without bound: equal texts get equal numbers.
  static std::map<std::string, size_t> numbers;
  size_t number = numbers.emplace(text, numbers.size()).first->second;
  return memo[line] = "#" + std::to_string(number);
}

std::string RandomGraph::meaning() const {
  std::vector<std::string> memo(lines.size());
  return clause + " " + describe(lines.size() - 1, memo);
}
} // namespace nova::test
