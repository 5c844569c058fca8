#include "compiler/identity/StoreEntry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include <cstring>

namespace nova {
namespace {
constexpr llvm::StringLiteral kMagic("novastor");
enum Offset {
  MagicAt = 0,
  FormatAt = 8,
  KeyAt = 16,
  LabelSizeAt = 48,
  PayloadSizeAt = 56,
  PayloadHashAt = 64,
  HeaderHashAt = 96
};

Hash hashAt(llvm::StringRef bytes, size_t offset) {
  Hash hash;
  std::memcpy(hash.bytes.data(), bytes.data() + offset, hash.bytes.size());
  return hash;
}

uint64_t numberAt(llvm::StringRef bytes, size_t offset) {
  return llvm::support::endian::read64le(bytes.data() + offset);
}

llvm::Error problem(const llvm::Twine &text) {
  return llvm::createStringError(std::errc::illegal_byte_sequence, text.str().c_str());
}
} // namespace

std::optional<Hash> parseHash(llvm::StringRef hex) {
  Hash hash;
  if (hex.size() != 2 * hash.bytes.size())
    return std::nullopt;
  for (char c : hex)
    if (!llvm::isDigit(c) && (c < 'a' || c > 'f'))
      return std::nullopt;
  for (size_t i = 0; i < hash.bytes.size(); i++)
    hash.bytes[i] = uint8_t(llvm::hexDigitValue(hex[2 * i]) << 4 | llvm::hexDigitValue(hex[2 * i + 1]));
  return hash;
}

std::string encodeStoreEntry(const Hash &key, llvm::StringRef label, llvm::StringRef payload) {
  label = label.take_front(StoreEntryHeader::kLongestLabel);
  std::string file(StoreEntryHeader::kFixedSize, '\0');
  file.reserve(file.size() + label.size() + payload.size());
  auto number = [&](size_t offset, uint64_t value) { llvm::support::endian::write64le(file.data() + offset, value); };
  auto hash = [&](size_t offset, const Hash &value) {
    std::memcpy(file.data() + offset, value.bytes.data(), value.bytes.size());
  };
  std::memcpy(file.data() + MagicAt, kMagic.data(), kMagic.size());
  number(FormatAt, StoreEntryHeader::kFormat);
  hash(KeyAt, key);
  number(LabelSizeAt, label.size());
  number(PayloadSizeAt, payload.size());
  hash(PayloadHashAt, sha256(payload));
  hash(HeaderHashAt, sha256(file.substr(0, HeaderHashAt) + label.str()));
  file.append(label.data(), label.size());
  file.append(payload.data(), payload.size());
  return file;
}

llvm::Expected<StoreEntryHeader> decodeStoreHeader(llvm::StringRef bytes, uint64_t fileSize, const Hash &key) {
  constexpr size_t fixed = StoreEntryHeader::kFixedSize;
  if (bytes.size() < fixed)
    return problem("found " + llvm::Twine(fileSize) + " bytes, expected a header of " + llvm::Twine(fixed));
  if (bytes.take_front(kMagic.size()) != kMagic)
    return problem("found another kind of file, expected a store entry");
  if (uint64_t format = numberAt(bytes, FormatAt); format != StoreEntryHeader::kFormat)
    return problem("found format " + llvm::Twine(format) + ", expected " + llvm::Twine(StoreEntryHeader::kFormat));
  StoreEntryHeader header;
  header.key = hashAt(bytes, KeyAt);
  header.payloadSize = numberAt(bytes, PayloadSizeAt);
  header.payloadHash = hashAt(bytes, PayloadHashAt);
  uint64_t labelSize = numberAt(bytes, LabelSizeAt);
  if (labelSize > StoreEntryHeader::kLongestLabel || bytes.size() - fixed < labelSize)
    return problem("found a label of " + llvm::Twine(labelSize) + " bytes in a file of " + llvm::Twine(fileSize));
  header.label = bytes.substr(fixed, labelSize).str();
  if (sha256((bytes.take_front(HeaderHashAt) + header.label).str()) != hashAt(bytes, HeaderHashAt))
    return problem("the header's checksum does not match");
  if (header.key != key)
    return problem("found an entry for key " + header.key.hex().substr(0, 16) + ", expected " +
                   key.hex().substr(0, 16));
  uint64_t have = fileSize - fixed - labelSize;
  if (have != header.payloadSize)
    return problem("found " + llvm::Twine(have) + " bytes of content, expected " + llvm::Twine(header.payloadSize));
  return header;
}

llvm::Expected<llvm::StringRef> decodeStoreEntry(llvm::StringRef file, const Hash &key) {
  llvm::Expected<StoreEntryHeader> header = decodeStoreHeader(file, file.size(), key);
  if (!header)
    return header.takeError();
  llvm::StringRef payload = file.drop_front(StoreEntryHeader::kFixedSize + header->label.size());
  if (sha256(payload) != header->payloadHash)
    return problem("the content's checksum does not match");
  return payload;
}
} // namespace nova
