// What reads bytes from outside: each reader takes any bytes, and says what is wrong or has read them.
#ifndef NOVA_TESTS_FUZZ_READERS_H
#define NOVA_TESTS_FUZZ_READERS_H

#include <string>
#include <string_view>
#include <vector>

namespace nova::fuzz {
struct Reader {
  const char *name; // of its folder in corpus/, too
  /// Reads, and forgets what was read. Returns whether the bytes were accepted.
  bool (*read)(std::string_view bytes);
  /// Words of the format, from which inputs are made.
  std::vector<std::string> words;
};

/// Graph files: the text of graphs, with calls of std_lib.
bool readGraph(std::string_view text);
/// Modules, whole: the ELF file and what its sections say. Digests are made right first.
bool readModule(std::string_view bytes);
/// The manifest of a module that is otherwise right.
bool readManifest(std::string_view text);
/// Entries of the store.
bool readStoreEntry(std::string_view bytes);
bool readNpyArray(std::string_view bytes);
bool readNpzArchive(std::string_view bytes);
bool readSafetensorsFile(std::string_view bytes);

/// All of them.
const std::vector<Reader> &readers();
/// The reader of this name; null when there is none.
const Reader *findReader(std::string_view name);
} // namespace nova::fuzz

#endif
