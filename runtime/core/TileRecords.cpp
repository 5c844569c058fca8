//===- TileRecords.cpp ----------------------------------------------------===//

#include "runtime/core/TileRecords.h"
#include "runtime/core/Digest.h"
#include "runtime/core/Status.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace nova::runtime;

/// The form of the file; raised when the trials of Qualification.cpp change.
static const char *const kForm = "nova library tiles 1";
static const char *const kDigestWord = "sha256 ";
/// No file of ours is near this size.
constexpr size_t kMostBytes = 1 << 20;

namespace {
struct Closer {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;
} // namespace

/// In hex.
static std::string digestOf(const std::string &text) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (uint8_t byte : digest(text)) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

static std::string headerOf(const std::string &identity) { return concat(kForm, "\n", identity, "\n"); }

TileRecords nova::runtime::readTileRecords(const std::string &path, const std::string &identity) {
  // Something that is no file must not keep the process waiting.
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return {};
  struct stat facts;
  File file(fdopen(descriptor, "rb"));
  if (!file) {
    close(descriptor);
    return {};
  }
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || static_cast<size_t>(facts.st_size) > kMostBytes)
    return {};
  std::string text(static_cast<size_t>(facts.st_size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));

  size_t end = text.rfind(kDigestWord);
  std::string header = headerOf(identity);
  if (end == std::string::npos || text.compare(0, header.size(), header) != 0)
    return {};
  std::string covered = text.substr(0, end);
  if (text.substr(end) != concat(kDigestWord, digestOf(covered), "\n"))
    return {};
  TileRecords records;
  std::istringstream lines(covered.substr(header.size()));
  ProductShape shape;
  for (int64_t qualified; lines >> shape.terms >> shape.columns >> shape.lda >> shape.ldb >> shape.ldc >> qualified;)
    records[shape] = qualified == 1;
  return records;
}

/// Nothing but files of ours may be replaced.
static bool mayReplace(const std::string &path) {
  struct stat facts;
  return lstat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode);
}

void nova::runtime::writeTileRecords(const std::string &path, const std::string &identity, const TileRecords &records) {
  if (!mayReplace(path))
    return;
  std::string text = headerOf(identity);
  for (const auto &[shape, qualified] : records)
    text += concat(shape.terms, " ", shape.columns, " ", shape.lda, " ", shape.ldb, " ", shape.ldc, " ",
                   qualified ? 1 : 0, "\n");
  text += concat(kDigestWord, digestOf(text), "\n");
  std::string draft = path + ".XXXXXX";
  int descriptor = mkostemp(draft.data(), O_CLOEXEC);
  if (descriptor < 0)
    return;
  File file(fdopen(descriptor, "wb"));
  if (!file)
    close(descriptor);
  bool written = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  written = file && std::fclose(file.release()) == 0 && written;
  if (!written || std::rename(draft.c_str(), path.c_str()) != 0)
    unlink(draft.c_str());
}
