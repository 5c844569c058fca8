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
// Buffers of a few huge pages ask for them: streaming through a long cache is bound by address translation otherwise.
constexpr size_t kHugeFrom = size_t{4} << 20;

constexpr size_t kPage = 4096;

bool roundToPages(size_t needed, size_t &rounded) {
  if (needed > static_cast<size_t>(PTRDIFF_MAX) - kPage)
    return false;
  rounded = (needed + kPage - 1) / kPage * kPage;
  return true;
}

void adviseHugePages(void *memory, size_t bytes) {
  if (bytes >= kHugeFrom)
    (void)madvise(memory, bytes, MADV_HUGEPAGE); // only advice: without huge pages the buffer is as good
}

void *mapPages(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  adviseHugePages(memory, bytes);
  return memory;
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
  if (mapped) { // pages move by their addresses; new ones come zeroed
    size_t rounded;
    if (!roundToPages(needed, rounded))
      return false;
    void *grown = mremap(memory, bytes, rounded, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED)
      return false;
    memory = grown;
    bytes = rounded;
    adviseHugePages(memory, bytes);
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
