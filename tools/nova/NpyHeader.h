// The header of a .npy file: a Python dictionary with three keys.
#ifndef NOVA_TOOLS_NOVA_NPYHEADER_H
#define NOVA_TOOLS_NOVA_NPYHEADER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace nova::tool {
struct NpyHeader {
  std::string type; // NumPy's, such as `<f8`
  bool fortranOrder = false;
  std::vector<int64_t> shape; // each >= 0
};

/// Parses the dictionary's text. Exactly the keys descr, fortran_order and shape, each once, in any order.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef text);
} // namespace nova::tool

#endif
