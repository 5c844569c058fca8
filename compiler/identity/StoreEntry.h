// One entry of the store as bytes of a file: a header that names and checks what follows.
#ifndef NOVA_COMPILER_IDENTITY_STOREENTRY_H
#define NOVA_COMPILER_IDENTITY_STOREENTRY_H

#include "compiler/identity/Tokens.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace nova {
/// The header of an entry: 128 bytes and the label. Numbers are 8 bytes, little endian.
///   0 magic "novastor"   8 format version   16 key   48 label size   56 payload size   64 SHA-256 of the payload
///   96 SHA-256 of these 96 bytes and the label   128 label   then the payload, to the end of the file
struct StoreEntryHeader {
  static constexpr size_t kFixedSize = 128;
  static constexpr uint64_t kFormat = 1;
  static constexpr uint64_t kLongestLabel = 4096;

  Hash key;
  std::string label;
  uint64_t payloadSize = 0;
  Hash payloadHash;
};

/// The bytes of a file that holds `payload` under `key`. A label past the longest is cut.
std::string encodeStoreEntry(const Hash &key, llvm::StringRef label, llvm::StringRef payload);
/// The header of an entry that begins with `bytes` (at least all of the header), checked apart from the payload.
/// `fileSize` is the size of the whole file. The error says what was found and what was expected.
llvm::Expected<StoreEntryHeader> decodeStoreHeader(llvm::StringRef bytes, uint64_t fileSize, const Hash &key);
/// The payload within the bytes of a whole file, after every check.
llvm::Expected<llvm::StringRef> decodeStoreEntry(llvm::StringRef file, const Hash &key);
/// The hash written in hex; nothing when it is not 64 lower-case digits.
std::optional<Hash> parseHash(llvm::StringRef hex);
} // namespace nova

#endif
