//===- Digest.cpp ---------------------------------------------------------===//

#include "runtime/core/Digest.h"
#include "runtime/core/ElfFile.h"

#include <cstring>
#include <memory>
#include <new>
#include <openssl/evp.h>

using namespace nova::runtime;

DigestBytes nova::runtime::moduleDigest(std::string_view bytes, size_t digestOffset) {
  const DigestBytes zeros{};
  const std::string_view before = bytes.substr(0, digestOffset), after = bytes.substr(digestOffset + kDigestSize);
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  DigestBytes digest;
  if (!hash || !EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) ||
      !EVP_DigestUpdate(hash.get(), before.data(), before.size()) ||
      !EVP_DigestUpdate(hash.get(), zeros.data(), zeros.size()) ||
      !EVP_DigestUpdate(hash.get(), after.data(), after.size()) ||
      !EVP_DigestFinal_ex(hash.get(), digest.data(), nullptr))
    throw std::bad_alloc();
  return digest;
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
