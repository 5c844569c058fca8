#include "compiler/identity/Tokens.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

namespace nova {
namespace {
enum Kind : uint8_t { PartToken = 1, IntegerToken, CountToken, TextToken, WordsToken, HashToken };
constexpr size_t kPendingLimit = 1 << 14;

Hash toHash(std::array<uint8_t, 32> bytes) {
  Hash hash;
  hash.bytes = bytes;
  return hash;
}
} // namespace

std::string Hash::hex() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

Hash sha256(llvm::StringRef bytes) {
  return toHash(llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size())));
}

Tokens::Tokens(Domain domain) {
  pending.reserve(kPendingLimit + 64);
  append("nova", 4);
  number(kHashFormatVersion);
  number(kSemanticsVersion);
  byte(uint8_t(domain));
}

void Tokens::byte(uint8_t value) { append(&value, 1); }

void Tokens::number(uint64_t value) {
  uint8_t bytes[8];
  for (unsigned i = 0; i < 8; i++)
    bytes[i] = uint8_t(value >> (8 * i));
  append(bytes, 8);
}

void Tokens::append(const void *data, size_t size) {
  pending.append(static_cast<const char *>(data), size);
  if (pending.size() >= kPendingLimit) {
    sha.update(pending);
    pending.clear();
  }
}

Tokens &Tokens::part(Part part) {
  byte(PartToken);
  byte(uint8_t(part));
  return *this;
}

Tokens &Tokens::integer(int64_t value) {
  byte(IntegerToken);
  number(uint64_t(value));
  return *this;
}

Tokens &Tokens::count(uint64_t value) {
  byte(CountToken);
  number(value);
  return *this;
}

Tokens &Tokens::text(llvm::StringRef value) {
  byte(TextToken);
  number(value.size());
  append(value.data(), value.size());
  return *this;
}

Tokens &Tokens::words(llvm::ArrayRef<uint64_t> values) {
  byte(WordsToken);
  number(values.size());
  for (uint64_t value : values)
    number(value);
  return *this;
}

Tokens &Tokens::hash(const Hash &value) {
  byte(HashToken);
  append(value.bytes.data(), value.bytes.size());
  return *this;
}

Hash Tokens::finish() {
  sha.update(pending);
  pending.clear();
  return toHash(sha.final());
}
} // namespace nova
