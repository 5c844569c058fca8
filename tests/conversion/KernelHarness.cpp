#include "tests/conversion/KernelHarness.h"
#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include "compiler/conversion/VectorToModule/ObjectCode.h"
#include "dialects/tile/TileDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace nova::test {

static void require(bool condition, const std::string &message) {
  if (condition)
    return;
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

GuardedMemory::GuardedMemory(size_t bytes, int fill) : length(bytes) {
  size_t page = sysconf(_SC_PAGESIZE), body = (bytes + page - 1) / page * page;
  mapped = body + page;
  mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(mapping != MAP_FAILED, "no memory for a test");
  char *end = static_cast<char *>(mapping) + body;
  require(mprotect(end, page, PROT_NONE) == 0, "a page could not be protected");
  start = end - bytes;
  if (bytes && fill)
    std::memset(start, fill, bytes);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(other.mapping), start(other.start), mapped(other.mapped), length(other.length) {
  other.mapping = nullptr;
}

GuardedMemory::~GuardedMemory() {
  if (mapping)
    munmap(mapping, mapped);
}

bool canRun(const std::string &target) {
  __builtin_cpu_init();
  if (target == "x86-64-v4")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

// One more target than the compiler's: the code for 512-bit vectors, in the instructions of x86-64-v3.
static const TargetInfo &targetOf(const std::string &name) {
  static const TargetInfo emulated{emulatedWide, "_wide", 512, "x86-64-v3", ""};
  return name == emulatedWide ? emulated : *findTarget(name);
}

namespace {
/// Parses and lowers a text; diagnostics are kept.
struct Lowered {
  Lowered(const std::string &text, const TargetInfo &target) : context(registry()) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    tiles = parseSourceString<ModuleOp>(text, &context);
    if (!tiles)
      return;
    auto lowered = tilesToVector(*tiles, target), shared = tilesToLayout(*tiles);
    if (succeeded(lowered) && succeeded(shared)) {
      code = std::move(*lowered);
      layout = std::move(*shared);
    }
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerGraphDialect(registry);
    registry.insert<tile::TileDialect>();
    return registry;
  }
  std::string diagnostics;
  MLIRContext context;
  OwningOpRef<ModuleOp> tiles, code, layout;
};
} // namespace

static std::vector<char> compile(const std::string &text, const std::string &targetName, std::string &diagnostics) {
  const TargetInfo &target = targetOf(targetName);
  Lowered lowered(text, target);
  diagnostics = lowered.diagnostics;
  if (!lowered.code)
    return {};
  ModuleInput input;
  input.parts.emplace_back(target, *lowered.code);
  input.parts.emplace_back(target, *lowered.layout);
  input.manifestJson = "{}";
  auto module = buildModule(input);
  if (!module) {
    diagnostics += llvm::toString(module.takeError());
    return {};
  }
  return *module;
}

std::string assemblyOf(const std::string &text, const std::string &targetName) {
  const TargetInfo &target = targetOf(targetName);
  Lowered lowered(text, target);
  require(bool(lowered.code), text + "\n" + lowered.diagnostics);
  return printCode(*lowered.code, target, CodeForm::assembly);
}

std::vector<char> compileModule(const std::string &text, const std::string &target) {
  std::string diagnostics;
  std::vector<char> bytes = compile(text, target, diagnostics);
  require(!bytes.empty(), text + "\n" + diagnostics);
  return bytes;
}

std::string refusal(const std::string &text, const std::string &target) {
  std::string diagnostics;
  return compile(text, target, diagnostics).empty() ? diagnostics : "";
}

Kernels::Kernels(const std::string &text, const std::string &target) : suffix(targetOf(target).suffix) {
  std::vector<char> bytes = compileModule(text, target);
  file = memfd_create("module", MFD_CLOEXEC);
  require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "no memory file");
  handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  require(handle, "a module could not be loaded");
}

Kernels::~Kernels() {
  dlclose(handle);
  close(file);
}

void *Kernels::symbol(const std::string &name) const {
  void *found = dlsym(handle, name.c_str());
  require(found, "the module has no symbol " + name);
  return found;
}

int64_t Kernels::bytes(const std::string &name, const std::vector<int64_t> &dims) const {
  return reinterpret_cast<int64_t (*)(const int64_t *)>(symbol("nova_bytes_" + name))(dims.data());
}

const void *Kernels::constant(const std::string &name) const { return symbol(name); }

std::vector<int64_t> Kernels::shapes(const std::string &kernel, const std::vector<int64_t> &dims,
                                     size_t contractions) const {
  std::vector<int64_t> shapes(5 * contractions + 1, -1);
  reinterpret_cast<void (*)(const int64_t *, int64_t *)>(symbol("nova_library_" + kernel))(dims.data(), shapes.data());
  require(shapes.back() == -1, "more shapes than contractions were written");
  shapes.pop_back();
  return shapes;
}

int Kernels::run(const std::string &kernel, const std::vector<int64_t> &dims, int64_t rows, int64_t block,
                 const std::vector<void *> &buffers, bool descending, const void *const *tiles) const {
  auto entry =
      reinterpret_cast<int32_t (*)(void *const *, const int64_t *, int64_t, int64_t, void *)>(symbol(kernel + suffix));
  auto scratchBytes = reinterpret_cast<int64_t (*)(const int64_t *, int64_t)>(symbol("nova_scratch_" + kernel));
  int failed = 0;
  int64_t blocks = (rows + block - 1) / block;
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t row0 = (descending ? blocks - 1 - i : i) * block, count = std::min(block, rows - row0);
    GuardedMemory scratch((scratchBytes(dims.data(), count) + 63) / 64 * 64, 0xFF);
    std::memcpy(static_cast<char *>(scratch.data()) + 32, &tiles, sizeof tiles);
    unsigned before = __builtin_ia32_stmxcsr();
    // The caller's control register: flush to zero, round up. A kernel sets its own and gives this one back.
    __builtin_ia32_ldmxcsr(0xDFC0);
    failed |= entry(buffers.data(), dims.data(), row0, count, scratch.data());
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    require((after & ~0x3Fu) == (0xDFC0u & ~0x3Fu), "a kernel changed the floating-point control register");
  }
  return failed;
}

} // namespace nova::test
