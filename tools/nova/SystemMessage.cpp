#include "tools/nova/SystemMessage.h"
#include "llvm/ADT/StringExtras.h"

namespace nova::tool {
std::string systemMessage(std::error_code code) {
  std::string text = code.message();
  if (!text.empty())
    text[0] = llvm::toLower(text[0]);
  return text;
}
} // namespace nova::tool
