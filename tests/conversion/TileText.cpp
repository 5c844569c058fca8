#include "tests/conversion/TileText.h"
#include <cctype>

namespace nova::test {

static void replaceWrapped(std::string &text, const std::string &open, const std::string &before,
                           const std::string &after) {
  for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + before.size())) {
    // Only where the short form stands alone.
    bool inWord = at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
    size_t close = text.find('>', at);
    if (inWord || close == std::string::npos)
      continue;
    text.insert(close, after);
    text.replace(at, open.size(), before);
  }
}

std::string expand(std::string text, const std::map<std::string, std::string> &values) {
  // Backwards: of two keys that begin alike the longer one comes first.
  for (auto it = values.rbegin(); it != values.rend(); ++it) {
    const auto &[key, value] = *it;
    for (size_t at = text.find("$" + key); at != std::string::npos; at = text.find("$" + key, at + value.size()))
      text.replace(at, key.size() + 1, value);
  }
  replaceWrapped(text, "s<", "!nova.tensor<", "[]");
  replaceWrapped(text, "b<", "!tile.buffer<", "");
  return text;
}

} // namespace nova::test
