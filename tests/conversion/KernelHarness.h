//===- KernelHarness.h - Compiles tile text and calls its kernels ------------===//
//
// Kernels are called as the runtime calls them: in blocks of rows, with scratch memory of the size they ask for, filled
// with bytes that make NaN of every float. Every buffer ends at a page that may not be touched, so that one element too
// many is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_TESTS_CONVERSION_KERNELHARNESS_H
#define NOVA_TESTS_CONVERSION_KERNELHARNESS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nova::test {

/// Memory of exactly `bytes` that ends where a forbidden page begins.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes, int fill = 0);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&) = delete;
  void *data() const { return start; }
  size_t size() const { return length; }

private:
  void *mapping = nullptr, *start = nullptr;
  size_t mapped = 0, length = 0;
};

/// A dense array of T in guarded memory.
template <typename T> class Array {
public:
  explicit Array(size_t count, int fill = 0) : memory(count * sizeof(T), fill), count(count) {}
  Array(const std::vector<T> &values) : Array(values.size()) {
    if (count)
      std::memcpy(memory.data(), values.data(), count * sizeof(T));
  }
  T *data() { return static_cast<T *>(memory.data()); }
  T &operator[](size_t i) { return data()[i]; }
  size_t size() const { return count; }
  std::vector<T> values() { return std::vector<T>(data(), data() + count); }

private:
  GuardedMemory memory;
  size_t count;
};

/// A target for tests only: the code of x86-64-v4 (its register tiles and lanes) where there is only AVX2.
inline constexpr char emulatedWide[] = "wide-on-v3";

/// True where this CPU can run code of the target.
bool canRun(const std::string &target);

/// The bytes of the module of `text` (ops of the dialect tile) for one target; aborts the test program with the
/// diagnostics if it does not compile.
std::vector<char> compileModule(const std::string &text, const std::string &target);
/// The assembly of the kernels of `text` for one target.
std::string assemblyOf(const std::string &text, const std::string &target);
/// The diagnostics of a text that must not compile; "" if it does.
std::string refusal(const std::string &text, const std::string &target);

/// A loaded module.
class Kernels {
public:
  Kernels(const std::string &text, const std::string &target);
  ~Kernels();
  Kernels(const Kernels &) = delete;

  /// nova_bytes_<name> for these dims.
  int64_t bytes(const std::string &name, const std::vector<int64_t> &dims) const;
  /// The address of a tile.data.
  const void *constant(const std::string &name) const;
  /// Runs all blocks, the last first if `descending`. Gives 1 if a block returned 1. `tiles`: library tiles, or null.
  int run(const std::string &kernel, const std::vector<int64_t> &dims, int64_t rows, int64_t block,
          const std::vector<void *> &buffers, bool descending = false, const void *const *tiles = nullptr) const;
  /// What nova_library_<kernel> tells of `contractions` contractions: five numbers each.
  std::vector<int64_t> shapes(const std::string &kernel, const std::vector<int64_t> &dims, size_t contractions) const;

private:
  void *symbol(const std::string &name) const;
  void *handle = nullptr;
  int file = -1; // open as long as the module is loaded: the loader knows modules by name
  std::string suffix;
};

} // namespace nova::test

#endif
