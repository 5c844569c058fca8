//===- ElfFile.cpp --------------------------------------------------------===//

#include "runtime/core/ElfFile.h"
#include "runtime/core/Digest.h"

#include <cstring>
#include <elf.h>

using namespace nova::runtime;

namespace {

/// True if `size` bytes at `offset` lie inside `bytes`.
bool inside(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// Copies a structure out of the bytes, which have no alignment; the caller has checked the range.
template <typename T> T load(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// What is wrong with the file header, or null.
const char *headerProblem(std::string_view bytes, Elf64_Ehdr &header) {
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return "the file is shorter than an ELF header";
  header = load<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "not an ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_ident[EI_VERSION] != EV_CURRENT || header.e_machine != EM_X86_64)
    return "not an ELF file for x86-64";
  if (header.e_type != ET_DYN)
    return "not a shared object";
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum ||
      !inside(bytes, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return "the section table does not lie inside the file";
  return nullptr;
}

/// The section's name, or an empty one if it is not a terminated string inside the name table.
std::string_view sectionName(std::string_view names, uint32_t offset) {
  if (offset >= names.size())
    return {};
  names.remove_prefix(offset);
  size_t end = names.find('\0');
  return end == std::string_view::npos ? std::string_view() : names.substr(0, end);
}

} // namespace

bool nova::runtime::findModuleSections(std::string_view bytes, ModuleSections &sections, std::string &problem) {
  Elf64_Ehdr header;
  if (const char *text = headerProblem(bytes, header)) {
    problem = text;
    return false;
  }
  auto section = [&](unsigned index) {
    return load<Elf64_Shdr>(bytes, header.e_shoff + uint64_t{index} * sizeof(Elf64_Shdr));
  };
  Elf64_Shdr nameTable = section(header.e_shstrndx);
  if (nameTable.sh_type != SHT_STRTAB || !inside(bytes, nameTable.sh_offset, nameTable.sh_size)) {
    problem = "the table of section names does not lie inside the file";
    return false;
  }
  std::string_view names = bytes.substr(nameTable.sh_offset, nameTable.sh_size);

  unsigned manifests = 0, digests = 0;
  uint64_t digestSize = 0;
  for (unsigned index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr current = section(index);
    std::string_view name = sectionName(names, current.sh_name);
    bool isManifest = name == ".nova.manifest", isDigest = name == ".nova.digest";
    if (!isManifest && !isDigest)
      continue;
    if (current.sh_type == SHT_NOBITS || !inside(bytes, current.sh_offset, current.sh_size)) {
      problem = "section " + std::string(name) + " does not lie inside the file";
      return false;
    }
    if (isManifest) {
      ++manifests;
      sections.manifestOffset = current.sh_offset;
      sections.manifestSize = current.sh_size;
    } else {
      ++digests;
      sections.digestOffset = current.sh_offset;
      digestSize = current.sh_size;
    }
  }
  if (manifests != 1 || digests != 1) {
    problem = "expected one section .nova.manifest and one section .nova.digest, found " + std::to_string(manifests) +
              " and " + std::to_string(digests);
    return false;
  }
  if (digestSize != kDigestSize) {
    problem = "expected a section .nova.digest of 32 bytes, found " + std::to_string(digestSize);
    return false;
  }
  bool apart = sections.digestOffset + kDigestSize <= sections.manifestOffset ||
               sections.manifestOffset + sections.manifestSize <= sections.digestOffset;
  if (!apart) {
    problem = "the sections .nova.manifest and .nova.digest overlap";
    return false;
  }
  return true;
}
