// nova doctor: what this build and this machine offer.
#include "compiler/identity/BuildId.h"
#include "compiler/pipeline/Version.h"
#include "nova/nova.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Failure.h"
#include "tools/nova/LoadedModule.h"
#include "tools/nova/ModuleSource.h"
#include "tools/nova/Options.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>
#include <thread>

using namespace llvm;

namespace nova::tool {
static std::string cpuName() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (!file)
    return "unknown";
  StringRef rest = (*file)->getBuffer();
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [key, value] = line.split(':');
    if (key.trim() == "model name")
      return value.trim().str();
  }
  return "unknown";
}

// The toolkit's version from its own file, "" without one.
static std::string cudaToolkit() {
  std::string folder = sys::Process::GetEnv("CUDA_HOME").value_or("/usr/local/cuda");
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(folder + "/version.json");
  if (!file)
    return "";
  Expected<json::Value> value = json::parse((*file)->getBuffer());
  if (!value) {
    consumeError(value.takeError());
    return "in " + folder;
  }
  if (const json::Object *root = value->getAsObject())
    if (const json::Object *cuda = root->getObject("cuda"))
      if (std::optional<StringRef> version = cuda->getString("version"))
        return version->str() + " in " + folder;
  return "in " + folder;
}

// The driver's version as CUDA counts it, 0 without a driver.
static int cudaDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return 0;
  int version = 0;
  auto query = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  if (!query || query(&version) != 0)
    version = 0;
  dlclose(library);
  return version;
}

static json::Array targetList() {
  json::Array list;
  for (const char *name : {"x86-64-v3", "x86-64-v4"})
    list.push_back(json::Object{{"name", name}, {"runs_here", nova_target_supported(name) != 0}});
  return list;
}

static json::Object storeFacts() {
  Store store = openStore();
  json::Object object{{"directory", store.directory()}, {"size_limit", int64_t(StoreOptions().sizeLimit)}};
  Expected<std::vector<StoredEntry>> entries = store.list();
  if (!entries) {
    object["problem"] = toString(entries.takeError());
    return object;
  }
  uint64_t bytes = 0;
  for (const StoredEntry &entry : *entries)
    bytes += entry.bytes;
  object["entries"] = int64_t(entries->size());
  object["bytes"] = int64_t(bytes);
  return object;
}

static json::Object oneDnnFacts() {
  nova_onednn_info_t info{};
  info.size = sizeof info;
  int32_t qualified = 0;
  // One product of the size that library tiles are made of; what is wrong with it is among the facts.
  Error error = rememberProducts();
  if (!error)
    error = toError(nova_onednn_qualify(256, 256, &qualified));
  if (!error)
    error = toError(nova_onednn_describe(&info));
  if (error)
    return json::Object{{"version", ""}, {"qualified", false}, {"problem", toString(std::move(error))}};
  StringRef name = info.name;
  name.consume_front("oneDNN ");
  return json::Object{{"version", name},
                      {"cpu", info.cpu},
                      {"problem", info.trouble},
                      {"qualified", qualified != 0},
                      {"products_qualified", info.qualified},
                      {"products_refused", info.refused}};
}

static void printOneDnn(const json::Object &facts) {
  StringRef version = *facts.getString("version"), problem = *facts.getString("problem");
  outs() << "onednn    " << version;
  if (!problem.empty()) {
    outs() << (version.empty() ? "not used: " : ", not used: ") << problem << "\n";
    return;
  }
  outs() << " (" << *facts.getString("cpu") << "): " << (*facts.getBoolean("qualified") ? "gives" : "does not give")
         << " the canonical bits for 64 x 256 x 256; " << *facts.getInteger("products_qualified")
         << " products known to, " << *facts.getInteger("products_refused") << " known not to\n";
}

static json::Object gather() {
  int driver = cudaDriver();
  return llvm::json::Object{
      {"nova", compilerVersion},
      {"libnova", nova_version()},
      {"build_id", buildId().hex()},
      {"llvm", LLVM_VERSION_STRING},
      {"cpu", cpuName()},
      {"targets", targetList()},
      {"threads", int64_t(std::thread::hardware_concurrency())},
      {"onednn", oneDnnFacts()},
      {"cuda", json::Object{{"toolkit", cudaToolkit()}, {"driver", int64_t(driver)}, {"used", false}}},
      {"store", storeFacts()}};
}

static void print(const json::Object &facts) {
  auto text = [&](StringRef key) { return facts.getString(key).value_or("").str(); };
  outs() << "nova      " << text("nova") << ", libnova " << text("libnova") << ", LLVM and MLIR " << text("llvm")
         << "\n"
         << "build     " << text("build_id") << "\n"
         << "cpu       " << text("cpu") << "\n";
  for (const json::Value &target : *facts.getArray("targets")) {
    const json::Object &object = *target.getAsObject();
    outs() << "target    " << *object.getString("name") << ": "
           << (*object.getBoolean("runs_here") ? "runs here" : "can be compiled, does not run here") << "\n";
  }
  outs() << "threads   " << *facts.getInteger("threads") << "\n";
  printOneDnn(*facts.getObject("onednn"));
  const json::Object &cuda = *facts.getObject("cuda");
  StringRef toolkit = *cuda.getString("toolkit");
  int64_t driver = *cuda.getInteger("driver");
  outs() << "cuda      " << (toolkit.empty() ? "no toolkit" : "toolkit " + toolkit.str()) << ", ";
  if (driver)
    outs() << "driver for CUDA " << driver / 1000 << "." << driver % 1000 / 10;
  else
    outs() << "no driver";
  outs() << "; not used: code is generated for CPUs\n";
  const json::Object &store = *facts.getObject("store");
  outs() << "store     " << *store.getString("directory") << ": ";
  if (std::optional<StringRef> problem = store.getString("problem"))
    outs() << *problem << "\n";
  else
    outs() << *store.getInteger("entries") << " entries, " << *store.getInteger("bytes") << " of at most "
           << *store.getInteger("size_limit") << " bytes\n";
}

int doctorCommand() {
  json::Object facts = gather();
  if (options::json)
    outs() << json::Value(std::move(facts)) << "\n";
  else
    print(facts);
  return Ok;
}
} // namespace nova::tool
