//===- ElfFile.h - The sections of a module file ----------------*- C++ -*-===//
//
// Just enough ELF to find the two sections a module carries. The bytes may be anything: every offset is checked before
// it is followed, and nothing is executed or mapped.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_ELFFILE_H
#define NOVA_RUNTIME_CORE_ELFFILE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace nova::runtime {

/// Where the sections of a module lie in its file.
struct ModuleSections {
  size_t manifestOffset = 0, manifestSize = 0;
  size_t digestOffset = 0; // 32 bytes
};

/// Finds `.nova.manifest` and `.nova.digest` in the bytes of an x86-64 ELF shared object. On failure returns false and
/// says in `problem` what was expected and found.
bool findModuleSections(std::string_view bytes, ModuleSections &sections, std::string &problem);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_ELFFILE_H
