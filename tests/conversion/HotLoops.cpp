#include "tests/conversion/HotLoops.h"
#include <map>
#include <set>
#include <sstream>

namespace nova::test {

namespace {
struct Line {
  std::string function, text;
};
struct Jump {
  size_t target, from;
};
bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }
} // namespace

std::vector<HotLoop> hotLoops(const std::string &assembly) {
  std::vector<Line> lines;
  std::map<std::string, size_t> labels;
  std::vector<Jump> backward;
  std::set<std::string> framed; // functions with a frame pointer
  std::istringstream stream(assembly);
  std::string function;
  for (std::string text; std::getline(stream, text);) {
    text = text.substr(0, text.find('#'));
    text.erase(text.find_last_not_of(" \t") + 1);
    if (text.empty())
      continue;
    bool indented = text[0] == '\t' || text[0] == ' ';
    if (!indented && text.back() == ':') {
      std::string label = text.substr(0, text.size() - 1);
      labels[label] = lines.size();
      if (label[0] != '.')
        function = label;
      continue;
    }
    text.erase(0, text.find_first_not_of(" \t"));
    if (text[0] == '.')
      continue;
    if (text[0] == 'j') {
      auto label = labels.find(text.substr(text.find_last_of(" \t") + 1));
      if (label != labels.end())
        backward.push_back({label->second, lines.size()});
    }
    // Elsewhere %rbp is a register like others.
    if (text == "movq\t%rsp, %rbp")
      framed.insert(function);
    lines.push_back({function, text});
  }

  std::vector<HotLoop> loops;
  for (const Jump &loop : backward) {
    bool innermost = true;
    for (const Jump &other : backward)
      innermost &= !(other.target >= loop.target && other.from <= loop.from &&
                     (other.target != loop.target || other.from != loop.from));
    if (!innermost)
      continue;
    HotLoop found;
    found.function = lines[loop.from].function;
    for (size_t i = loop.target; i <= loop.from; ++i) {
      const std::string &text = lines[i].text;
      ++found.instructions;
      found.multiplyAdds += text.rfind("vfm", 0) == 0 || text.rfind("vfnm", 0) == 0;
      bool vector = has(text, "%xmm") || has(text, "%ymm") || has(text, "%zmm");
      // A scalar that is spread over lanes is no accumulator.
      bool frame = has(text, "(%rsp)") || (framed.count(found.function) && has(text, "(%rbp)"));
      if (vector && frame && !has(text, "broadcast"))
        found.spills.push_back(text);
    }
    loops.push_back(found);
  }
  return loops;
}

} // namespace nova::test
