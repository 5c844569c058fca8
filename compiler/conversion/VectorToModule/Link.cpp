#include "compiler/conversion/VectorToModule/Link.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <optional>

namespace nova {
namespace {

/// A new folder that only this user may read; removed with what is in it.
class PrivateFolder {
public:
  // LLVM's createUniqueDirectory would take a % in the name of the system's folder for a placeholder.
  PrivateFolder() {
    llvm::SmallString<128> pattern;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, pattern);
    llvm::sys::path::append(pattern, "nova-link-XXXXXX");
    path = pattern.str();
    if (!mkdtemp(path.data()))
      error = std::error_code(errno, std::generic_category());
  }
  ~PrivateFolder() {
    if (!error)
      llvm::sys::fs::remove_directories(path);
  }
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  std::string path;
  std::error_code error;
};

llvm::Error writeFile(const std::string &path, llvm::ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream.write(bytes.data(), bytes.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return llvm::createStringError(error, "an object file could not be written to '" + path + "': " + error.message());
  return llvm::Error::success();
}

llvm::Expected<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "'" + path + "' could not be read: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

llvm::Expected<std::string> findLinker() {
  for (const char *name : {"ld.lld-19", "ld.lld"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return llvm::createStringError("the linker ld.lld-19 was not found on PATH (Debian: package lld-19)");
}

} // namespace

llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  llvm::Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  PrivateFolder folder;
  if (folder.error)
    return llvm::createStringError(folder.error, "no folder for temporary files: " + folder.error.message());

  std::string output = folder.file("module.so"), log = folder.file("log");
  std::vector<std::string> arguments{*linker,       "-shared",          "--build-id=none", "-z",          "defs", "-z",
                                     "noexecstack", "--hash-style=gnu", "--strip-debug",   "--threads=1", "-o",   "-"};
  for (size_t i = 0; i < objects.size(); ++i) {
    arguments.push_back(folder.file("part" + llvm::Twine(i) + ".o"));
    if (llvm::Error error = writeFile(arguments.back(), objects[i]))
      return std::move(error);
  }
  llvm::SmallVector<llvm::StringRef> references(arguments.begin(), arguments.end());
  // The linker, too, would take a % in the name of its output for a placeholder.
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(output), llvm::StringRef(log)};
  std::string problem;
  int exit = llvm::sys::ExecuteAndWait(*linker, references, std::nullopt, redirects, /*SecondsToWait=*/0,
                                       /*MemoryLimit=*/0, &problem);
  if (exit != 0) {
    llvm::Expected<std::string> said = readFile(log);
    if (said)
      problem += *said;
    else
      llvm::consumeError(said.takeError());
    return llvm::createStringError("the linker '" + *linker + "' failed: " + llvm::StringRef(problem).rtrim().str());
  }
  return readFile(output);
}

} // namespace nova
