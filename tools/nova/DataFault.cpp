#include "tools/nova/DataFault.h"
#include "llvm/Support/raw_ostream.h"

namespace nova::tool {
std::string printable(llvm::StringRef text) {
  std::string shown;
  llvm::raw_string_ostream(shown).write_escaped(text.take_front(40), /*UseHexEscapes=*/true);
  return shown;
}
} // namespace nova::tool
