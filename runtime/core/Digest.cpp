//===- Digest.cpp ---------------------------------------------------------===//

#include "runtime/core/Digest.h"
#include "runtime/core/ElfFile.h"

#include <cstring>
#include <initializer_list>
#include <new>
#include <openssl/evp.h>

using namespace nova::runtime;

void Hasher::Free::operator()(evp_md_ctx_st *hash) const { EVP_MD_CTX_free(hash); }

Hasher::Hasher() : hash(EVP_MD_CTX_new()) {
  if (!hash || !EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr))
    throw std::bad_alloc();
}

void Hasher::add(std::string_view bytes) {
  if (!EVP_DigestUpdate(hash.get(), bytes.data(), bytes.size()))
    throw std::bad_alloc();
}

DigestBytes Hasher::finish() {
  DigestBytes digest;
  if (!EVP_DigestFinal_ex(hash.get(), digest.data(), nullptr))
    throw std::bad_alloc();
  return digest;
}

/// SHA-256 of the parts in a row.
static DigestBytes digestOf(std::initializer_list<std::string_view> parts) {
  Hasher hasher;
  for (std::string_view part : parts)
    hasher.add(part);
  return hasher.finish();
}

DigestBytes nova::runtime::digest(std::string_view bytes) { return digestOf({bytes}); }

DigestBytes nova::runtime::moduleDigest(std::string_view bytes, size_t digestOffset) {
  static constexpr char zeros[kDigestSize] = {};
  return digestOf({bytes.substr(0, digestOffset), {zeros, kDigestSize}, bytes.substr(digestOffset + kDigestSize)});
}

bool nova::runtime::sealModule(std::string &bytes, std::string &problem) {
  ModuleSections sections;
  if (!findModuleSections(bytes, sections, problem))
    return false;
  DigestBytes digest = moduleDigest(bytes, sections.digestOffset);
  std::memcpy(bytes.data() + sections.digestOffset, digest.data(), kDigestSize);
  return true;
}

bool nova::runtime::digestMatches(std::string_view bytes, size_t digestOffset) {
  DigestBytes digest = moduleDigest(bytes, digestOffset);
  return std::memcmp(bytes.data() + digestOffset, digest.data(), kDigestSize) == 0;
}
