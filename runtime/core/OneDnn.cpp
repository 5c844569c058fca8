//===- OneDnn.cpp ---------------------------------------------------------===//

#include "runtime/core/OneDnn.h"
#include "runtime/core/Status.h"
#include "runtime/core/Target.h"

#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <tuple>

#ifdef NOVA_HAS_ONEDNN
#include <dnnl.h>
#endif

using namespace nova::runtime;

bool ProductShape::operator<(const ProductShape &other) const {
  return std::tie(terms, columns, lda, ldb, ldc) <
         std::tie(other.terms, other.columns, other.lda, other.ldb, other.ldc);
}

#ifdef NOVA_HAS_ONEDNN
namespace {

/// Its functions, as its header declares them, and those of the OpenMP that it was built with.
struct Functions {
  decltype(&dnnl_sgemm) sgemm = nullptr;
  decltype(&dnnl_version) version = nullptr;
  decltype(&dnnl_get_effective_cpu_isa) isa = nullptr;
  void (*setThreads)(int) = nullptr;
  int (*threads)() = nullptr;
};
Functions functions; // written once, before anyone multiplies

/// Holds OpenMP to the calling thread, and gives the caller, who may use OpenMP too, back what was set.
class OneThread {
public:
  OneThread() : before(functions.threads ? functions.threads() : 1) { set(1); }
  ~OneThread() { set(before); }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  void set(int count) const {
    if (before != 1)
      functions.setThreads(count);
  }
  int before;
};

#if defined(__clang__)
// A library of another compiler carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
bool multiply(const ProductShape &shape, const float *a, const float *b, float *c) {
  OneThread oneThread;
  return functions.sgemm('N', 'N', kTileRows, shape.columns, shape.terms, 1.0f, a, shape.lda, b, shape.ldb, 1.0f, c,
                         shape.ldc) == dnnl_success;
}

template <typename Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::string nameOf(dnnl_cpu_isa_t isa) {
  switch (isa) {
  case dnnl_cpu_isa_sse41:
    return "sse41";
  case dnnl_cpu_isa_avx:
    return "avx";
  case dnnl_cpu_isa_avx2:
    return "avx2";
  case dnnl_cpu_isa_avx2_vnni:
    return "avx2_vnni";
  case dnnl_cpu_isa_avx512_core:
    return "avx512_core";
  case dnnl_cpu_isa_avx512_core_vnni:
    return "avx512_core_vnni";
  case dnnl_cpu_isa_avx512_core_bf16:
    return "avx512_core_bf16";
  default:
    return concat("instruction set ", static_cast<int64_t>(isa));
  }
}

std::string processor() {
  unsigned words[12] = {};
  for (unsigned i = 0; i < 3; ++i)
    __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  return text;
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
void load(const char *path, Vendor &vendor) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    vendor.trouble = concat("it cannot be loaded: ", why ? why : path);
    return;
  }
  if (!find(library, "dnnl_version", functions.version) || !find(library, "dnnl_sgemm", functions.sgemm) ||
      !find(library, "dnnl_get_effective_cpu_isa", functions.isa)) {
    vendor.trouble = concat(path, " is no oneDNN");
    return;
  }
  const dnnl_version_t *version = functions.version();
  vendor.name = concat("oneDNN ", version->major, ".", version->minor, ".", version->patch);
  vendor.cpu = nameOf(functions.isa());
  vendor.identity = concat(vendor.name, " ", version->hash, ", ", vendor.cpu, ", ", processor());
  if (version->major != DNNL_VERSION_MAJOR) {
    vendor.trouble = concat("libnova was built for oneDNN ", DNNL_VERSION_MAJOR);
    return;
  }
  if (version->cpu_runtime == DNNL_RUNTIME_OMP) {
    // Its OpenMP is among the libraries that came with it. Its own threads would wait for each other on every tile.
    if (!find(library, "omp_set_num_threads", functions.setThreads) ||
        !find(library, "omp_get_max_threads", functions.threads)) {
      vendor.trouble = "its OpenMP cannot be held to one thread";
      return;
    }
  } else if (version->cpu_runtime != DNNL_RUNTIME_SEQ) {
    vendor.trouble = "its threads cannot be held to the calling one";
    return;
  }
  if (!targetSupported("x86-64-v3")) {
    vendor.trouble = "this cpu has no fma to compare it with";
    return;
  }
  vendor.multiply = multiply;
}

} // namespace
#endif // NOVA_HAS_ONEDNN

static Vendor makeVendor() {
  Vendor vendor;
#ifdef NOVA_HAS_ONEDNN
  const char *named = secure_getenv("NOVA_ONEDNN");
  if (named && std::strcmp(named, "off") == 0)
    vendor.trouble = "NOVA_ONEDNN is off";
  else
    load(named && *named ? named : NOVA_ONEDNN_FILE, vendor);
#else
  vendor.trouble = "libnova was built without it";
#endif
  return vendor;
}

const Vendor &nova::runtime::oneDnn() {
  static const Vendor vendor = makeVendor();
  return vendor;
}
