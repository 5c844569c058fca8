//===- Digest.h - The integrity of a module file ----------------*- C++ -*-===//
//
// A module carries the SHA-256 of its own bytes, taken with the digest as zero. The runtime checks it before anything
// of the module is executed; whoever writes a module seals it with the same code.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_DIGEST_H
#define NOVA_RUNTIME_CORE_DIGEST_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace nova::runtime {

constexpr size_t kDigestSize = 32;
using DigestBytes = std::array<uint8_t, kDigestSize>;

/// SHA-256 of what is added, in a row. Throws std::bad_alloc if the hash cannot be set up.
class Hasher {
public:
  Hasher();
  void add(std::string_view bytes);
  DigestBytes finish();

private:
  struct Free {
    void operator()(evp_md_ctx_st *hash) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> hash;
};

/// SHA-256 of `bytes`. Throws std::bad_alloc if the hash cannot be set up.
DigestBytes digest(std::string_view bytes);

/// SHA-256 of `bytes` with the 32 bytes at `digestOffset` taken as zero; they must lie inside. Throws std::bad_alloc if
/// the hash cannot be set up.
DigestBytes moduleDigest(std::string_view bytes, size_t digestOffset);

/// Writes the digest into the `.nova.digest` section of a linked module. On failure leaves `bytes` alone, returns false
/// and says in `problem` why.
bool sealModule(std::string &bytes, std::string &problem);

/// True if the stored digest is the digest of the bytes.
bool digestMatches(std::string_view bytes, size_t digestOffset);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_DIGEST_H
