// What is hashed: a stream of tagged tokens, so that two different things never give the same bytes.
#ifndef NOVA_COMPILER_IDENTITY_TOKENS_H
#define NOVA_COMPILER_IDENTITY_TOKENS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"
#include <array>
#include <cstdint>
#include <string>

namespace nova {
/// How tokens are written as bytes. Raised when the stream of an unchanged graph changes.
inline constexpr uint32_t kHashFormatVersion = 1;
/// What graphs mean (docs/arithmetic.md). Raised when the bits of any result of any graph change: every hash changes
/// then.
inline constexpr uint32_t kSemanticsVersion = 1;

/// A SHA-256.
struct Hash {
  std::array<uint8_t, 32> bytes{};

  /// 64 digits, lower case.
  std::string hex() const;
  bool operator==(const Hash &other) const { return bytes == other.bytes; }
  bool operator!=(const Hash &other) const { return bytes != other.bytes; }
  bool operator<(const Hash &other) const { return bytes < other.bytes; }
};

/// What a hash is of. Hashes of different kinds never agree, whatever they contain. Numbers are part of the format.
enum class Domain : uint8_t {
  Graph = 1,
  Semantic = 2,
  Signature = 3,
  Names = 4,
  Version = 5,
  StoreKey = 6,
  BuildId = 7
};

/// What a group of tokens describes. Numbers are part of the format: they are never given to another thing.
enum class Part : uint8_t {
  TypeParameter = 1,
  Argument = 2,
  Result = 3,
  Clause = 4,
  Operation = 5,
  Returned = 6,
  Tensor = 7,
  Dimension = 8,
  ElementType = 9,
  ElementParameter = 10,
  Attribute = 11,
  AbsentAttribute = 12,
  IntegerAttribute = 13,
  UnitAttribute = 14,
  IntegersAttribute = 15,
  TypeAttribute = 16,
  ListAttribute = 17,
  DimensionAttribute = 18,
  LiteralAttribute = 19,
  TextAttribute = 20,
  Callee = 21,
  GraphName = 22,
  Symbol = 23,
  Probe = 24,
  FixedSize = 25,
  Target = 26,
  Phase = 27,
  Contract = 28,
  Compiler = 29,
  Sequence = 30,
  BuildNote = 31,
  BoundArgument = 32,
  Storage = 33,
  Place = 34,
};

/// Collects tokens and hashes them. Each token is one byte that says what it is, then its payload; texts and lists
/// carry their length first, numbers are 8 bytes, little endian. So the stream can be read back in one way only. The
/// stream begins with the format version, the semantics version and the domain. Belongs to one thread.
class Tokens {
public:
  explicit Tokens(Domain domain);

  Tokens &part(Part part);
  Tokens &integer(int64_t value);
  /// The length of the list whose tokens follow.
  Tokens &count(uint64_t value);
  Tokens &text(llvm::StringRef value);
  /// Bits of elements, for example of a literal.
  Tokens &words(llvm::ArrayRef<uint64_t> values);
  Tokens &hash(const Hash &value);

  /// The hash of all tokens so far. The stream must not be used afterwards.
  Hash finish();

private:
  void byte(uint8_t value);
  void number(uint64_t value);
  void append(const void *data, size_t size);

  llvm::SHA256 sha;
  std::string pending; // SHA256 is slow on a few bytes at a time
};

/// SHA-256 of plain bytes, for checksums.
Hash sha256(llvm::StringRef bytes);
} // namespace nova

#endif
