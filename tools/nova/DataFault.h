// Errors of data files, before a command says which option named the file.
#ifndef NOVA_TOOLS_NOVA_DATAFAULT_H
#define NOVA_TOOLS_NOVA_DATAFAULT_H

#include "compiler/reference/Memory.h"
#include "tools/nova/SystemMessage.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
inline llvm::Error dataFault(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
inline llvm::Error dataFault(std::error_code code) { return dataFault(systemMessage(code)); }
/// Has the code errc::not_enough_memory.
inline llvm::Error memoryFault(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), message);
}
/// memoryFault for a tensor that cannot be held as far as can be foreseen, else success.
inline llvm::Error checkMemory(reference::Element element, const reference::Shape &shape) {
  std::string problem = reference::memoryProblem(element, shape);
  return problem.empty() ? llvm::Error::success() : memoryFault(problem);
}
/// At most 40 bytes of a file's text, escaped.
std::string printable(llvm::StringRef text);
} // namespace nova::tool

#endif
