// An entry's bytes: every damage is found, whatever it is.
#include "compiler/identity/StoreEntry.h"
#include "tests/identity/TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace nova;
using namespace nova::test;

namespace {
const Hash kKey = sha256("key");

std::string problemOf(const std::string &file, const Hash &key = kKey) {
  llvm::Expected<llvm::StringRef> payload = decodeStoreEntry(file, key);
  return payload ? "" : llvm::toString(payload.takeError());
}
} // namespace

TEST(StoreEntry, RoundTrip) {
  for (size_t size : {0, 1, 63, 64, 65, 100000}) {
    std::string payload = someBytes(size, size), file = encodeStoreEntry(kKey, "a label", payload);
    llvm::Expected<llvm::StringRef> back = decodeStoreEntry(file, kKey);
    ASSERT_TRUE(bool(back));
    EXPECT_EQ(payload, back->str());
    EXPECT_EQ(decodeStoreHeader(file, file.size(), kKey)->label, "a label");
  }
}

TEST(StoreEntry, EveryTruncationIsFound) {
  std::string file = encodeStoreEntry(kKey, "label", someBytes(300, 1));
  for (size_t size = 0; size < file.size(); size++)
    EXPECT_NE(problemOf(file.substr(0, size)), "") << size;
  EXPECT_EQ(problemOf(file.substr(0, file.size() / 2)), "found 83 bytes of content, expected 300");
  EXPECT_EQ(problemOf(file.substr(0, 5)), "found 5 bytes, expected a header of 128");
  EXPECT_EQ(problemOf(file + "x"), "found 301 bytes of content, expected 300");
}

TEST(StoreEntry, EveryChangedBitIsFound) {
  std::string file = encodeStoreEntry(kKey, "label", someBytes(40, 2));
  for (size_t bit = 0; bit < 8 * file.size(); bit++) {
    std::string changed = file;
    changed[bit / 8] ^= char(1 << (bit % 8));
    EXPECT_NE(problemOf(changed), "") << bit;
  }
}

TEST(StoreEntry, Messages) {
  std::string file = encodeStoreEntry(kKey, "", "content");
  EXPECT_EQ(problemOf(file, sha256("other")), "found an entry for key 2c70e12b7a0646f9, expected d9298a10d1b07358");
  EXPECT_EQ(problemOf(std::string(200, 'x')), "found another kind of file, expected a store entry");
  std::string later = file;
  later[8] = 9;
  EXPECT_EQ(problemOf(later), "found format 9, expected 1");
  std::string longLabel = file;
  longLabel[48] = 100;
  EXPECT_EQ(problemOf(longLabel), "found a label of 100 bytes in a file of 135");
  std::string otherHash = file;
  otherHash[64] ^= 1;
  EXPECT_EQ(problemOf(otherHash), "the header's checksum does not match");
  std::string changed = file;
  changed.back() ^= 1;
  EXPECT_EQ(problemOf(changed), "the content's checksum does not match");
}

TEST(StoreEntry, KeysInHex) {
  EXPECT_EQ(parseHash(kKey.hex()), kKey);
  EXPECT_FALSE(parseHash(kKey.hex().substr(1)));
  EXPECT_FALSE(parseHash("G" + kKey.hex().substr(1)));
  EXPECT_FALSE(parseHash("A" + kKey.hex().substr(1)));
}
