#include "compiler/identity/Store.h"
#include "compiler/identity/StoreFile.h"
#include "compiler/identity/StoreLock.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace nova {
std::string Store::defaultDirectory() {
  auto variable = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  if (std::string own = variable("NOVA_STORE"); !own.empty())
    return own;
  // The convention ignores a relative path there.
  if (std::string cache = variable("XDG_CACHE_HOME"); !cache.empty() && path::is_absolute(cache))
    return cache + "/nova";
  llvm::SmallString<128> home;
  if (path::home_directory(home))
    return (home + "/.cache/nova").str();
  path::system_temp_directory(/*ErasedOnReboot=*/true, home);
  return (home + "/nova-" + llvm::Twine(getuid())).str();
}

std::string Store::folder(llvm::StringRef name) const { return options.directory + "/" + name.str(); }

std::string Store::pathOf(const Hash &key) const {
  std::string hex = key.hex();
  return folder("entries") + "/" + hex.substr(0, 2) + "/" + hex;
}

void Store::warn(const std::string &text) const {
  if (options.warn)
    options.warn(text);
}

namespace {
// The length of all that comes before an entry's content, at most.
constexpr uint64_t kLongestHeader = StoreEntryHeader::kFixedSize + StoreEntryHeader::kLongestLabel;

struct LoadedEntry {
  std::string content, problem;
};

// An entry's content, or what is wrong with it; nothing when there is none. The header is checked before the rest is
// read: of a foreign file no more is read than of the longest header.
llvm::Expected<std::optional<LoadedEntry>> load(const std::string &path, const Hash &key, bool touch) {
  llvm::Expected<std::optional<StoreFile>> file = StoreFile::open(path);
  if (!file)
    return file.takeError();
  if (!*file)
    return std::nullopt;
  auto damaged = [](llvm::Error error) { return LoadedEntry{"", llvm::toString(std::move(error))}; };
  uint64_t size = (*file)->size();
  llvm::Expected<std::string> bytes = (*file)->read(std::min(size, kLongestHeader));
  if (!bytes)
    return bytes.takeError();
  if (llvm::Expected<StoreEntryHeader> header = decodeStoreHeader(*bytes, size, key); !header)
    return damaged(header.takeError());
  llvm::Expected<std::string> rest = (*file)->read(size - bytes->size());
  if (!rest)
    return rest.takeError();
  *bytes += *rest;
  llvm::Expected<llvm::StringRef> payload = decodeStoreEntry(*bytes, key);
  if (!payload)
    return damaged(payload.takeError());
  if (touch)
    (*file)->touch();
  return LoadedEntry{payload->str(), ""};
}

// Sets the label that the header of an entry gives, or returns what is wrong with it.
std::string readLabel(StoreFile &file, const Hash &key, std::string &label) {
  llvm::Expected<std::string> bytes = file.read(std::min(file.size(), kLongestHeader));
  if (!bytes)
    return llvm::toString(bytes.takeError());
  llvm::Expected<StoreEntryHeader> header = decodeStoreHeader(*bytes, file.size(), key);
  if (!header)
    return llvm::toString(header.takeError());
  label = header->label;
  return "";
}
} // namespace

llvm::Expected<std::optional<std::string>> Store::read(const Hash &key) const {
  std::string file = pathOf(key);
  llvm::Expected<std::optional<LoadedEntry>> entry = load(file, key, /*touch=*/true);
  if (!entry)
    return entry.takeError();
  if (!*entry)
    return std::nullopt;
  if (!(*entry)->problem.empty()) {
    warn("store entry " + file + " is damaged or foreign and will be made again: " + (*entry)->problem);
    // Another process may have replaced it meanwhile; then that one is lost, which costs time only.
    (void)fs::remove(file);
    return std::nullopt;
  }
  return std::move((*entry)->content);
}

llvm::Error Store::write(const Hash &key, llvm::StringRef label, llvm::StringRef content) const {
  std::string file = pathOf(key), bytes = encodeStoreEntry(key, label, content);
  if (bytes.size() > options.sizeLimit)
    return llvm::createStringError(std::errc::file_too_large, "store entry has %llu bytes, more than the limit of %llu",
                                   (unsigned long long)bytes.size(), (unsigned long long)options.sizeLimit);
  for (const std::string &needed : {folder("tmp"), folder("locks"), path::parent_path(file).str()})
    if (std::error_code error = fs::create_directories(needed, /*IgnoreExisting=*/true, fs::owner_all))
      return llvm::createStringError(error, "cannot create folder %s: %s", needed.c_str(), error.message().c_str());
  llvm::Expected<StoreDraft> draft = StoreDraft::write(folder("tmp"), bytes);
  if (!draft)
    return draft.takeError();
  // Room is made first, and by one process at a time: no moment, and no process that is killed, leaves more than the
  // limit.
  std::optional<StoreLock> lock = StoreLock::acquire(folder("locks") + "/room", options.patience);
  if (llvm::Expected<StoreCleaning> cleaning = makeRoom(options.sizeLimit - bytes.size(), file); !cleaning)
    return cleaning.takeError();
  return std::move(*draft).putAt(file);
}

llvm::Expected<StoreResult> Store::getOrMake(const Hash &key, llvm::StringRef label,
                                             llvm::function_ref<llvm::Expected<std::string>()> make) const {
  std::string trouble; // one warning is enough of a store that cannot be used
  auto look = [&]() -> std::optional<std::string> {
    llvm::Expected<std::optional<std::string>> bytes = read(key);
    if (bytes)
      return std::move(*bytes);
    trouble = llvm::toString(bytes.takeError());
    return std::nullopt;
  };
  if (std::optional<std::string> bytes = look())
    return StoreResult{std::move(*bytes), true, ""};
  (void)fs::create_directories(folder("locks"), /*IgnoreExisting=*/true, fs::owner_all);
  std::optional<StoreLock> lock = StoreLock::acquire(folder("locks") + "/" + key.hex(), options.patience);
  // Another process may have made it while we waited, or between our look and our lock.
  if (trouble.empty())
    if (std::optional<std::string> bytes = look())
      return StoreResult{std::move(*bytes), true, ""};
  llvm::Expected<std::string> made = make();
  if (!made)
    return made.takeError();
  StoreResult result{std::move(*made), false, ""};
  if (llvm::Error error = write(key, label, result.bytes))
    result.problem = llvm::toString(std::move(error));
  else if (!trouble.empty())
    warn(trouble + "; it was made again");
  return result;
}

llvm::Expected<std::vector<StoredEntry>> Store::list() const {
  llvm::Expected<std::vector<StoreFileInfo>> files = listStoreFiles(folder("entries"));
  if (!files)
    return files.takeError();
  std::vector<StoredEntry> entries;
  for (const StoreFileInfo &file : *files) {
    StoredEntry entry;
    entry.path = file.path;
    entry.bytes = file.bytes;
    entry.lastUse = file.lastUse;
    std::optional<Hash> key = parseHash(path::filename(file.path));
    if (!key || pathOf(*key) != file.path) {
      entry.problem = "the file is not named like an entry";
    } else {
      entry.key = *key;
      llvm::Expected<std::optional<StoreFile>> opened = StoreFile::open(file.path);
      if (opened && !*opened)
        continue; // removed meanwhile
      entry.problem = opened ? readLabel(**opened, *key, entry.label) : llvm::toString(opened.takeError());
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const StoredEntry &a, const StoredEntry &b) {
    return a.lastUse != b.lastUse ? a.lastUse > b.lastUse : a.path < b.path;
  });
  return entries;
}

llvm::Expected<StoreCleaning> Store::gc(uint64_t limit) const { return makeRoom(limit, /*apartFrom=*/""); }

llvm::Expected<StoreCleaning> Store::makeRoom(uint64_t limit, llvm::StringRef apartFrom) const {
  llvm::Expected<std::vector<StoreFileInfo>> files = listStoreFiles(folder("entries"));
  if (!files)
    return files.takeError();
  StoreCleaning result;
  // Only files named like entries are ours to remove.
  llvm::erase_if(*files, [&](const StoreFileInfo &file) {
    std::optional<Hash> key = parseHash(path::filename(file.path));
    return !key || pathOf(*key) != file.path || file.path == apartFrom;
  });
  for (const StoreFileInfo &file : *files)
    result.leftBytes += file.bytes;
  result.left = files->size();
  std::sort(files->begin(), files->end(), [](const StoreFileInfo &a, const StoreFileInfo &b) {
    return a.lastUse != b.lastUse ? a.lastUse < b.lastUse : a.path < b.path;
  });
  std::string problem;
  for (const StoreFileInfo &file : *files) {
    if (result.leftBytes <= limit)
      break;
    if (std::error_code error = fs::remove(file.path, /*IgnoreNonExisting=*/true)) {
      problem = "cannot remove store entry " + file.path + ": " + error.message();
      continue; // another one may do
    }
    result.removed++;
    result.removedBytes += file.bytes;
    result.left--;
    result.leftBytes -= file.bytes;
  }
  removeLeftovers(folder("tmp"), folder("locks"));
  if (result.leftBytes > limit)
    return llvm::createStringError(std::errc::no_space_on_device, "%s", problem.c_str());
  return result;
}

llvm::Expected<std::vector<StoredEntry>> Store::verify() const {
  llvm::Expected<std::vector<StoredEntry>> entries = list();
  if (!entries)
    return entries.takeError();
  for (StoredEntry &entry : *entries) {
    if (entry.key == Hash())
      continue;
    llvm::Expected<std::optional<LoadedEntry>> loaded = load(entry.path, entry.key, /*touch=*/false);
    if (!loaded) {
      entry.problem = llvm::toString(loaded.takeError());
      continue; // what cannot be read may be whole
    }
    entry.problem = *loaded ? (*loaded)->problem : ""; // or it was removed meanwhile
    if (!entry.problem.empty())
      if (std::error_code error = fs::remove(entry.path))
        entry.problem += "; cannot remove it: " + error.message();
  }
  return entries;
}
} // namespace nova
