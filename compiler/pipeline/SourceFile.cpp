#include "compiler/pipeline/SourceFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nova {
static Error fault(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

static Error tooLarge() { return fault("is larger than " + Twine(maxSourceBytes) + " bytes"); }

// The system's words begin with a capital letter; diagnostics do not.
static std::string systemMessage(std::error_code code) {
  std::string text = code.message();
  if (!text.empty())
    text[0] = toLower(text[0]);
  return text;
}

Expected<std::unique_ptr<MemoryBuffer>> readSourceFile(StringRef path) {
  bool isInput = path == "-";
  bool isRegular = false;
  sys::fs::file_t file = sys::fs::getStdinHandle();
  if (!isInput) {
    sys::fs::file_status status;
    if (std::error_code code = sys::fs::status(path, status))
      return fault(systemMessage(code));
    if (sys::fs::is_directory(status))
      return fault("is a directory, expected a graph file");
    isRegular = sys::fs::is_regular_file(status);
    if (isRegular && status.getSize() > maxSourceBytes)
      return tooLarge();
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
      return tooLarge();
    // A device may never end. In a file the place of a zero byte is told later.
    if (!isRegular && StringRef(text).drop_front(size).contains('\0'))
      return fault("holds zero bytes, expected the text of a graph file");
  }
  return MemoryBuffer::getMemBufferCopy(text, isInput ? "<stdin>" : path);
}
} // namespace nova
