#include "compiler/pipeline/SourceFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nova {
static Error fault(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

// The system's words begin with a capital letter; diagnostics do not.
static std::string systemMessage(std::error_code code) {
  std::string text = code.message();
  if (!text.empty())
    text[0] = toLower(text[0]);
  return text;
}

Expected<std::unique_ptr<MemoryBuffer>> readSourceFile(StringRef path) {
  bool isInput = path == "-";
  sys::fs::file_t file = sys::fs::getStdinHandle();
  if (!isInput) {
    sys::fs::file_status status;
    if (std::error_code code = sys::fs::status(path, status))
      return fault(systemMessage(code));
    if (sys::fs::is_directory(status))
      return fault("is a directory, expected a graph file");
    Expected<sys::fs::file_t> opened = sys::fs::openNativeFileForRead(path);
    if (!opened)
      return fault(systemMessage(errorToErrorCode(opened.takeError())));
    file = *opened;
  }
  auto close = make_scope_exit([&] {
    if (!isInput)
      (void)sys::fs::closeFile(file);
  });
  SmallString<0> text;
  for (;;) {
    size_t size = text.size();
    constexpr size_t step = size_t(1) << 16;
    text.resize_for_overwrite(size + std::max(step, size)); // doubles: linear in all
    Expected<size_t> read = sys::fs::readNativeFile(file, MutableArrayRef(text.data() + size, text.size() - size));
    if (!read)
      return fault(systemMessage(errorToErrorCode(read.takeError())));
    text.truncate(size + *read);
    if (*read == 0)
      break;
    if (text.size() > maxSourceBytes)
      return fault("is larger than " + Twine(maxSourceBytes) + " bytes");
  }
  return MemoryBuffer::getMemBufferCopy(text, isInput ? "<stdin>" : path);
}
} // namespace nova
