//===- Buffer.cpp ---------------------------------------------------------===//

#include "runtime/core/Buffer.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace nova::runtime;

namespace {

// From here on a mapping of its own costs less than clearing heap memory.
constexpr size_t kMapFrom = size_t{256} << 10;
// Streaming through a long cache is bound by address translation otherwise. A buffer that begins at a huge page's
// border has them from its first byte on.
constexpr size_t kHugePage = size_t{2} << 20;

constexpr size_t kPage = 4096;

bool roundToPages(size_t needed, size_t &rounded) {
  if (needed > static_cast<size_t>(PTRDIFF_MAX) - kPage)
    return false;
  rounded = (needed + kPage - 1) / kPage * kPage;
  return true;
}

/// The bytes from here to the next border of a huge page.
uintptr_t toBorder(void *memory) { return -reinterpret_cast<uintptr_t>(memory) & (kHugePage - 1); }

void adviseHugePages(void *memory, size_t bytes) {
  if (bytes >= kHugePage)
    (void)madvise(memory, bytes, MADV_HUGEPAGE); // only advice: without huge pages the buffer is as good
}

void *mapPages(size_t bytes) {
  bool aligned = bytes >= kHugePage && bytes <= SIZE_MAX - kHugePage;
  size_t reserved = aligned ? bytes + kHugePage : bytes;
  void *memory = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (aligned) { // give back what lies outside the borders
    size_t before = toBorder(memory);
    char *begin = static_cast<char *>(memory) + before;
    if (before > 0)
      munmap(memory, before);
    if (before < kHugePage)
      munmap(begin + bytes, kHugePage - before);
    memory = begin;
  }
  adviseHugePages(memory, bytes);
  return memory;
}

/// Pages move by their addresses; new ones come zeroed. Null if there is not that much memory; nothing has changed
/// then.
void *growPages(void *memory, size_t bytes, size_t needed) {
  bool small = needed < kHugePage;
  void *grown = MAP_FAILED;
  if (small || toBorder(memory) == 0)
    grown = mremap(memory, bytes, needed, small ? MREMAP_MAYMOVE : 0);
  if (grown == MAP_FAILED) { // move to a border
    void *target = mapPages(needed);
    if (!target)
      return nullptr;
    grown = mremap(memory, bytes, needed, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    if (grown == MAP_FAILED)
      return nullptr; // the target is unmapped first of all
  }
  adviseHugePages(grown, needed);
  return grown;
}

void *zeroedHeap(size_t bytes) {
  void *memory = nullptr;
  if (posix_memalign(&memory, kBufferAlignment, bytes) != 0)
    return nullptr;
  return std::memset(memory, 0, bytes);
}

} // namespace

Buffer::Buffer(Buffer &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)), bytes(std::exchange(other.bytes, 0)),
      mapped(std::exchange(other.mapped, false)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this != &other) {
    clear();
    memory = std::exchange(other.memory, nullptr);
    bytes = std::exchange(other.bytes, 0);
    mapped = std::exchange(other.mapped, false);
  }
  return *this;
}

Buffer::~Buffer() { clear(); }

void Buffer::clear() {
  if (mapped)
    munmap(memory, bytes);
  else
    std::free(memory);
  memory = nullptr;
  bytes = 0;
  mapped = false;
}

bool Buffer::growKeeping(size_t needed) {
  if (needed <= bytes)
    return true;
  if (mapped) {
    size_t rounded;
    if (!roundToPages(needed, rounded))
      return false;
    void *grown = growPages(memory, bytes, rounded);
    if (!grown)
      return false;
    memory = grown;
    bytes = rounded;
    return true;
  }
  Buffer larger;
  if (!larger.growDiscarding(needed))
    return false;
  if (bytes > 0)
    std::memcpy(larger.memory, memory, bytes);
  *this = std::move(larger);
  return true;
}

bool Buffer::spread(size_t count, size_t from, size_t to) {
  size_t needed;
  if (__builtin_mul_overflow(count, to, &needed) || !growKeeping(needed))
    return false;
  // Each new place lies behind the old one, so the last piece goes first.
  char *begin = static_cast<char *>(memory);
  for (size_t piece = count; from > 0 && piece-- > 1;)
    std::memmove(begin + piece * to, begin + piece * from, from);
  return true;
}

bool Buffer::growDiscarding(size_t needed) {
  if (needed <= bytes)
    return true;
  clear(); // first, so that old and new never take up room together
  size_t size = needed;
  bool map = needed >= kMapFrom;
  if (map && !roundToPages(needed, size))
    return false;
  memory = map ? mapPages(size) : zeroedHeap(size);
  if (!memory)
    return false;
  bytes = size;
  mapped = map;
  return true;
}
