// nova store: list, clean and verify the store of compiled modules.
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
static json::Object toJson(const StoredEntry &entry) {
  return llvm::json::Object{
      {"key", entry.key.hex()},
      {"label", entry.label},
      {"path", entry.path},
      {"bytes", int64_t(entry.bytes)},
      {"last_use", int64_t(std::chrono::duration_cast<std::chrono::seconds>(entry.lastUse.time_since_epoch()).count())},
      {"problem", entry.problem}};
}

static void print(const Store &store, const std::vector<StoredEntry> &entries) {
  if (options::json) {
    json::Array list;
    for (const StoredEntry &entry : entries)
      list.push_back(toJson(entry));
    outs() << json::Value(json::Object{{"directory", store.directory()}, {"entries", std::move(list)}}) << "\n";
    return;
  }
  uint64_t bytes = 0;
  for (const StoredEntry &entry : entries) {
    bytes += entry.bytes;
    if (!entry.problem.empty()) {
      outs() << entry.path << ": " << entry.problem << "\n";
      continue;
    }
    auto time = std::chrono::time_point_cast<std::chrono::seconds>(entry.lastUse);
    outs() << StringRef(entry.key.hex()).take_front(16) << formatv("{0,10}", entry.bytes) << "  "
           << formatv("{0:%F %H:%M}", sys::TimePoint<>(time)) << "  @" << entry.label << "\n";
  }
  outs() << entries.size() << " entries, " << bytes << " bytes in " << store.directory() << "\n";
}

static Expected<uint64_t> readLimit() {
  StringRef text = options::limit;
  if (text.empty())
    return StoreOptions().sizeLimit;
  unsigned shift = text.ends_with("G") ? 30 : text.ends_with("M") ? 20 : text.ends_with("K") ? 10 : 0;
  uint64_t number;
  if ((shift ? text.drop_back() : text).getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return badInput("--limit " + text + ": expected bytes, or a number with K, M or G");
  return number << shift;
}

static Expected<int> act(const Store &store) {
  if (options::action == "ls") {
    Expected<std::vector<StoredEntry>> entries = store.list();
    if (!entries)
      return environmentFailure(toString(entries.takeError()));
    print(store, *entries);
    return Ok;
  }
  if (options::action == "verify") {
    Expected<std::vector<StoredEntry>> entries = store.verify();
    if (!entries)
      return environmentFailure(toString(entries.takeError()));
    print(store, *entries);
    return any_of(*entries, [](const StoredEntry &entry) { return !entry.problem.empty(); }) ? NotHeld : Ok;
  }
  if (options::action != "gc")
    return badInput("unknown action '" + options::action + "': expected ls, gc or verify");
  Expected<uint64_t> limit = readLimit();
  if (!limit)
    return limit.takeError();
  Expected<StoreCleaning> cleaning = store.gc(*limit);
  if (!cleaning)
    return environmentFailure(toString(cleaning.takeError()));
  if (options::json)
    outs() << json::Value(json::Object{{"removed", int64_t(cleaning->removed)},
                                       {"removed_bytes", int64_t(cleaning->removedBytes)},
                                       {"left", int64_t(cleaning->left)},
                                       {"left_bytes", int64_t(cleaning->leftBytes)}})
           << "\n";
  else
    outs() << "removed " << cleaning->removed << " entries (" << cleaning->removedBytes << " bytes), left "
           << cleaning->left << " (" << cleaning->leftBytes << " bytes)\n";
  return Ok;
}

int storeCommand() {
  Expected<int> code = act(openStore());
  return code ? *code : exitWith(code.takeError());
}
} // namespace nova::tool
