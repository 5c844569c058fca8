// Result files that appear whole and together, or not at all.
#ifndef NOVA_TOOLS_NOVA_OUTPUTFILES_H
#define NOVA_TOOLS_NOVA_OUTPUTFILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nova::tool {
/// Files are written beside their places under temporary names; `commit` renames them all. Without it the destructor
/// removes them. A link is followed. An existing file that is no regular file (a device, a pipe) is written directly at
/// `commit`.
class OutputFiles {
public:
  OutputFiles() = default;
  ~OutputFiles();
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;

  /// Writes what `content` prints for `path`. The error names the path: a missing folder, a directory, a full disk.
  llvm::Error add(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> content);
  llvm::Error commit();

  /// The file that `path` means, under one name for all spellings: links and dots are followed.
  static std::string placeOf(llvm::StringRef path);

  /// Why nothing can be written at `path` ("is a directory", "no folder x"), or "". Asked before work is done in vain.
  static std::string problemWith(llvm::StringRef path);

private:
  struct Pending {
    std::string path;
    std::string temporary; // the file's name until `commit`; empty for what is written directly
    std::string direct;    // content for what cannot be renamed over
  };
  static llvm::Error commitOne(Pending &entry);
  static void discard(Pending &entry);
  std::vector<Pending> pending;
};
} // namespace nova::tool

#endif
