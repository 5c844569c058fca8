// Reading the text of one file, whatever the path turns out to be.
#ifndef NOVA_COMPILER_PIPELINE_SOURCEFILE_H
#define NOVA_COMPILER_PIPELINE_SOURCEFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace nova {
/// A graph file may have this many bytes; more is refused before it fills the memory.
constexpr size_t maxSourceBytes = size_t(1) << 30;

/// The contents of `path` (`-`: standard input), ending in a zero byte that does not count. The error's message says
/// what is wrong, without the path: no such file, a directory, not readable, too large, a device or pipe that gives no
/// text.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSourceFile(llvm::StringRef path);
} // namespace nova

#endif
