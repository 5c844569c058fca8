#include "compiler/identity/StoreEntry.h"
#include "llvm/ADT/StringExtras.h"
#include "tests/fuzz/Readers.h"
#include "tools/nova/Npy.h"
#include "tools/nova/TensorFile.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace nova::fuzz {
namespace {
template <typename T> bool accepted(llvm::Expected<T> value) {
  if (!value)
    llvm::consumeError(value.takeError());
  return bool(value);
}

// Bytes under a path, in memory.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view bytes) : fd(memfd_create("fuzz", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      ssize_t count = write(fd, bytes.data(), bytes.size());
      if (count <= 0)
        std::abort();
      bytes.remove_prefix(size_t(count));
    }
  }
  ~MemoryFile() { close(fd); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

// Every tensor of a file; one that is refused does not end it.
bool readAll(llvm::Expected<std::unique_ptr<tool::TensorFile>> file) {
  if (!file)
    return accepted(std::move(file));
  bool all = true;
  for (const std::string &name : (*file)->names())
    all &= accepted((*file)->read(name));
  return all;
}
} // namespace

bool readStoreEntry(std::string_view bytes) {
  // Under the key that it names, so that the rest is reached.
  Hash key;
  if (bytes.size() >= StoreEntryHeader::kFixedSize)
    key = *parseHash(llvm::toHex(bytes.substr(16, key.bytes.size()), /*LowerCase=*/true));
  (void)accepted(decodeStoreHeader(bytes, bytes.size(), key));
  return accepted(decodeStoreEntry(bytes, key));
}

bool readNpyArray(std::string_view bytes) { return accepted(tool::parseNpy(bytes)); }

bool readNpzArchive(std::string_view bytes) {
  MemoryFile file(bytes);
  return readAll(tool::openNpz(file.path()));
}

bool readSafetensorsFile(std::string_view bytes) {
  MemoryFile file(bytes);
  return readAll(tool::openSafetensors(file.path()));
}
} // namespace nova::fuzz
