#include "tests/random/GraphText.h"
#include <set>

namespace nova::test {
const char *toString(Kind kind) {
  switch (kind) {
  case Kind::F64:
    return "f64";
  case Kind::F32:
    return "f32";
  case Kind::I64:
    return "i64";
  case Kind::I32:
    return "i32";
  case Kind::I1:
    return "i1";
  case Kind::BF16:
    return "bf16";
  case Kind::F16:
    return "f16";
  case Kind::I8:
    return "i8";
  case Kind::I4:
    return "i4";
  case Kind::WeakFloat:
    return "weak float";
  case Kind::WeakInt:
    return "weak int";
  }
  return "";
}

bool broadcast(const Dims &a, const Dims &b, Dims &joint) {
  joint.assign(std::max(a.size(), b.size()), "1");
  for (size_t i = 0; i < joint.size(); i++) {
    std::string x = i < a.size() ? a[a.size() - 1 - i] : "1", y = i < b.size() ? b[b.size() - 1 - i] : "1";
    if (x != y && x != "1" && y != "1")
      return false;
    joint[joint.size() - 1 - i] = x == "1" ? y : x;
  }
  return true;
}

std::string typeText(Kind kind, const Dims &leading, const Dims &own) {
  std::string text;
  for (const Dims *dims : {&leading, &own})
    for (const std::string &dim : *dims)
      text += (text.empty() ? "" : ", ") + dim;
  return std::string(toString(kind)) + "[" + text + "]";
}

static std::string typeOf(const GraphText::Value &value) { return typeText(value.kind, {}, value.dims); }

unsigned GraphText::argument(Kind kind, const Dims &dims) {
  values.push_back({"argument", "", {}, kind, dims, kind, dims.size()});
  return values.size() - 1;
}

unsigned GraphText::add(const std::string &op, const std::vector<unsigned> &operands, const std::string &rest,
                        Kind kind, const Dims &dims) {
  std::string expression = op + " ";
  for (size_t i = 0; i < operands.size() && op != "call"; i++)
    expression += (i ? ", %v" : "%v") + std::to_string(operands[i]);
  Value value{op, expression + rest, operands, kind, dims, kind, dims.size()};
  bool alongAxis = op.rfind("reduce", 0) == 0 || op == "argmax";
  bool comparison = kind == Kind::I1 && op != "where" && op != "transpose" && op != "constant";
  if (!operands.empty() && op != "call" && (comparison || alongAxis)) {
    value.countedKind = values[operands[0]].kind;
    value.countedRank = alongAxis ? values[operands[0]].dims.size() : dims.size();
    if (operands.size() > 1 && isWeak(value.countedKind))
      value.countedKind = values[operands[1]].kind;
  }
  values.push_back(value);
  return values.size() - 1;
}

unsigned GraphText::addSecond(unsigned call, Kind kind, const Dims &dims) {
  values.push_back({"second result", "", {call}, kind, dims, kind, dims.size()});
  return values.size() - 1;
}

void GraphText::returnLeaves(unsigned atMost) {
  std::set<unsigned> read(results.begin(), results.end());
  for (const Value &value : values)
    read.insert(value.operands.begin(), value.operands.end());
  // The last ones: they are made of most of the others.
  for (unsigned v = size(); v-- > 0 && results.size() < atMost;)
    if (!read.count(v) && !isWeak(values[v].kind) && values[v].op != "argument")
      results.push_back(v);
}

std::vector<unsigned> GraphText::needed(const std::vector<unsigned> &of) const {
  std::set<unsigned> found(of.begin(), of.end());
  for (unsigned v = size(); v-- > 0;)
    if (found.count(v))
      found.insert(values[v].operands.begin(), values[v].operands.end());
  return {found.begin(), found.end()};
}

std::string GraphText::text(const std::vector<unsigned> &of) const {
  std::string head, body, names, types;
  for (unsigned v = 0; v < size(); v++)
    if (values[v].op == "argument")
      head += (head.empty() ? "%v" : ", %v") + std::to_string(v) + ": " + typeOf(values[v]);
  for (unsigned v : needed(of))
    if (!values[v].expression.empty()) {
      bool two = v + 1 < size() && values[v + 1].op == "second result";
      body += "  %v" + std::to_string(v) + (two ? ", %v" + std::to_string(v + 1) : "") + " = " + values[v].expression +
              "\n";
    }
  for (unsigned v : of) {
    names += (names.empty() ? "%v" : ", %v") + std::to_string(v);
    types += (types.empty() ? "" : ", ") + typeOf(values[v]);
  }
  return callees + "graph @random(" + head + ") -> " + (of.size() == 1 ? types : "(" + types + ")") + " {\n" + body +
         "  return " + names + "\n}\n";
}
} // namespace nova::test
