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

llvm::Expected<std::optional<std::string>> Store::read(const Hash &key) const {
  std::string file = pathOf(key);
  llvm::Expected<std::optional<std::string>> bytes = readStoreFile(file, /*touch=*/true);
  if (!bytes)
    return bytes.takeError();
  if (!*bytes)
    return std::nullopt;
  llvm::Expected<llvm::StringRef> payload = decodeStoreEntry(**bytes, key);
  if (!payload) {
    warn("store entry " + file +
         " is damaged or foreign and will be made again: " + llvm::toString(payload.takeError()));
    // Another process may have replaced it meanwhile; then that one is lost, which costs time only.
    (void)fs::remove(file);
    return std::nullopt;
  }
  return std::optional<std::string>(payload->str());
}

llvm::Error Store::write(const Hash &key, llvm::StringRef label, llvm::StringRef content) const {
  std::string file = pathOf(key), bytes = encodeStoreEntry(key, label, content);
  if (bytes.size() > options.sizeLimit)
    return llvm::createStringError(std::errc::file_too_large, "store entry has %llu bytes, more than the limit of %llu",
                                   (unsigned long long)bytes.size(), (unsigned long long)options.sizeLimit);
  for (const std::string &needed : {folder("tmp"), path::parent_path(file).str()})
    if (std::error_code error = fs::create_directories(needed, /*IgnoreExisting=*/true, fs::owner_all))
      return llvm::createStringError(error, "cannot create folder %s: %s", needed.c_str(), error.message().c_str());
  return writeStoreFile(folder("tmp"), file, bytes);
}

llvm::Expected<StoreResult> Store::getOrMake(const Hash &key, llvm::StringRef label,
                                             llvm::function_ref<llvm::Expected<std::string>()> make) const {
  auto look = [&]() -> std::optional<std::string> {
    llvm::Expected<std::optional<std::string>> bytes = read(key);
    if (bytes)
      return std::move(*bytes);
    warn(llvm::toString(bytes.takeError()));
    return std::nullopt;
  };
  if (std::optional<std::string> bytes = look())
    return StoreResult{std::move(*bytes), true};
  (void)fs::create_directories(folder("locks"), /*IgnoreExisting=*/true, fs::owner_all);
  std::optional<StoreLock> lock = StoreLock::acquire(folder("locks") + "/" + key.hex(), options.patience);
  // Another process may have made it while we waited, or between our look and our lock.
  if (fs::exists(pathOf(key)))
    if (std::optional<std::string> bytes = look())
      return StoreResult{std::move(*bytes), true};
  llvm::Expected<std::string> made = make();
  if (!made)
    return made.takeError();
  if (llvm::Error error = write(key, label, *made)) {
    warn("the module is not kept: " + llvm::toString(std::move(error)));
  } else {
    llvm::Expected<StoreCleaning> cleaning = gc(options.sizeLimit);
    if (!cleaning)
      warn(llvm::toString(cleaning.takeError()));
  }
  return StoreResult{std::move(*made), false};
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
      constexpr size_t enough = StoreEntryHeader::kFixedSize + StoreEntryHeader::kLongestLabel;
      llvm::Expected<std::optional<std::string>> bytes = readStoreFile(file.path, /*touch=*/false, enough);
      if (bytes && !*bytes)
        continue; // removed meanwhile
      llvm::Expected<StoreEntryHeader> header =
          bytes ? decodeStoreHeader(**bytes, file.bytes, *key) : llvm::Expected<StoreEntryHeader>(bytes.takeError());
      if (header)
        entry.label = header->label;
      else
        entry.problem = llvm::toString(header.takeError());
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const StoredEntry &a, const StoredEntry &b) {
    return a.lastUse != b.lastUse ? a.lastUse > b.lastUse : a.path < b.path;
  });
  return entries;
}

llvm::Expected<StoreCleaning> Store::gc(uint64_t limit) const {
  llvm::Expected<std::vector<StoreFileInfo>> files = listStoreFiles(folder("entries"));
  if (!files)
    return files.takeError();
  StoreCleaning result;
  // Only files named like entries are ours to remove.
  llvm::erase_if(*files, [&](const StoreFileInfo &file) {
    std::optional<Hash> key = parseHash(path::filename(file.path));
    return !key || pathOf(*key) != file.path;
  });
  for (const StoreFileInfo &file : *files)
    result.leftBytes += file.bytes;
  result.left = files->size();
  std::sort(files->begin(), files->end(), [](const StoreFileInfo &a, const StoreFileInfo &b) {
    return a.lastUse != b.lastUse ? a.lastUse < b.lastUse : a.path < b.path;
  });
  for (const StoreFileInfo &file : *files) {
    if (result.leftBytes <= limit)
      break;
    if (std::error_code error = fs::remove(file.path, /*IgnoreNonExisting=*/true))
      return llvm::createStringError(error, "cannot remove store entry %s: %s", file.path.c_str(),
                                     error.message().c_str());
    result.removed++;
    result.removedBytes += file.bytes;
    result.left--;
    result.leftBytes -= file.bytes;
  }
  removeLeftovers(folder("tmp"), folder("locks"));
  return result;
}

llvm::Expected<std::vector<StoredEntry>> Store::verify() const {
  llvm::Expected<std::vector<StoredEntry>> entries = list();
  if (!entries)
    return entries.takeError();
  for (StoredEntry &entry : *entries) {
    bool ours = entry.key != Hash();
    if (ours && entry.problem.empty()) {
      llvm::Expected<std::optional<std::string>> bytes = readStoreFile(entry.path, /*touch=*/false);
      if (!bytes) {
        entry.problem = llvm::toString(bytes.takeError());
        continue; // what cannot be read may be whole
      }
      if (!*bytes)
        continue; // removed meanwhile
      if (llvm::Expected<llvm::StringRef> payload = decodeStoreEntry(**bytes, entry.key); !payload)
        entry.problem = llvm::toString(payload.takeError());
    }
    if (ours && !entry.problem.empty())
      if (std::error_code error = fs::remove(entry.path))
        entry.problem += "; cannot remove it: " + error.message();
  }
  return entries;
}
} // namespace nova
