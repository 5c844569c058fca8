#include "compiler/identity/BuildId.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <elf.h>
#include <link.h>
#include <optional>
#include <vector>

namespace nova {
namespace {
struct Object {
  std::string path;
  std::optional<std::string> note;
};

// The build-id among the notes of a segment: name size, descriptor size, type, then both padded to 4 bytes.
std::optional<std::string> buildNote(const char *at, size_t size) {
  const char *end = at + size;
  while (size_t(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, at, sizeof header);
    at += sizeof header;
    size_t name = (size_t(header.n_namesz) + 3) & ~size_t(3), descriptor = (size_t(header.n_descsz) + 3) & ~size_t(3);
    if (name > size_t(end - at) || descriptor > size_t(end - at) - name)
      return std::nullopt;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0)
      return std::string(at + name, header.n_descsz);
    at += name + descriptor;
  }
  return std::nullopt;
}

// Collects the objects that hold the compiler: the one with this function, and the shared libraries of MLIR and LLVM.
// Compiled modules may be loaded too; they must not count.
int visit(dl_phdr_info *info, size_t, void *data) {
  llvm::StringRef path = info->dlpi_name ? info->dlpi_name : "";
  llvm::StringRef file = llvm::sys::path::filename(path);
  bool counts = file.starts_with("libMLIR") || file.starts_with("libLLVM");
  uintptr_t here = reinterpret_cast<uintptr_t>(&buildId);
  std::optional<std::string> note;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    counts |= segment.p_type == PT_LOAD && here >= start && here - start < segment.p_memsz;
    if (segment.p_type == PT_NOTE && !note)
      note = buildNote(reinterpret_cast<const char *>(start), segment.p_memsz);
  }
  if (counts)
    static_cast<std::vector<Object> *>(data)->push_back({path.empty() ? "/proc/self/exe" : path.str(), note});
  return 0;
}

Hash compute() {
  std::vector<Object> objects;
  dl_iterate_phdr(visit, &objects);
  Tokens tokens(Domain::BuildId);
  // In the order of loading, which the linker fixed.
  tokens.count(objects.size());
  for (const Object &object : objects) {
    tokens.part(Part::BuildNote);
    if (object.note) {
      tokens.text(*object.note);
      continue;
    }
    auto file = llvm::MemoryBuffer::getFile(object.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    tokens.hash(file ? sha256((*file)->getBuffer()) : Hash());
  }
  return tokens.finish();
}
} // namespace

const Hash &buildId() {
  static const Hash id = compute();
  return id;
}
} // namespace nova
